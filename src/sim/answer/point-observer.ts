import {
  createGrowth,
  type Growth,
  type Hardware,
  type Load,
  type Objectives,
  type Point,
  type RequestRecord,
} from '../../core/index.ts'
import { NEVER } from '../engine/seat.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { createLaneFigures, type LaneFigures, type LaneGoal } from './lane-figures.ts'
import { createLevelMeters } from './level-meters.ts'
import type { FleetState, Observer } from './observer.ts'
import { createPoolMeters } from './pool-meters.ts'
import { createAnswers, recordOf, refusalOf, unansweredOf } from './record-of.ts'
import { createSeries } from './series.ts'
import { createTraceGrowth } from './trace-growth.ts'
import { type Turned, WindowEdges } from './window-edges.ts'

export interface PointObserverOptions {
  readonly fleet: Fleet
  readonly lanes: readonly (LaneGoal & Turned)[]
  readonly load: Load
  readonly requests: number
  /** Somebody asked for just so many requests. */
  readonly isAsked?: boolean
  readonly durationS?: number
  readonly objectives?: Objectives
  readonly hardware: Hardware
  /** Tokens of an event; 1: each token is sent when it is there. */
  readonly streamInterval: number
  /** Told of every request that was sent before the window's end, in order of ends, with all its gaps. */
  readonly onRecord?: (record: RequestRecord) => void
  /** The index that records bear. */
  readonly point: number
}

/** Makes the figures of a run of one load: nothing is kept of a request but what they need. */
export interface PointObserver extends Observer {
  /** When the run is over; undefined where the window never opened. */
  result(): Point | undefined
  /** The first lane none of whose requests an engine could hold, and why. */
  unheld(): { readonly lane: number; readonly why: string } | undefined
}

/** Instants that the stretch before the window is worth: the window is some ten times as long. */
const FIRST_INSTANTS = 20
/** Where nothing says how long a run will be, the first instants are so far apart. */
const FIRST_APART_S = 1 / 64

