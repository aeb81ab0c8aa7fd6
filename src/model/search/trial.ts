import type { Binding, Hardware, Interval, Point } from '../../core/index.ts'
import { type LoadPoint, pointsOfRun } from '../points.ts'

/** What a search is to hold: a pace, a wait for the first token, and the share of requests that must get both. */
export interface Objective {
  /** tok/s/user */
  readonly floor?: number
  readonly ttftMs?: number
  /** Of the requests begun inside the window, failures as misses; absent: the typical request (mean pace, median wait). */
  readonly share?: number
}

/** What one load says to a search; loads that were measured twice are one trial. */
export interface Trial {
  readonly load: number
  readonly times: number
  /** `void`: the speed seen is not the server's own, so it says nothing either way. */
  readonly verdict: 'holds' | 'misses' | 'void'
  /** Of one that misses, what it misses most. */
  readonly missed?: Extract<Binding, 'floor' | 'ttft' | 'failures'>
  /** Of a void one: a stable word. */
  readonly fault?: string
  /** What the share of requests got at least, or the typical one; absent where nothing came. */
  readonly pace?: number
  readonly ttftMs?: number
  /** With a share: which share of the requests met the whole objective. */
  readonly attainment?: number
  /** In which that pace would lie 19 times in 20, where the point's own scatter tells. */
  readonly interval?: Interval
  readonly outputTokensPerSecond: number
  readonly steady: boolean
}

/** More than this share of failures is a miss where no share is asked for: the survivors had the server to themselves. */
const FAILURES = 0.1
/** What meets a limit exactly meets it, whatever the last bit of a division says. */
const ROUNDING = 1e-9

/** The trials of a run's points, ascending by load. */
export function trialsOf(points: readonly Point[], hardware: Hardware, objective: Objective): readonly Trial[] {
  const loads = [...new Set(points.map(({ load }) => load.value))].sort((a, b) => a - b)
  return loads.map((load) =>
    trialOf(
      points.filter((point) => point.load.value === load),
      hardware,
      objective,
    ),
  )
}

function trialOf(points: readonly Point[], hardware: Hardware, objective: Objective): Trial {
  const seen = points.map((point) => ({ point, at: pointsOfRun([point], hardware, objective.share)[0] }))
  const valid = seen.filter(({ point, at }) => voidness(point, at, objective) === undefined)
  const used = valid.length > 0 ? valid : seen
  const shown = {
    load: points[0]?.load.value ?? 0,
    times: points.length,
    ...given('pace', average(used.map(({ at }) => at && 1 / at.stepS))),
    ...given('ttftMs', average(used.map(({ at }) => at?.ttftMs))),
    ...given(
      'attainment',
      attainmentOf(
        used.map(({ point }) => point),
        objective,
      ),
    ),
    ...given('interval', used.length === 1 ? used.map(({ point }) => intervalOf(point, objective))[0] : undefined),
    outputTokensPerSecond: average(used.map(({ point }) => point.outputTokensPerSecond)) ?? 0,
    steady: used.every(({ point }) => point.window.steady),
  }
  const [first] = seen
  if (valid.length === 0) {
    const fault = first && voidness(first.point, first.at, objective)
    return { ...shown, verdict: 'void', ...given('fault', fault) }
  }
  const missed = missedBy(
    valid.map(({ point }) => point),
    shown,
    objective,
  )
  return missed === undefined ? { ...shown, verdict: 'holds' } : { ...shown, verdict: 'misses', missed }
}

/** A slow client must count neither for nor against a server; nor must a point that was cut short, or one whose answers have no pace. */
function voidness({ generator, requests }: Point, at: LoadPoint | undefined, objective: Objective): string | undefined {
  if (generator.saturated === true) return 'generatorSaturated'
  if (at?.fault === 'cutShort') return at.fault
  const silent = at === undefined && requests.ok > 0
  return silent && objective.share === undefined && objective.floor !== undefined ? 'noPace' : undefined
}

function attainmentOf(points: readonly Point[], { share }: Objective): number | undefined {
  return share === undefined ? undefined : (average(points.map(({ goodput }) => goodput?.attainment ?? 0)) ?? 0)
}

function missedBy(
  points: readonly Point[],
  { pace, ttftMs, attainment = 0 }: Pick<Trial, 'pace' | 'ttftMs' | 'attainment'>,
  { floor, ttftMs: limit, share }: Objective,
): Trial['missed'] | undefined {
  const failed = average(
    points.map(({ requests }) => (requests.failed + requests.dropped) / Math.max(1, requests.sent)),
  )
  // Each as a factor by which it is met; below 1 it is missed.
  const ofFloor = floor === undefined ? Number.POSITIVE_INFINITY : (pace ?? 0) / floor
  const ofLimit = limit === undefined ? Number.POSITIVE_INFINITY : limit / (ttftMs ?? Number.POSITIVE_INFINITY)
  const least = Math.min(ofFloor, ofLimit)
  const enough = share === undefined ? least >= 1 - ROUNDING : attainment >= share - ROUNDING
  const allowed = share === undefined ? FAILURES : 1 - share
  const many = (failed ?? 0) > allowed + ROUNDING
  if (enough && !many) return undefined
  if (many) return 'failures'
  return ofFloor <= ofLimit ? 'floor' : 'ttft'
}

/** Of the pace that the objective is judged by, as far as a point holds one. */
function intervalOf({ intervals }: Point, { share }: Objective): Interval | undefined {
  const { p10, p50 } = intervals?.perUser?.tokensPerSecond ?? {}
  if (share === undefined) return intervals?.littlesLaw?.decodeTokensPerSecondPerUser
  return share <= 0.5 ? p50 : share <= 0.9 ? p10 : undefined
}

function average(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined)
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length
}

const given = <K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } =>
  (value === undefined ? {} : { [key]: value }) as { [P in K]?: V }
