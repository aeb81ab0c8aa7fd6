/**
 * Against an engine that is not ours: llama.cpp's own llama-server tells in the last chunk of every answer how long it took, and
 * llama-batched-bench what the same engine does without a server around it. Writes bench/llama-server.json and the page.
 *
 *   npm run bench:llama-server -- --server PATH/llama-server --batched-bench PATH/llama-batched-bench [--gguf FILE]
 *
 * Neither is built here: get them from a release of llama.cpp or build them from its source. Without --gguf they are given the random
 * model that `twospeed serve --engine llama` uses.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Point, Run } from '../src/core/index.ts'
import { randomModelFile } from '../src/serve/index.ts'
import { readRecords } from '../src/store/index.ts'
import { type Circumstances, watchCircumstances } from './circumstances.ts'
import { percentiles } from './figures.ts'
import { tellMarks } from './marks.ts'
import { writePage } from './page/page.ts'
import { CLIENT_CORE, runPinned, SERVER_CORE, startPinned, twospeed } from './processes.ts'
import { openRelay, type Timings } from './relay.ts'
import { type BatchedStep, type CappedPoint, type Mark, type PaceResult, taken, writeResult } from './results.ts'

const INPUT_TOKENS = 32
const OUTPUT_TOKENS = 128
const CONTEXT_TOKENS = 16_384
const SLOTS = 16
const LOADS = [1, 4, 16]
const CAPPED_SLOTS = 4
const CAPPED_LOADS = [1, 2, 4, 8, 16]
const WINDOW_S = 15
const READY_MS = 60_000

const { values: flags } = parseArgs({
  options: { server: { type: 'string' }, 'batched-bench': { type: 'string' }, gguf: { type: 'string' } },
})
const { server: serverBinary, 'batched-bench': benchBinary, gguf = randomModelFile() } = flags
if (serverBinary === undefined || benchBinary === undefined) {
  throw new Error('Name the two binaries: --server PATH --batched-bench PATH')
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  return address === null || typeof address === 'string' ? 0 : address.port
}

const serverArguments = (slots: number, port: number): readonly string[] =>
  ['-m', gguf, '-np', slots, '-t', 1, '-c', CONTEXT_TOKENS, '--temp', 0, '--host', '127.0.0.1', '--port', port].map(
    String,
  )

async function untilReady(url: string): Promise<void> {
  for (const deadline = performance.now() + READY_MS; performance.now() < deadline; ) {
    const ready = await fetch(`${url}/health`).then(
      (response) => response.ok,
      () => false,
    )
    if (ready) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error('llama-server does not come up')
}

interface Measured {
  readonly run: Run
  readonly folder: string
  readonly timings: ReadonlyMap<string, Timings>
  readonly circumstances: Circumstances
}

/** llama-server on one core; `measure`, and the relay that reads the server's own timings, on the other. */
async function measureServer(slots: number, loads: readonly number[]): Promise<Measured> {
  const port = await freePort()
  const circumstances = watchCircumstances()
  const server = startPinned(SERVER_CORE, [serverBinary ?? '', ...serverArguments(slots, port)])
  await untilReady(`http://127.0.0.1:${port}`)
  const relay = await openRelay({ host: '127.0.0.1', port })
  const folder = join(mkdtempSync(join(tmpdir(), 'twospeed-bench-')), 'run')
  const lengths = ['--input-tokens', INPUT_TOKENS, '--output-tokens', OUTPUT_TOKENS, '--duration', `${WINDOW_S}s`]
  const args = ['--concurrency', loads.join(','), ...lengths, '--gpus', 1, '--json', '--out', folder]
  const client = await runPinned(CLIENT_CORE, twospeed('measure', relay.url, ...args))
  relay.close()
  const { cpuS } = await server.stop()
  const run = JSON.parse(client.output) as Run
  return { run, folder, timings: relay.timings, circumstances: circumstances(cpuS + client.cpuS) }
}

/** Each request's pace as measured and as the server itself counts it. */
async function comparePace({ run, folder, timings }: Measured): Promise<readonly PaceResult[]> {
  const found = run.points.map(() => ({
    ours: [] as number[],
    theirs: [] as number[],
    errors: [] as number[],
    prompt: [] as number[],
  }))
  let untold = 0
  for await (const record of readRecords(folder)) {
    const point = run.points[record.point]
    const into = found[record.point]
    if (point === undefined || into === undefined || record.outcome !== 'ok') continue
    if (record.sentS < point.window.startS || record.sentS >= point.window.endS) continue
    const told = timings.get(record.id)
    if (told === undefined || told.predicted_n !== record.outputTokens) {
      untold++
      continue
    }
    const ours = record.gapsUs.reduce((sum, us) => sum + us, 0) / (record.outputTokens - 1) / 1000
    const theirs = told.predicted_ms / (told.predicted_n - 1)
    into.ours.push(ours)
    into.theirs.push(theirs)
    into.errors.push(Math.abs(theirs / ours - 1))
    into.prompt.push(told.prompt_ms)
  }
  return run.points.map((point, i) => {
    const { ours = [], theirs = [], errors = [], prompt = [] } = found[i] ?? {}
    const error = percentiles(errors)
    return {
      concurrency: point.load.value,
      requests: ours.length,
      untold,
      tpotMs: percentiles(ours)(50),
      serverTpotMs: percentiles(theirs)(50),
      promptMs: percentiles(prompt)(50),
      errorP50: error(50),
      errorP99: error(99),
      decodeInFlight: point.littlesLaw.decodeInFlight,
      steady: point.window.steady,
      reasons: point.window.reasons,
    }
  })
}