export function createPointObserver(options: PointObserverOptions): PointObserver {
  const { fleet, lanes, load, requests, durationS, streamInterval, onRecord, point } = options
  const edges = new WindowEdges({
    lanes,
    requests,
    isWhole: load.kind === 'trace',
    queued: (state) => queuedIn(fleet, state),
    ...(durationS !== undefined && { durationS }),
  })
  const pools = createPoolMeters(fleet, edges)
  const levels = createLevelMeters(fleet, edges)
  const series = createSeries(fleet.pools.length, fleet.link !== undefined)
  const refused = { requests: 0, first: '' }
  /** Of each lane: requests that an engine took in, and why the first was refused. */
  const fates = lanes.map(() => ({ held: 0, why: '' }))
  let endedInside = 0
  let figures: LaneFigures | undefined
  let growth: Growth | undefined
  const traceGrowth = load.kind === 'trace' ? createTraceGrowth() : undefined
  let [inFlight, inFlightInside] = [0, 0]
  const answerOf = createAnswers(point)
  let cachedTokens = 0
  /** When the last one ended: of an object, since a variable that holds a fraction is a new object whenever it changes. */
  const last = { endS: NEVER }
  let isClosed = false

  const open = (startS: number): void => {
    figures = createLaneFigures({ ...options, startS })
    if (load.kind === 'rate') growth = createGrowth(startS, inFlight)
    const apartS = durationS === undefined ? startS / FIRST_INSTANTS : durationS / 2 / FIRST_INSTANTS
    series.begin(startS, apartS > 0 ? apartS : FIRST_APART_S)
  }
  const close = (endS: number): void => {
    isClosed = true
    figures?.close(endS)
    series.end(endS)
  }
  if (edges.startS !== undefined) open(edges.startS)
  /** One more in flight, or one less. */
  const count = (change: number, nowS: number): void => {
    inFlight += change
    if (nowS >= edges.endS) return
    inFlightInside = inFlight
    growth?.now(inFlight, nowS)
  }
  const isInside = (atS: number): boolean => edges.startS !== undefined && atS >= edges.startS && atS < edges.endS
  const hold = (lane: number): void => {
    const fate = fates[lane]
    if (fate !== undefined) fate.held += 1
  }
  /** A window too short to show it, and so many more while the last are waited for. */
  const growsOn = (): boolean => edges.isCut && inFlight > 2 * inFlightInside
  const closeIfKnown = (): void => {
    if (!isClosed && edges.endS !== Number.POSITIVE_INFINITY) close(edges.endS)
  }
  closeIfKnown()

  // No getter: of an object literal with one each has a shape of its own, which no engine compiles well for.
  const observer: { nextLookS: number } & PointObserver = {
    groups: lanes.length + 1,
    nextLookS: series.nextS,
    levels,
    look: (nowS, state) => {
      series.look(state, nowS)
      observer.nextLookS = series.nextS
    },
    arrived: (lane, nowS, state) => {
      count(1, nowS)
      const opens = edges.arrived(lane, nowS, state)
      if (opens) open(edges.startS ?? nowS)
      closeIfKnown()
      observer.nextLookS = series.nextS
      traceGrowth?.arrived(nowS, inFlight, queuedIn(fleet, state))
      // Where events are not tokens, gaps are read from whole answers.
      return isInside(nowS) && streamInterval === 1 ? lane + 1 : 0
    },
    ended: (journey, done) => {
      count(-1, done.lastTokenS)
      edges.hasEnded(journey.lane, journey.id, journey.arrival.user)
      hold(journey.lane)
      if (isInside(done.lastTokenS)) endedInside += 1
      if (journey.arrival.atS >= edges.endS) return
      const answer = answerOf(journey, done)
      last.endS = answer.endS
      const areEvents = streamInterval > 1
      const record = areEvents || onRecord !== undefined ? recordOf(journey, done, answer, streamInterval) : answer
      onRecord?.(record)
      if (figures === undefined) return
      const inside = areEvents ? figures.addWhole(journey.lane, record) : figures.add(journey.lane, answer, done.times)
      pools.answered(journey.pool, inside)
      if (answer.endS < edges.endS) cachedTokens += done.cachedTokens
    },
    refused: (journey, nowS, why) => {
      count(-1, nowS)
      edges.hasEnded(journey.lane, journey.id, journey.arrival.user)
      const fate = fates[journey.lane]
      if (fate !== undefined && fate.why === '') fate.why = why
      if (journey.arrival.atS >= edges.endS) return
      if (refused.first === '') refused.first = why
      if (isInside(journey.arrival.atS)) refused.requests += 1
      const record = refusalOf(journey, point, why)
      last.endS = Math.max(last.endS, record.endS)
      onRecord?.(record)
      figures?.add(journey.lane, record, undefined)
    },
    unanswered: (journey, nowS, left) => {
      hold(journey.lane)
      if (journey.arrival.atS >= edges.endS) return
      const record = unansweredOf(journey, nowS, left, point, streamInterval)
      last.endS = record.endS
      onRecord?.(record)
      if (figures === undefined) return
      const { lane, pool } = journey
      pools.answered(pool, streamInterval > 1 ? figures.addWhole(lane, record) : figures.add(lane, record, left?.times))
    },
    segment: (engine, segment) => {
      if (figures === undefined) return
      pools.segment(engine.index, segment)
      figures.segment(segment)
    },
    preempted: (engine, _, nowS) => {
      if (isInside(nowS)) pools.preempted(engine.index)
    },
    resumed: (_, sequence, gapS) => figures?.addGap(sequence.group, gapS),
    isDone: (nowS) => edges.isOver(nowS),
    unheld: () => {
      const lane = fates.findIndex(({ held, why }) => held === 0 && why !== '')
      return lane < 0 ? undefined : { lane, why: fates[lane]?.why ?? '' }
    },
    result: () => {
      const { startS } = edges
      if (figures === undefined || startS === undefined) return undefined
      // Of a load that is not held, or came to its end.
      const endS = isClosed ? edges.endS : (Math.round(Math.max(last.endS, startS) * 1e6) + 1) / 1e6
      if (!isClosed) close(endS)
      levels.close(endS)
      const link = levels.ofLink()
      const reasons = [
        ...(edges.isUnclear ? ['warmUpUnclear'] : []),
        ...((growth !== undefined && (growth.grows() || growsOn())) || traceGrowth?.grows() === true
          ? ['overloaded']
          : []),
        ...(edges.isCut ? ['unanswered'] : []),
        ...(edges.isCut && endedInside === 0 ? ['windowTooShort'] : []),
      ]
      const header = { load, window: { startS, endS, steady: reasons.length === 0, reasons } }
      const ofLanes = figures.lanes(header)
      return figures.result({
        ...header,
        simulation: {
          ...(ofLanes !== undefined && { lanes: ofLanes }),
          pools: pools.result(endS - startS, levels),
          ...(link !== undefined && { link }),
          series: series.instants(),
          preemptions: pools.preemptions(),
          recomputedTokens: pools.recomputedTokens(),
          cachedTokens,
          ...(refused.requests > 0 && { refused }),
          ...(options.isAsked === true &&
            durationS === undefined &&
            load.kind !== 'trace' &&
            edges.sent > requests && { prolonged: { asked: requests, sent: edges.sent } }),
        },
      })
    },
  }
  return observer
}

/** Who waits somewhere: for an engine, or between pools. */
function queuedIn({ pools }: Fleet, state: FleetState): number {
  return pools.reduce((sum, _, pool) => sum + state.waiting(pool), state.inTransfer)
}
