/** The C mock: compiled when a bench needs it, run on a core of its own, stopped for its truth. */
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compiled } from './compiled.ts'
import { SERVER_CORE, startAnywhere, startPinned } from './processes.ts'
import { parseTruth, type TruthLine } from './truth.ts'

/** What the mock says of itself. `lateMs`: how long after its due time a token was written; `busy`: share of the time it worked. */
export interface MockReport {
  readonly requests: number
  readonly tokens: number
  readonly lateMs: { readonly p50: number; readonly p99: number; readonly max: number }
  readonly blockedWrites: number
  readonly brokenStreams: number
  readonly busy: number
  readonly seconds: number
  readonly peakConnections: number
}

export interface MockOptions {
  readonly ttftMs: number
  readonly gapMs: number
  readonly flood?: { readonly eventsPerChunk: number }
  /** The response begins with its first token, not at once. */
  readonly lateHead?: boolean
  /** On whatever core is free, where the client has more than one. */
  readonly anywhere?: boolean
  /** False: the log is thrown away, for a run too long to read it back. */
  readonly keepTruth?: boolean
}

export interface RunningMock {
  readonly url: string
  stop(): Promise<{
    readonly report: MockReport
    readonly truth: ReadonlyMap<string, TruthLine>
    readonly cpuS: number
  }>
}

const scratch = mkdtempSync(join(tmpdir(), 'twospeed-bench-'))

export async function startMock(options: MockOptions): Promise<RunningMock> {
  const { ttftMs, gapMs, flood, lateHead = false, anywhere = false, keepTruth = true } = options
  const truthFile = keepTruth ? join(scratch, 'truth.jsonl') : '/dev/null'
  const delays = ['--ttft-us', String(ttftMs * 1000), '--gap-us', String(gapMs * 1000)]
  const mode = [
    ...(flood === undefined ? [] : ['--flood', '--events-per-chunk', String(flood.eventsPerChunk)]),
    ...(lateHead ? ['--late-head'] : []),
  ]
  const command = [compiled('mock'), '--port', '0', '--truth', truthFile, ...delays, ...mode]
  const mock = anywhere ? startAnywhere(command) : startPinned(SERVER_CORE, command)
  return {
    url: (await mock.firstLine()).replace('listening ', ''),
    async stop() {
      const { output, cpuS } = await mock.stop()
      const report = JSON.parse(output.trim().split('\n').at(-1) ?? '') as MockReport
      return { report, truth: parseTruth(readFileSync(truthFile, 'utf8')), cpuS }
    },
  }
}
