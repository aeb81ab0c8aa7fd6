import { figure, type Hardware, type Load, type Point, type PointsRow, TwospeedError } from '../core/index.ts'
import type { Deployment } from './fit/deployment.ts'
import type { PerSequence } from './law.ts'

/** What one load was seen to give: the evidence that laws are fitted to and choices made from. Repeats of a load are one point. */
export interface LoadPoint extends PerSequence {
  /** Indices of the rows or of the run's points that it stands for. */
  readonly members: readonly number[]
  /** Requests in flight: those asked for in a closed loop, the mean of those seen in an open one or where users pause. */
  readonly load: number
  /** B: how many sequences one replica decodes at once. Not the load: waiting and prefill take their share, and servers cap it. */
  readonly batch: number
  /** T = 1 / (tok/s/user). */
  readonly stepS: number
  /** The least and the greatest step time of repeats that differ by more than repeats do. */
  readonly repeatsS?: readonly [least: number, most: number]
  /** Of the whole server. */
  readonly outputTokensPerSecond: number
  readonly ttftMs?: number
  /** With a share: which share of its requests met every objective of the run. */
  readonly attainment?: number
  /** Its speed, or what was in flight, was changing, or was looked at for too short a time. */
  readonly unsteady?: true
  /** Why its speed is not the server's own; a stable word. Such a point is shown, but nothing is concluded from it. */
  readonly fault?: string
}

/**
 * Rows of a points file, ascending by load. Where the pace is not given but the wait is, and how many tokens an answer has, they tell it;
 * else everyone in flight decodes: B is the concurrency.
 *
 * Throws INVALID_POINTS where a wait is as long as the whole request.
 */
export function pointsOfRows(rows: readonly PointsRow[], outputTokens?: number): readonly LoadPoint[] {
  return merge(
    rows.map((row, index) => {
      const pace =
        row.tokensPerSecondPerUser ?? paceByWait(row, outputTokens) ?? row.outputTokensPerSecond / row.concurrency
      return {
        members: [index],
        load: row.concurrency,
        batch: row.outputTokensPerSecond / pace,
        stepS: 1 / pace,
        outputTokensPerSecond: row.outputTokensPerSecond,
        ...(row.ttftMs !== undefined && { ttftMs: row.ttftMs }),
        ...(row.fault !== undefined && { fault: row.fault }),
      }
    }),
  )
}

/** A request of N tokens takes N·C/X, by Little's law; what of it is no wait gives the N − 1 after the first. */
function paceByWait(
  { concurrency, outputTokensPerSecond, ttftMs }: PointsRow,
  outputTokens: number | undefined,
): number | undefined {
  if (ttftMs === undefined || outputTokens === undefined || outputTokens < 2) return undefined
  const requestS = (outputTokens * concurrency) / outputTokensPerSecond
  const decodeS = requestS - ttftMs / 1000
  if (decodeS > 0) return (outputTokens - 1) / decodeS
  throw new TwospeedError(
    'INVALID_POINTS',
    `at ${figure(concurrency)} in flight ${figure(outputTokens)} tokens take ${figure(1000 * requestS)} ms in all, and the first of them ${figure(ttftMs)} ms`,
    'Check the output length, and that the throughput is of output tokens and of the whole server.',
  )
}

/**
 * The points of a run, ascending by load. Pace and TTFT are the token-weighted mean and the median; with `share` they are what this
 * share of the requests got at least, failures counted as misses. A point without a pace gives none.
 */
export function pointsOfRun(points: readonly Point[], hardware: Hardware, share?: number): readonly LoadPoint[] {
  const lengths = lengthsOf(points)
  return merge(
    points.flatMap((point, index) => {
      const { pace, ttftMs } = share === undefined ? typical(point) : atShare(point, share)
      const batch = point.littlesLaw.decodeInFlight / (hardware.replicas ?? 1)
      if (pace === undefined || !(pace > 0) || !(batch > 0)) return []
      const others = othersShareOf(point.load, hardware.replicas)
      const fault = faultOf(point)
      return [
        {
          members: [index],
          load: isHeld(point.load) ? point.load.value : point.littlesLaw.inFlight,
          batch,
          stepS: 1 / pace,
          outputTokensPerSecond: point.outputTokensPerSecond,
          ...lengths,
          ...(lengths.promptTokens !== undefined && others !== undefined && { othersShare: others }),
          ...(ttftMs !== undefined && { ttftMs }),
          ...(share !== undefined && point.goodput !== undefined && { attainment: point.goodput.attainment }),
          ...(!point.window.steady && { unsteady: true as const }),
          ...(fault !== undefined && { fault }),
        },
      ]
    }),
  )
}

