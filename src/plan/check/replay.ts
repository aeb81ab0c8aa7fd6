import type { CheckedFleet, CheckedReplay, Plan, TailCheck, TraceRow } from '../../core/index.ts'
import { createSource } from '../../sim/index.ts'
import type { SimulatedUnit } from '../candidate.ts'
import { dealt } from './dealt.ts'
import { partOf } from './fleet-of-units.ts'
import { judgedRun } from './judged-run.ts'
import { figuresOf, LEAST_JUDGED, type Look, requestsOf, SLICE, type Subject, WARM } from './look.ts'
import { busiestStretch, type Stretch } from './stretch.ts'

/** A trace that is played as it was recorded: its own instants and lengths. */
export interface Replay {
  /** The same fleet is looked at once. */
  look(unit: SimulatedUnit, units: number): Look
  /** As an answer has it. */
  told(fleet: CheckedFleet): CheckedReplay
}

/**
 * Plays a trace, all of it or its busiest stretch, as long as a look may be. What comes by chance at a rate has no bursts of one cause, and no hour in
 * which all prompts are long; a trace has those that it has. Of a large fleet a slice is simulated, and its share of the rows is dealt out. How much
 * of the trace that is follows from the fleet given; then others see the same. Undefined where nothing was recorded.
 */
export function replayOf(
  plan: Plan,
  { limits, trace }: Subject,
  { unit, units }: { readonly unit: SimulatedUnit; readonly units: number },
): Replay | undefined {
  if (trace === undefined) return undefined
  const { inputTokens: prompt = 1, inFlight = 1, day, arrivalsPerSecond = 0 } = plan
  const most = Math.max(1, day?.mostInFlight ?? inFlight)
  const slice = Math.min(1, SLICE / most)
  // Beginnings that prompts share are no matter here: no engine of a check has a cache of them.
  const rows = trace.rows.map(({ atS, inputTokens = prompt, outputTokens = 1 }) => ({ atS, inputTokens, outputTokens }))
  const { warm, from, to } = stretchOf(plan, rows, most, partOf(unit, units, slice).part)
  // The load goes on until the last that is judged has ended.
  const pieces = [rows.slice(warm, from), rows.slice(from, to), rows.slice(to, to + to - from)]
  const [fromS, toS] = [rows[from]?.atS ?? 0, rows[to - 1]?.atS ?? 0]

  const play = (unit: SimulatedUnit, units: number): Look => {
    const { fleet, part, engines, ofEngines } = partOf(unit, units, slice)
    const [before = [], judged = [], after = []] = pieces.map((piece, i) => dealt(piece, part, `check/trace/${i}`))
    const played = { rows: [...before, ...judged, ...after], notes: [] }
    const source = createSource({ arrivals: { kind: 'trace', trace: played } })
    // However many wait: a trace ends.
    const size = { warm: before.length, judged: judged.length, most: Number.POSITIVE_INFINITY }
    return {
      units,
      ...figuresOf([judgedRun(fleet, source, limits, size)], part),
      arrivalsPerSecond: toS > fromS ? (to - from - 1) / (toS - fromS) : arrivalsPerSecond,
      ...(part < 1 && { slice: { engines, of: Math.round(ofEngines) } }),
    }
  }
  const seen = new Map<string, Look>()
  return {
    look: (unit, units) => {
      const key = `${units} ${unit.pools.map(({ replicas }) => replicas).join(' ')}`
      const one = seen.get(key) ?? play(unit, units)
      seen.set(key, one)
      return one
    },
    told: (fleet) => ({ ...fleet, rows: to - from, of: rows.length, fromS, toS }),
  }
}

/** As much as one look may play, where of what comes such a part is simulated; `most` are in flight, of all of it. */
function stretchOf(plan: Plan, rows: readonly TraceRow[], most: number, part: number): Stretch {
  const { total } = requestsOf(part * most, 1)
  const judged = Math.max(LEAST_JUDGED, total - (WARM + 1) * part * most)
  return busiestStretch(rows, {
    count: part * rows.length <= total ? rows.length : Math.floor(judged / part),
    warmS: WARM * (plan.timeInSystemS ?? 0),
    stayS: stayOf(plan),
  })
}

/** By the arithmetic, at the chosen load. */
function stayOf({ choice, perReplica, timeInSystemS = 0, outputTokens }: Plan): (row: TraceRow) => number {
  const waitS = (choice.ttftMs ?? perReplica.ttftMs ?? 0) / 1000
  const eachS = Math.max(0, timeInSystemS - waitS) / outputTokens
  return ({ outputTokens: tokens = 0 }) => waitS + tokens * eachS
}

/** Looks at fleets under what comes by chance and, where there is one, under a trace too: the harder counts. */
export interface Hardest<Size> {
  look(size: Size): Look
  /** Which of the two wants as many as were found: it missed the share in the last fleet that did. Where none did, the harder in that. */
  judgedBy(found: Size): NonNullable<TailCheck['judgedBy']>
}

/** Where a fleet misses the share by chance, nothing else need be looked at. */
export function hardestOf<Size>(
  share: number,
  chance: (size: Size) => Look,
  trace: ((size: Size) => Look) | undefined,
): Hardest<Size> {
  let missedBy: NonNullable<TailCheck['judgedBy']> | undefined
  return {
    look: (size) => {
      const one = chance(size)
      if (one.share < share) missedBy = 'chance'
      if (trace === undefined || one.share < share) return one
      const played = trace(size)
      if (played.share < share) missedBy = 'trace'
      return { ...(played.share < one.share ? played : one), sent: one.sent + played.sent }
    },
    judgedBy: (found) =>
      missedBy ?? (trace !== undefined && trace(found).share < chance(found).share ? 'trace' : 'chance'),
  }
}
