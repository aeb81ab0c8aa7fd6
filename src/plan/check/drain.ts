import type { DrainCheck, Plan } from '../../core/index.ts'
import { createSource, type Observer, runFleet, type Source } from '../../sim/index.ts'
import { fleetOf } from './fleet-of-units.ts'
import type { Subject } from './look.ts'
import { drainSentences, type FoundInTime } from './words.ts'

/** A unit's part of a batch is simulated whole up to so many requests, or so many times those in flight; at the most the last. */
const LEAST = 2000
const TURNS = 6
const MOST = 16_000
/** Larger fleets that are tried where the plan's is late. */
const LOOKS = 8

/**
 * How long one unit takes for its part of a batch, with as many in flight as the plan has: always so many, till none is left. Of a long
 * part the beginning and the end are simulated, and the middle goes on as they do.
 */
export function drainCheck(plan: Plan, subject: Subject, units: number): DrainCheck | undefined {
  const { requests, completionS: plannedS, deadlineS, perReplica, replicas } = plan
  if (requests === undefined || plannedS === undefined) return undefined
  const places = (perReplica.inFlight * replicas) / units
  const drained = (count: number): Drained => drain(subject, Math.ceil(requests / count), places)
  const { completionS, part, played } = drained(units)
  const isSlice = units > 1 || played < part
  const isInTime = (seconds: number): boolean => deadlineS === undefined || seconds <= deadlineS * (1 + 1e-9)
  const found = isInTime(completionS)
    ? undefined
    : fewestInTime((count) => isInTime(drained(count).completionS), units, Math.ceil(requests))
  const check = {
    kind: 'drain',
    completionS,
    plannedS,
    ...(deadlineS !== undefined && { inTime: isInTime(completionS) }),
    ...(found !== undefined && { replicasInTime: found.count }),
    requests: played,
    ...(isSlice && { slice: { replicas: 1, requests: played } }),
  } as const
  return { ...check, sentences: drainSentences(check, plan, { part, found }) }
}

interface Drained {
  readonly completionS: number
  readonly part: number
  readonly played: number
}

function drain(subject: Subject, part: number, places: number): Drained {
  const inFlight = Math.max(1, Math.min(part, Math.round(places)))
  const played = Math.min(part, MOST, Math.max(LEAST, TURNS * inFlight))
  const endsS = endsOf(subject, inFlight, played)
  return { completionS: (endsS.at(-1) ?? 0) + (part - played) / rateOf(endsS, inFlight), part, played }
}

/** Doubles what is added until it is in time, then halves the rest while looks are left: the least that was tried, and whether one fewer is late. */
function fewestInTime(isInTime: (count: number) => boolean, late: number, most: number): FoundInTime | undefined {
  let [low, high] = [late, Math.min(most, late + Math.max(1, Math.round(late / 64)))]
  let looks = LOOKS
  for (; low < most; high = Math.min(most, high + 2 * (high - late))) {
    if (looks-- === 0) return undefined
    if (isInTime(high)) break
    low = high
  }
  if (low >= most) return undefined
  while (high - low > 1 && looks-- > 0) {
    const middle = Math.floor((low + high) / 2)
    if (isInTime(middle)) high = middle
    else low = middle
  }
  return { count: high, isFewest: high - low === 1 }
}

/** When each request ended, ascending. */
function endsOf({ unit, lengths }: Subject, inFlight: number, requests: number): readonly number[] {
  const ends: number[] = []
  const users = createSource({ arrivals: { kind: 'users', users: inFlight }, work: lengths, seed: 'check/drain' })
  runFleet(fleetOf(unit, 1), [{ name: 'batch', source: first(users, requests), priority: 0 }], endings(ends))
  return ends.sort((a, b) => a - b)
}

/** Requests a second from the first turn of all to the last whole one: before it they come up, and after it fewer and fewer are left. */
function rateOf(endsS: readonly number[], inFlight: number): number {
  const turns = Math.floor(endsS.length / inFlight)
  const [fromS, toS] = [endsS[inFlight - 1] ?? 0, endsS[turns * inFlight - 1] ?? 0]
  return turns > 1 && toS > fromS ? ((turns - 1) * inFlight) / (toS - fromS) : endsS.length / (endsS.at(-1) ?? 1)
}

/** So many requests of a source, and no more. */
function first(source: Source, requests: number): Source {
  let taken = 0
  return {
    get nextS() {
      return taken < requests ? source.nextS : Number.POSITIVE_INFINITY
    },
    take: () => {
      taken++
      return source.take()
    },
    ended: (arrival, endS) => source.ended(arrival, endS),
  }
}

function endings(ends: number[]): Observer {
  const nothing = (): void => undefined
  return {
    groups: 1,
    nextLookS: Number.POSITIVE_INFINITY,
    arrived: () => 0,
    ended: (_, { lastTokenS }) => ends.push(lastTokenS),
    refused: (_, nowS) => ends.push(nowS),
    isDone: () => false,
    segment: nothing,
    preempted: nothing,
    resumed: nothing,
    look: nothing,
  }
}