/**
 * What the sequences of a run hold and bring, all points together, for the lengths asked for are those of the whole run. A sequence that
 * decodes holds its prompt and, in the mean, half of its answer; each token of it comes with input ÷ (output − 1) tokens of prompts, for the
 * first one takes no step of decoding.
 */
function lengthsOf(points: readonly Point[]): PerSequence {
  const { left, input, output } = sumsOf(points)
  if (!(left > 0 && input > 0 && output > 0)) return {}
  return { contextTokens: (input + output / 2) / left, promptTokens: input / Math.max(1, output - left) }
}

/** Requests that left, whatever their outcome, and the tokens of all windows together. */
function sumsOf(points: readonly Point[]): { readonly left: number; readonly input: number; readonly output: number } {
  let [left, input, output] = [0, 0, 0]
  for (const { littlesLaw, window, tokens } of points) {
    left += littlesLaw.completionsPerSecond * (window.endS - window.startS)
    input += tokens.input
    output += tokens.output
  }
  return { left, input, output }
}

/**
 * Mean tokens of a request, as they were measured, of all points together. Undefined where prompts were not counted, or so much failed that
 * not every request left with a token.
 */
export function measuredLengths(points: readonly Point[]): Deployment['lengths'] {
  const { left, input, output } = sumsOf(points)
  return left > 0 && input > 0 && output >= left ? { input: input / left, output: output / left } : undefined
}

/** n users that are held have n − 1 others each; where requests come as they like, as many are met as come. */
function othersShareOf({ kind, value }: Load, replicas = 1): number | undefined {
  return kind === 'concurrency' ? Math.max(0, 1 - replicas / value) : undefined
}

/** Contexts, or prompts, that differ by less are of one length: the same lengths drawn twice. */
const ONE_LENGTH = 1.2

/** Points of several runs by the lengths of their requests; each group ascends by load, its repeats joined. */
export function groupsByLengths(points: readonly LoadPoint[]): readonly (readonly LoadPoint[])[] {
  const groups: LoadPoint[][] = []
  for (const point of points) {
    const group = groups.find(([first]) => first !== undefined && isOfOneLength(first, point))
    if (group === undefined) groups.push([point])
    else group.push(point)
  }
  return groups.map(merge)
}

function isOfOneLength(a: LoadPoint, b: LoadPoint): boolean {
  return isNear(a.contextTokens, b.contextTokens) && isNear(a.promptTokens, b.promptTokens)
}

function isNear(a: number | undefined, b: number | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return Math.max(a, b) < ONE_LENGTH * Math.min(a, b)
}

/** A closed loop without pauses has as many in flight as users. */
const isHeld = ({ kind, thinkS }: Load): boolean => kind === 'concurrency' && thinkS === undefined

interface Seen {
  readonly pace: number | undefined
  readonly ttftMs: number | undefined
}

function typical(point: Point): Seen {
  return { pace: point.littlesLaw.decodeTokensPerSecondPerUser, ttftMs: point.latency.ttftMs.p50 }
}

/**
 * If a fraction f failed, `share` of all requests is share/(1 − f) of those that gave figures. Between the percentiles that a run
 * holds, the next one on the slow side is taken.
 */
function atShare(point: Point, share: number): Seen {
  const { sent, failed, cancelled, dropped } = point.requests
  const due = sent - cancelled + dropped
  const needed = due > 0 ? (share * due) / Math.max(due - failed - dropped, Number.MIN_VALUE) : share
  const speed = point.perUser.tokensPerSecond
  const ttft = point.latency.ttftMs
  const enough = (covered: number): boolean => covered >= needed - 1e-9
  const speeds = [
    [0.1, speed.p90],
    [0.5, speed.p50],
    [0.9, speed.p10],
    [0.95, speed.p5],
    [0.99, speed.p1],
  ] as const
  const waits = [
    [0.5, ttft.p50],
    [0.9, ttft.p90],
    [0.95, ttft.p95],
    [0.99, ttft.p99],
    [1, ttft.max],
  ] as const
  return {
    pace: speeds.find(([covered]) => enough(covered))?.[1],
    ttftMs: waits.find(([covered]) => enough(covered))?.[1],
  }
}

/** Above this share of failures the survivors had the server to themselves more than the load says. */
const FAILURES = 0.1

/** What ends a point before its time. */
const HALTS: ReadonlySet<string> = new Set([
  'interrupted',
  'timeLimit',
  'recordsNotWritten',
  'clientFailed',
  'errorShare',
])

/** In flight and what left differ by more than this, of their rate times their stay: what was seen is how the load came up, or went. */
const IMBALANCE = 0.25

