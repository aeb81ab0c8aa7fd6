import type { Objectives, Point, Random, RunHeader } from '../../src/core/index.ts'
import { type SearchState, searchOf } from '../../src/model/index.ts'

/** A server in closed form: what each load gives in the steady state of a closed loop, without playing any request. */
export interface VirtualServer {
  /** Of a step in which so many decode. Seconds. */
  readonly stepS: (batch: number) => number
  /** Time to the first token of a request that found a place, among so many users. Default 20 ms. */
  readonly prefillS?: (load: number) => number
  /** The most that are served at once; the others wait. */
  readonly slots?: number
  /** From this load on the client is at its limit. */
  readonly clientUsers?: number
  /** Share of the requests that fail at this load. */
  readonly failing?: (load: number) => number
  /** Standard deviation of the log of users' paces within a point. */
  readonly spread?: number
}

export interface Steady {
  readonly pace: number
  readonly ttftS: number
  readonly decoding: number
}

const OUTPUT_TOKENS = 128

/** The mean pace, wait and batch at a load, exactly. */
export function steadyAt({ stepS, prefillS = () => 0.02, slots = Infinity }: VirtualServer, load: number): Steady {
  const served = Math.min(load, slots)
  const prefill = prefillS(load)
  // Of the time of a request that is served, the part that it decodes makes the batch, and the batch makes that time.
  let decoding = served
  for (let round = 0; round < 200; round++) {
    const decodeS = (OUTPUT_TOKENS - 1) * stepS(decoding)
    decoding = 0.5 * decoding + 0.5 * ((served * decodeS) / (decodeS + prefill))
  }
  const serviceS = (OUTPUT_TOKENS - 1) * stepS(decoding) + prefill
  const ttftS = prefill + (Math.max(0, load - served) * serviceS) / served
  return { pace: 1 / stepS(decoding), ttftS, decoding }
}

/** A point as a run holds it. `noise` is the standard deviation of the log of its pace from one measurement to the next. */
export function virtualPoint(
  server: VirtualServer,
  load: number,
  objectives: Objectives = {},
  random?: Random,
  noise = 0,
): Point {
  const steady = steadyAt(server, load)
  const pace = steady.pace * Math.exp(random === undefined ? 0 : noise * gaussian(random))
  const { spread = 0, failing = () => 0, clientUsers = Infinity } = server
  const sent = 1000
  const failed = Math.round(sent * failing(load))
  const ttftMs = 1000 * steady.ttftS
  const { tokensPerSecond: floor, ttftMs: limit } = objectives
  const fast =
    floor === undefined ? 1 : normal(spread === 0 ? 1e9 * (pace / floor - 1 + 1e-12) : Math.log(pace / floor) / spread)
  const early = limit === undefined || ttftMs <= limit
  const output = steady.decoding * pace
  const at = (z: number): number => pace * Math.exp(z * spread)
  const inTime = { mean: ttftMs, p50: ttftMs, p90: ttftMs, p95: ttftMs, p99: ttftMs, max: ttftMs }
  const saturated = load >= clientUsers
  return {
    load: { kind: 'concurrency', value: load },
    window: { startS: 0, endS: 30, steady: !saturated, reasons: saturated ? ['generatorSaturated'] : [] },
    requests: { sent, ok: sent - failed, failed, cancelled: 0, dropped: 0, errors: {} },
    tokens: { input: 0, output: 30 * output, source: 'usage' },
    perUser: {
      tokensPerSecond: { mean: pace, p1: at(-2.326), p5: at(-1.645), p10: at(-1.2816), p50: pace, p90: at(1.2816) },
      endToEndTokensPerSecond: {},
    },
    ...(Object.keys(objectives).length > 0 && {
      goodput: { attainment: early ? fast * (1 - failed / sent) : 0, requestsPerSecond: 0 },
    }),
    outputTokensPerSecond: output,
    latency: { ttftMs: inTime, tpotMs: {}, itlMs: {}, e2eMs: {} },
    littlesLaw: {
      inFlight: load,
      completionsPerSecond: load,
      decodeInFlight: steady.decoding,
      decodeTokensPerSecondPerUser: pace,
    },
    generator: { saturated },
  }
}

/** What a run is asked, as its header says it. */
export const asked = (
  search: 'find' | 'sweep',
  objectives: Objectives = {},
  more: Readonly<Record<string, unknown>> = {},
): Pick<RunHeader, 'workload' | 'hardware' | 'objectives'> => ({
  workload: { search, ...more },
  hardware: {},
  objectives,
})

export interface Searched extends SearchState {
  readonly points: readonly Point[]
  readonly loads: readonly number[]
}

/** Searches a virtual server to the end. */
export function searched(
  server: VirtualServer,
  run: Pick<RunHeader, 'workload' | 'hardware' | 'objectives'>,
  random?: Random,
  noise = 0,
): Searched {
  const points: Point[] = []
  for (;;) {
    const state = searchOf(run, points, {})
    if (state === undefined) throw new Error('the run is not asked to search')
    if (state.next === undefined) return { ...state, points, loads: points.map(({ load }) => load.value) }
    if (points.length > 20) throw new Error(`no end: ${points.map(({ load }) => load.value).join()}`)
    points.push(virtualPoint(server, state.next, run.objectives, random, noise))
  }
}

/** Standard normal, by Box and Muller. */
const gaussian = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())

/** Of a normal distribution, the share below z: Abramowitz and Stegun 26.2.17, good to 1e-7. */
function normal(z: number): number {
  if (z < 0) return 1 - normal(-z)
  if (z > 8) return 1
  const t = 1 / (1 + 0.2316419 * z)
  const tail = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  return 1 - (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * tail
}
