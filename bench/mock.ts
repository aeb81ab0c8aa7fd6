/** The C mock: compiled when a bench needs it, run on a core of its own, stopped for its truth. */
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compiled } from './compiled.ts'
import { SERVER_CORE, startPinned } from './processes.ts'
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

export async function startMock({ ttftMs, gapMs, flood, lateHead = false }: MockOptions): Promise<RunningMock> {
  const truthFile = join(scratch, 'truth.jsonl')
  const delays = ['--ttft-us', String(ttftMs * 1000), '--gap-us', String(gapMs * 1000)]
  const mode = [
    ...(flood === undefined ? [] : ['--flood', '--events-per-chunk', String(flood.eventsPerChunk)]),
    ...(lateHead ? ['--late-head'] : []),
  ]
  const mock = startPinned(SERVER_CORE, [compiled('mock'), '--port', '0', '--truth', truthFile, ...delays, ...mode])
  return {
    url: (await mock.firstLine()).replace('listening ', ''),
    async stop() {
      const { output, cpuS } = await mock.stop()
      const report = JSON.parse(output.trim().split('\n').at(-1) ?? '') as MockReport
      return { report, truth: parseTruth(readFileSync(truthFile, 'utf8')), cpuS }
    },
  }
}