/**
 * Fewer answers than users left inside the window, so that not everyone has been through it; or, of users that are held, those who left
 * are no measure of those in flight. Where requests come at a rate more of them than leave is no fault of the measurement.
 */
function isHardlyMeasured({ load, window, littlesLaw }: Point): boolean {
  const { inFlight, completionsPerSecond, residual = 0 } = littlesLaw
  const left = completionsPerSecond * (window.endS - window.startS)
  return left < Math.round(inFlight) || (load.kind === 'concurrency' && Math.abs(residual) > IMBALANCE)
}

/** Of a simulated load, or of one lane of it: some who asked got no answer to the very end. */
const isUnanswered = ({ window, requests: { errors } }: Point): boolean =>
  window.reasons.includes('unanswered') && (errors.timeout ?? 0) > 0

function faultOf(point: Point): string | undefined {
  if (point.generator.saturated === true) return 'generatorSaturated'
  // Not even one round of its users: what it shows is how the load came up, or a moment.
  const halted = point.window.reasons.some((reason) => HALTS.has(reason))
  if (halted && point.requests.ok < point.littlesLaw.inFlight) return 'cutShort'
  if (isUnanswered(point)) return 'unanswered'
  if (isHardlyMeasured(point)) return 'hardlyMeasured'
  return point.requests.failed > FAILURES * point.requests.sent ? 'failures' : undefined
}

/**
 * A measurement repeats to about this. Of public loads 98 in 100 lie so nearly between those on both sides, whether or not a law fits them
 * (InferenceX, 908 loads).
 */
export const REPEATS = 1.02

/** Joins points of one load: plain means of what was measured, and the step time of the mean pace. A repeat that stands apart is a fault. */
function merge(points: readonly LoadPoint[]): readonly LoadPoint[] {
  const sorted = [...points].sort(
    (a, b) => a.load - b.load || Number(a.fault !== undefined) - Number(b.fault !== undefined),
  )
  const merged: LoadPoint[] = []
  for (let from = 0, to = 0; from < sorted.length; from = to) {
    const first = sorted[from]
    if (first === undefined) break
    // One at least, also where its load is no number and so not even equal to itself.
    to = from + 1
    while (sorted[to]?.load === first.load && sorted[to]?.fault === first.fault) to++
    if (to === from + 1) merged.push(first)
    else merged.push(...repeatsOf(sorted.slice(from, to)).flatMap(join))
  }
  return merged
}

/** Of repeats, the others agreeing so much better. */
const STRAY = 0.1
const APART = 3

/**
 * Of three repeats of a load or more, those that most others do not bear out stand apart: a tenth off their median, and three times as far
 * as any that is not. They are outliers, and the mean is of the rest.
 */
function repeatsOf(points: readonly LoadPoint[]): readonly (readonly LoadPoint[])[] {
  const median = points.map(({ stepS }) => stepS).sort((a, b) => a - b)[points.length >> 1] ?? 0
  const off = ({ stepS }: LoadPoint): number => Math.abs(Math.log(stepS / median))
  const near = points.filter((point) => off(point) <= STRAY)
  const widest = near.reduce((most, point) => Math.max(most, off(point)), 0)
  const isStray = (point: LoadPoint): boolean => off(point) > Math.max(STRAY, APART * widest)
  if (points.length < 3 || near.length * 2 <= points.length || points[0]?.fault !== undefined) return [points]
  return [
    points.filter((point) => !isStray(point)),
    points.filter(isStray).map((point) => ({ ...point, fault: 'outlier' })),
  ]
}

function join(all: readonly LoadPoint[]): readonly LoadPoint[] {
  const [first] = all
  if (first === undefined) return []
  const waits = all.flatMap((point) => point.ttftMs ?? [])
  const attained = all.flatMap((point) => point.attainment ?? [])
  const steps = all.map(({ stepS }) => stepS)
  const [least, most] = [Math.min(...steps), Math.max(...steps)]
  const joined: LoadPoint = {
    ...first,
    members: all.flatMap((point) => point.members),
    batch: average(all.map((point) => point.batch)),
    stepS: 1 / average(all.map((point) => 1 / point.stepS)),
    ...(most > REPEATS ** 2 * least && { repeatsS: [least, most] as const }),
    outputTokensPerSecond: average(all.map((point) => point.outputTokensPerSecond)),
    ...(waits.length > 0 && { ttftMs: average(waits) }),
    ...(attained.length > 0 && { attainment: average(attained) }),
    ...(all.some((point) => point.unsteady) && { unsteady: true }),
  }
  return [joined]
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
