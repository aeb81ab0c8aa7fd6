/** One run of one client against the mock, each pinned to a core of its own. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Circumstances, watchCircumstances } from './circumstances.ts'
import { type Figures, figuresOf } from './figures.ts'
import { type MockReport, startMock } from './mock.ts'
import { CLIENT_CORE, node, run, runPinned, twospeed } from './processes.ts'
import { readPoint } from './runs.ts'
import type { MeasuredRecord } from './truth.ts'

/** Two bare probes, and the client alone, without what `measure` does around it. */
export const KINDS = ['undici', 'socket', 'twospeed'] as const
export type Kind = (typeof KINDS)[number]

/** The mock's plan: what a perfect client would report. */
export const TTFT_MS = 100
export const GAP_MS = 20
export const TOKENS = 100
const REQUEST_S = (TTFT_MS + (TOKENS - 1) * GAP_MS) / 1000
const PACE = { ttftMs: TTFT_MS, gapMs: GAP_MS }
/** Tokens of a flooded answer: long enough that its set-up costs nothing. */
const FLOOD_TOKENS = 4096
export const FLOOD_STREAMS = 64

/** What the run cost; CPU is the client's own over the window. */
interface Cost {
  readonly cpuUsPerEvent: number
  readonly cores: number
  readonly peakRssMB: number
  readonly circumstances: Circumstances
}

export interface PacedSample extends Figures, Cost {
  readonly failed: number
  readonly mock: MockReport
}

/** Of `twospeed measure`, which also judges itself. */
export interface MeasureSample extends PacedSample {
  readonly saturated: boolean
  readonly why: readonly string[]
  readonly steady: boolean
  readonly reasons: readonly string[]
  readonly sharedReads: number
  /** Threads that read beside the main one. */
  readonly workers: number
}

export interface FloodSample extends Cost {
  readonly eventsPerSecond: number
  readonly failed: number
}

/** What bench/client.mjs prints. */
interface ClientReport {
  readonly originNs: number
  readonly windowS: readonly [number, number]
  readonly failed: number
  readonly cpuS: number
  readonly totalCpuS: number
  readonly peakRssMB: number
  readonly flooded: number
}

const scratch = mkdtempSync(join(tmpdir(), 'twospeed-bench-'))

async function runClient(kind: Kind, url: string, args: readonly (string | number)[]): Promise<ClientReport> {
  const { output } = await runPinned(CLIENT_CORE, node('client.mjs', '--kind', kind, '--url', url, ...args))
  return JSON.parse(output) as ClientReport
}

export async function samplePaced(kind: Kind, streams: number, windowS: number): Promise<PacedSample> {
  const file = join(scratch, 'records.jsonl')
  const mock = await startMock(PACE)
  const circumstances = watchCircumstances()
  const plan = ['--streams', streams, '--tokens', TOKENS, '--request-s', REQUEST_S, '--window-s', windowS]
  const client = await runClient(kind, mock.url, [...plan, '--out', file])
  const { report, truth, cpuS } = await mock.stop()
  const lines = readFileSync(file, 'utf8').split('\n')
  const records = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as MeasuredRecord)
  const [startS, endS] = client.windowS
  const figures = figuresOf(records, truth, { startS, endS }, client.originNs)
  return {
    ...figures,
    failed: client.failed,
    cpuUsPerEvent: (client.cpuS / windowS / figures.eventsPerSecond) * 1e6,
    cores: client.cpuS / windowS,
    peakRssMB: client.peakRssMB,
    mock: report,
    circumstances: circumstances(client.totalCpuS + cpuS),
  }
}

/** The command that asks the mock for such a load, as a user would but for the set-up questions that it cannot answer. */
export function measureMock(url: string, folder: string, streams: number, windowS: number): readonly string[] {
  const load = ['--concurrency', streams, '--duration', `${windowS}s`, '--input-tokens', 64, '--output-tokens', TOKENS]
  return twospeed('measure', url, ...load, '--no-preflight', '--model', 'mock', '--json', '--out', folder)
}

/** The whole of `twospeed measure`: on one core, or on all of them with the mock among them. */
export async function sampleMeasure(
  streams: number,
  windowS: number,
  { anywhere = false, gapMs = GAP_MS } = {},
): Promise<MeasureSample> {
  const folder = join(scratch, 'run')
  rmSync(folder, { recursive: true, force: true })
  const mock = await startMock({ ...PACE, gapMs, anywhere })
  const circumstances = watchCircumstances()
  const command = measureMock(mock.url, folder, streams, windowS)
  const ended = await (anywhere ? run(command) : runPinned(CLIENT_CORE, command))
  const { report, truth, cpuS } = await mock.stop()
  const { point, records, originNs } = await readPoint(folder, ended.output)
  const figures = figuresOf(records, truth, point.window, originNs)
  const { cpu = Number.NaN, saturated = false, why = [], sharedReads = Number.NaN } = point.generator
  return {
    ...figures,
    failed: point.requests.failed,
    cpuUsPerEvent: (cpu / figures.eventsPerSecond) * 1e6,
    cores: cpu,
    peakRssMB: ended.peakRssMB,
    mock: report,
    circumstances: circumstances(ended.cpuS + cpuS),
    saturated,
    why,
    steady: point.window.steady,
    reasons: point.window.reasons,
    sharedReads,
    workers: point.generator.workers?.length ?? 0,
  }
}

export async function sampleFlood(kind: Kind, eventsPerChunk: number, windowS: number): Promise<FloodSample> {
  const mock = await startMock({ ...PACE, flood: { eventsPerChunk } })
  const circumstances = watchCircumstances()
  const plan = ['--streams', FLOOD_STREAMS, '--tokens', FLOOD_TOKENS, '--request-s', 0, '--window-s', windowS]
  const client = await runClient(kind, mock.url, [...plan, '--flood'])
  const { cpuS } = await mock.stop()
  return {
    eventsPerSecond: client.flooded / windowS,
    failed: client.failed,
    cpuUsPerEvent: (client.cpuS / client.flooded) * 1e6,
    cores: client.cpuS / windowS,
    peakRssMB: client.peakRssMB,
    circumstances: circumstances(client.totalCpuS + cpuS),
  }
}
