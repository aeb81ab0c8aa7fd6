import { cpus } from 'node:os'
import { Command } from 'commander'
import { TwospeedError } from '../core/index.ts'
import { type ChildServer, startChildServer } from './child-server.ts'
import { count, counts, duration, flag, word } from './flags.ts'
import { measureAndShow } from './measure-and-show.ts'
import type { ProgressLine } from './progress.ts'

interface DemoFlags {
  readonly gguf?: string
  readonly concurrency: readonly number[]
  readonly duration?: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly out?: string
  readonly json?: true
}

const LOADS = [1, 2, 4, 8, 16]
/** A short question and a short answer: on two cores a prompt costs as much a token as an answer does, and four minutes are soon gone. */
const INPUT_TOKENS = 32
const OUTPUT_TOKENS = 48
/** A stand-in engine where the real one cannot run: about what one core makes of the small model. */
const STAND_IN = 'a=4ms,b=0.6ms,d=0.4ms'

export function demoCommand(): Command {
  return new Command('demo')
    .description('Measures a real engine on this machine and shows how its two speeds trade: what npm start runs.')
    .addOption(flag('--gguf <file>', 'your own model (a small one of random weights)', word))
    .addOption(flag('--concurrency <list>', `requests in flight (${LOADS})`, counts).default(LOADS, LOADS.join()))
    .addOption(flag('--duration <time>', 'of each point after its warm-up (30s, or 20 requests in a row)', duration))
    .addOption(flag('--input-tokens <n>', 'length of a prompt, template included', count).default(INPUT_TOKENS))
    .addOption(flag('--output-tokens <n>', 'length of an answer', count).default(OUTPUT_TOKENS))
    .addOption(flag('--out <folder>', 'not there yet (runs/<time>-<model>)', word))
    .option('--json', 'print run.json and nothing else')
    .action(demo)
}

async function demo(flags: DemoFlags): Promise<void> {
  const { concurrency, inputTokens, outputTokens, duration: durationS, out } = flags
  let server: ChildServer | undefined
  try {
    await measureAndShow(
      async (line) => {
        const started = await startEngine(flags, line)
        server = started.server
        return {
          url: server.url,
          engine: started.engine,
          hardwareName: thisMachine(),
          concurrency,
          inputTokens,
          outputTokens,
          ...(durationS !== undefined && { durationS }),
          ...(out !== undefined && { out }),
        }
      },
      { json: flags.json },
    )
  } finally {
    await server?.stop()
  }
}

function thisMachine(): string {
  const processors = cpus()
  const model = processors[0]?.model.trim() ?? ''
  return `this machine (${processors.length} cores${model === '' ? '' : `, ${model}`})`
}

/** The real engine; where it cannot load, the simulated one, and why. A model of the user's own has no stand-in. */
async function startEngine(flags: DemoFlags, line: ProgressLine): Promise<{ engine: string; server: ChildServer }> {
  const most = String(Math.max(...flags.concurrency))
  line.status('starting llama.cpp; the first time a small model of random weights is made')
  try {
    // One thread shows the trade alike on every machine, and leaves a core to the client; a model of the user's own gets what serve gives it.
    const model = flags.gguf === undefined ? ['--threads', '1'] : ['--gguf', flags.gguf]
    return { engine: 'llama', server: await startChildServer(['--engine', 'llama', '--max-num-seqs', most, ...model]) }
  } catch (error) {
    const cannot =
      error instanceof TwospeedError && (error.code === 'LLAMA_UNAVAILABLE' || error.code === 'LLAMA_NOT_INSTALLED')
    if (!cannot || flags.gguf !== undefined) throw error
    line.say(`SIMULATED: ${error.message}. The figures below are those of an engine that follows the law ${STAND_IN}.`)
    return {
      engine: 'simulated',
      server: await startChildServer(['--engine', 'simulated', '--law', STAND_IN, '--max-num-seqs', most]),
    }
  }
}
