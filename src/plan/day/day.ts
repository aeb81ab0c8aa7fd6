import { counted, type Day, type DayFleet, figure, percent, type ReplicaLoad } from '../../core/index.ts'
import { chancePeak, poissonPeak } from '../peak.ts'
import { lasting, rateOf, servers } from '../plan-words.ts'
import { money, wholeOf } from '../planned-server.ts'
import { flightOf } from './flight.ts'
import { isShortTrace } from './short-trace.ts'
import { type DaySource, demandOfDay } from './source.ts'

/** A replica at the load that it is planned with. */
export interface DayServer {
  readonly chosen: ReplicaLoad
  /** Of one replica. */
  readonly gpus?: number
  readonly gpuHour?: number
}

export interface DayOptions {
  /** In the mean: of a curve all answers are so long, while the rows of a trace have their own. */
  readonly outputTokens: number
  /** From the order of a replica until it answers: to find a machine and to load the weights; 5 min. */
  readonly startupS?: number
}

const STARTUP_S = 300

/**
 * What a day asks of replicas that run at this load: as many in flight as come within a stay, and for those a fleet that stays and one that
 * follows. One that has to start in time is as large as the most that is needed until what is ordered now has started:
 *
 *     replicas │  ┌───────┐╌╌╌╌╌ fixed
 *              │ ┌┤╱‾‾‾‾‾╲└┐
 *              │┌┤╱       ╲└─── following
 *              │┴╱startup  ╲___
 *              └─────────────── needed
 *
 * Throws INVALID_VALUE and INVALID_WORK for a day that cannot be.
 */
export function dayOf(source: DaySource, server: DayServer, { outputTokens, startupS = STARTUP_S }: DayOptions): Day {
  const { arrivalsPerSecond } = demandOfDay(source)
  const { inFlight: perReplica, tokensPerSecondPerUser: pace, ttftMs = 0, timeInSystemS } = server.chosen
  const flight = flightOf(source, (tokens) => ttftMs / 1000 + tokens / pace, outputTokens)
  const { lengthS, requests, mostInFlight, pieces } = flight
  const inFlight = arrivalsPerSecond * timeInSystemS
  const isShort = isShortTrace({ by: source.kind, lengthS, arrivalsPerSecond, inFlight, mostInFlight })
  const peakInFlight = isShort ? poissonPeak(inFlight) : Math.max(inFlight, flight.peakInFlight)
  const needed = pieces.map((piece) => wholeOf((isShort ? peakInFlight : piece.peakInFlight) / perReplica))
  return withFleets(
    {
      by: source.kind,
      lengthS,
      requests,
      arrivalsPerSecond,
      mostArrivalsPerSecond:
        source.kind === 'curve'
          ? Math.max(...source.points.map(({ rate }) => rate))
          : Math.max(...pieces.map((piece) => piece.arrivalsPerSecond)),
      inFlight,
      mostInFlight,
      peakInFlight,
      instants: pieces,
    },
    needed,
    wholeOf(peakInFlight / perReplica),
    { ...server, startupS },
  )
}

/**
 * The same day on more replicas than those of its peak, such as hold a share of requests too: at every instant as large a part of them as chance
 * brings of those in flight at the top. Of split pools a
 * replica is an instance that answers, with its share of those that read: `each` says the GPUs of both.
 */
export function raisedDay(day: Day, replicas: number, each: Pick<DayServer, 'gpus' | 'gpuHour'> = eachOf(day)): Day {
  const { fixed, following, instants } = day
  const atPeak = Math.max(replicas, fixed.replicas)
  const mostOf = (inFlight: number): number => (inFlight > 0 ? chancePeak(inFlight) : 0)
  const top = Math.max(...instants.map(({ inFlight }) => mostOf(inFlight)))
  const needed = instants.map(({ inFlight, neededReplicas }) =>
    atPeak === fixed.replicas
      ? neededReplicas
      : Math.max(neededReplicas, wholeOf(top > 0 ? (atPeak * mostOf(inFlight)) / top : atPeak)),
  )
  return withFleets(day, needed, atPeak, { ...each, startupS: following.startupS })
}

/** What a replica was taken to be. */
function eachOf({ fixed: { replicaHours, gpuHours, cost } }: Day): Pick<DayServer, 'gpus' | 'gpuHour'> {
  if (gpuHours === undefined) return {}
  return { gpus: gpuHours / replicaHours, ...(cost !== undefined && { gpuHour: cost / gpuHours }) }
}