function batchedBench(): readonly BatchedStep[] {
  const lengths = ['-c', CONTEXT_TOKENS, '-npp', INPUT_TOKENS, '-ntg', OUTPUT_TOKENS, '-npl', LOADS.join(','), '-t', 1]
  const command = [
    '-c',
    String(SERVER_CORE),
    benchBinary ?? '',
    '-m',
    gguf,
    ...lengths.map(String),
    '--output-format',
    'jsonl',
  ]
  const lines = execFileSync('taskset', command, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  return lines
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { pl: number; tg: number; t_tg: number; t_pp: number })
    .map(({ pl, tg, t_tg, t_pp }) => ({ batch: pl, stepMs: (t_tg / tg) * 1000, promptMs: (t_pp / pl) * 1000 }))
}

const cappedPoint = ({ load, perUser, latency, littlesLaw, outputTokensPerSecond }: Point): CappedPoint => ({
  concurrency: load.value,
  tokensPerSecondPerUser: perUser.tokensPerSecond.p50 ?? Number.NaN,
  outputTokensPerSecond,
  ttftMs: latency.ttftMs.p50 ?? Number.NaN,
  inFlight: littlesLaw.inFlight,
  decodeInFlight: littlesLaw.decodeInFlight,
})

function judge(
  pace: readonly PaceResult[],
  capped: readonly CappedPoint[],
  serverLimit: number | undefined,
): readonly Mark[] {
  const atCap = capped.find(({ concurrency }) => concurrency === CAPPED_SLOTS)
  const beyond = capped.at(-1)
  const paceChange = (beyond?.tokensPerSecondPerUser ?? Number.NaN) / (atCap?.tokensPerSecondPerUser ?? Number.NaN) - 1
  return [
    ...pace.map(({ concurrency, errorP50, errorP99, requests, untold }) => ({
      name: `Load ${concurrency}: pace against the server's own timings, of each request`,
      value: `${(errorP50 * 100).toFixed(2)} % median, ${(errorP99 * 100).toFixed(2)} % p99 of ${requests}`,
      limit: '≤ 3 % p99',
      pass: requests > 0 && untold === 0 && errorP99 <= 0.03,
    })),
    {
      name: `A server of ${CAPPED_SLOTS} slots at load ${beyond?.concurrency}: its limit is told`,
      value: serverLimit === undefined ? 'not told' : serverLimit.toFixed(2),
      limit: `${CAPPED_SLOTS} ± 5 %`,
      pass: serverLimit !== undefined && Math.abs(serverLimit / CAPPED_SLOTS - 1) <= 0.05,
    },
    {
      name: `There the pace of a user is that at load ${CAPPED_SLOTS}`,
      value: `${(paceChange * 100).toFixed(1)} %`,
      limit: '± 10 %',
      pass: Math.abs(paceChange) <= 0.1,
    },
  ]
}

function version(): string {
  const { stdout, stderr } = spawnSync(serverBinary ?? '', ['--version'], { encoding: 'utf8' })
  return /version: .*/.exec(`${stdout}${stderr}`)?.[0] ?? 'of unknown version'
}

const startMs = performance.now()
const steps = batchedBench()
const served = await measureServer(SLOTS, LOADS)
const pace = await comparePace(served)
const stepsAfter = batchedBench()
const { run: cappedRun } = await measureServer(CAPPED_SLOTS, CAPPED_LOADS)
const capped = cappedRun.points.map(cappedPoint)
const serverLimit = cappedRun.fit?.serverLimit
const marks = judge(pace, capped, serverLimit)
writeResult('llama-server', {
  ...taken(startMs, marks),
  plan: {
    windowS: WINDOW_S,
    inputTokens: INPUT_TOKENS,
    outputTokens: OUTPUT_TOKENS,
    contextTokens: CONTEXT_TOKENS,
    slots: SLOTS,
    cappedSlots: CAPPED_SLOTS,
  },
  engine: version(),
  model: flags.gguf === undefined ? 'the random model of `serve --engine llama`' : 'a model of the user',
  circumstances: served.circumstances,
  pace,
  batchedBench: steps.map((step, i) => ({
    batch: step.batch,
    stepMs: Math.min(step.stepMs, stepsAfter[i]?.stepMs ?? step.stepMs),
    promptMs: Math.min(step.promptMs, stepsAfter[i]?.promptMs ?? step.promptMs),
  })),
  capped,
  ...(serverLimit === undefined ? {} : { serverLimit }),
})
writePage()
tellMarks(marks)
