import { Command, InvalidArgumentError } from 'commander'
import { TwospeedError } from '../core/index.ts'
import type { Engine } from '../serve/index.ts'
import { count, flag, word } from './flags.ts'
import { calmHelperThreads } from './helper-threads.ts'
import { readLaw } from './law.ts'

interface ServeFlags {
  readonly engine: 'simulated' | 'llama'
  readonly law?: string
  readonly outputTokens?: number
  readonly gguf?: string
  readonly threads?: number
  readonly model?: string
  readonly port?: number
  readonly host?: string
  readonly truth?: string
  readonly maxNumSeqs?: number
  readonly maxBatchedTokens?: number
  readonly kvTokens?: number
  readonly seed?: number
}

/** The lesson's example: one user alone gets 190 tok/s, the server makes 4 000 tok/s at most. */
const DEFAULT_LAW = 'a=5ms,b=0.25ms'
const DEFAULT_PORT = 8000

export function serveCommand(): Command {
  return new Command('serve')
    .description('An OpenAI-compatible server to try everything on, over an engine that is simulated or real.')
    .addOption(flag('--engine <name>', 'what answers: simulated or llama', engineName).default('simulated'))
    .addOption(flag('--law <law>', `simulated: the time of a step (${DEFAULT_LAW}), or a fit as a JSON file`, word))
    .addOption(flag('--output-tokens <n>', 'simulated: where the model ends an answer by itself (256)', count))
    .addOption(flag('--gguf <file>', 'llama: a model file; absent, a small one of random weights is made', word))
    .addOption(flag('--threads <n>', 'llama: threads that compute (all cores but one)', count))
    .addOption(flag('--model <name>', 'the name under which the model is served', word))
    .addOption(flag('--port <n>', '0 takes any that is free', portNumber).default(DEFAULT_PORT))
    .addOption(flag('--host <address>', 'loopback unless given', word))
    .addOption(flag('--truth <file>', "the server's own log, one JSON line a request", word))
    .addOption(flag('--max-num-seqs <n>', 'the most sequences in a batch', count))
    .addOption(flag('--max-batched-tokens <n>', 'the most tokens in a step, prompts included', count))
    .addOption(flag('--kv-tokens <n>', 'tokens that the KV cache holds', count))
    .addOption(flag('--seed <n>', 'of the answers', wholeNumber))
    .action(serve)
}

async function serve(flags: ServeFlags): Promise<void> {
  const { startServer } = await import('../serve/index.ts')
  const engine = await createEngine(flags)
  const server = await startServer({ engine, ...given(flags, ['port', 'host', 'truth']) })
  process.stdout.write(`listening ${server.url}\n`)
  process.send?.({ url: server.url }, gone)
  const how = await stopAsked()
  const { slips, slippedMs } = engine.status()
  await server.close()
  if (slips !== undefined && slips > 0) {
    process.stderr.write(
      `The machine was too slow for the law in ${slips} steps, by ${Math.round(slippedMs ?? 0)} ms in all.\n`,
    )
  }
  process.exitCode = how === 'SIGINT' ? 130 : 0
}

/** Flags that mean something to one engine only. */
const ONLY = { simulated: ['law', 'outputTokens'], llama: ['gguf', 'threads'] } as const

async function createEngine(flags: ServeFlags): Promise<Engine> {
  const { createLlamaEngine, createSimulatedEngine } = await import('../serve/index.ts')
  const other = flags.engine === 'simulated' ? 'llama' : 'simulated'
  const stray = ONLY[other].find((name) => flags[name] !== undefined)
  if (stray !== undefined) {
    const name = stray === 'outputTokens' ? 'output-tokens' : stray
    throw new TwospeedError('CONFLICTING_FLAGS', `--${name} goes with --engine ${other} only`, 'Drop one of the two.')
  }
  const shared = {
    ...given(flags, ['model', 'seed']),
    limits: given(flags, ['maxNumSeqs', 'maxBatchedTokens', 'kvTokens']),
  }
  if (flags.engine === 'llama') return createLlamaEngine({ ...shared, ...given(flags, ['gguf', 'threads']) })
  const law = readLaw(flags.law ?? DEFAULT_LAW)
  calmHelperThreads()
  const { outputTokens } = flags
  return createSimulatedEngine({
    ...shared,
    law,
    ...(outputTokens === undefined ? {} : { answerTokens: outputTokens }),
  })
}

/** Those of the flags that were given: an option that is absent has a default, one that is undefined is a mistake. */
function given<K extends keyof ServeFlags>(flags: ServeFlags, names: readonly K[]): Pick<ServeFlags, K> {
  return Object.fromEntries(names.flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name]]]))) as Pick<
    ServeFlags,
    K
  >
}

/** A parent that has left already is noticed by `stopAsked`. */
function gone(): void {}

/** Ctrl-C, a kill, or the end of the parent that spawned us with a channel (Windows has no signals). A second signal kills. */
function stopAsked(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(signal))
    if (process.send === undefined) return
    process.once('disconnect', () => resolve('disconnect'))
    if (!process.connected) resolve('disconnect')
  })
}

function engineName(text: string): ServeFlags['engine'] {
  if (text === 'simulated' || text === 'llama') return text
  throw new InvalidArgumentError('It takes simulated or llama.')
}

function portNumber(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new InvalidArgumentError('It takes a port from 0 to 65535.')
}

function wholeNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It takes a whole number.')
}