interface Asked extends Omit<Day, 'instants' | 'fixed' | 'following' | 'savedShare' | 'sentence'> {
  readonly instants: readonly Pick<Day['instants'][number], 'atS' | 'arrivalsPerSecond' | 'inFlight'>[]
}

type Fleets = Pick<DayServer, 'gpus' | 'gpuHour'> & { readonly startupS: number }

/** Both fleets, where so many replicas are needed in each piece of the day and for its peak. */
function withFleets(asked: Asked, needed: readonly number[], atPeak: number, fleets: Fleets): Day {
  const { lengthS, by } = asked
  const { startupS } = fleets
  const pieceS = lengthS / needed.length
  const there = mostWithin(needed, Math.ceil(startupS / pieceS), by === 'curve')
  const fixed = fleetOf([atPeak], lengthS, fleets)
  const following = { ...fleetOf(there, pieceS, fleets), startupS }
  const day = {
    ...asked,
    instants: asked.instants.map(({ atS, arrivalsPerSecond, inFlight }, i) => ({
      atS,
      arrivalsPerSecond,
      inFlight,
      neededReplicas: needed[i] ?? 1,
      replicas: there[i] ?? 1,
    })),
    fixed,
    following,
    savedShare: 1 - following.replicaHours / fixed.replicaHours,
  }
  return { ...day, sentence: sentenceOf(day) }
}

/** The most from each piece to so many after it; of a curve those of the next day. */
function mostWithin(needed: readonly number[], ahead: number, comesAgain: boolean): readonly number[] {
  const count = needed.length
  const steps = Math.min(ahead, count - 1)
  return needed.map((_, i) => {
    let most = 0
    for (let at = i; at <= i + steps && (comesAgain || at < count); at++) most = Math.max(most, needed[at % count] ?? 0)
    return most
  })
}

/** Replicas of each piece, all of which last so long. */
function fleetOf(replicas: readonly number[], pieceS: number, { gpus, gpuHour }: Fleets): DayFleet {
  const replicaHours = (replicas.reduce((sum, count) => sum + count, 0) * pieceS) / 3600
  const gpuHours = gpus === undefined ? undefined : replicaHours * gpus
  return {
    replicas: Math.max(...replicas),
    replicaHours,
    ...(gpuHours !== undefined && { gpuHours }),
    ...(gpuHours !== undefined && gpuHour !== undefined && { cost: gpuHours * gpuHour }),
  }
}

function sentenceOf(day: Omit<Day, 'sentence'>): string {
  const { by, lengthS, requests, arrivalsPerSecond, mostArrivalsPerSecond, fixed, following, savedShare } = day
  const least = Math.min(...day.instants.map(({ replicas }) => replicas))
  const [most, of] =
    by === 'curve'
      ? ['at the top', `and for 99 % of the time at the top, where ${figure(day.mostInFlight)} are the mean,`]
      : [
          `in its busiest ${lasting(lengthS / day.instants.length)}`,
          `at the most ${figure(day.mostInFlight)}, and for 99 % of the time`,
        ]
  return [
    `The ${by} brings ${figure(requests)} requests in ${lasting(lengthS)}: ${rateOf(arrivalsPerSecond)} in the mean, ${rateOf(mostArrivalsPerSecond)} ${most}.`,
    isShortTrace(day)
      ? `That is too short to say how many are in flight: a request stays ${lasting(day.inFlight / arrivalsPerSecond)}, and the first have hardly ended when the last comes. So figures are of its rate, as if it went on: ${figure(day.inFlight)} in flight in the mean, and by chance for 99 % of the time no more than ${figure(day.peakInFlight)}.`
      : `In flight are ${figure(day.inFlight)} in the mean, ${of} no more than ${figure(day.peakInFlight)}.`,
    `A fleet for that is ${servers(fixed.replicas)} all the time, ${hoursOf(fixed)}.`,
    least === fixed.replicas
      ? `One that follows the day needs as many at every hour.`
      : `One that follows the day, where a replica takes ${lasting(following.startupS)} to start, has ${figure(least)} to ${figure(following.replicas)}: ${hoursOf(following)}, ${percent(savedShare)} less.`,
  ].join(' ')
}

function hoursOf({ replicaHours, gpuHours, cost }: DayFleet): string {
  const hours = gpuHours === undefined ? counted(replicaHours, 'replica-hour') : counted(gpuHours, 'GPU-hour')
  return cost === undefined ? hours : `${hours} or ${money(cost)}`
}
