import { type Load, TwospeedError } from '../../core/index.ts'
import type { MeasureOptions } from '../../load/index.ts'
import type { CurvePoint } from '../../sim/index.ts'
import type { Arrivals } from './plan.ts'

/** What says how requests come; of a lanes file each lane by itself. */
export interface LoadFlags {
  readonly concurrency?: readonly number[]
  /** Per second. */
  readonly rate?: readonly number[]
  readonly curve?: readonly CurvePoint[]
  readonly trace?: string
  readonly speedup?: number
  readonly arrivalProcess?: MeasureOptions['arrivalProcess']
  readonly burstiness?: number
  readonly ramp?: number
  readonly think?: MeasureOptions['think']
  readonly turns?: number
}

/** A load, and who brings it. */
export interface AskedLoad {
  readonly load: Load
  readonly arrivals: Arrivals
}

/** Refuses loads that cannot be, and what means nothing beside the one that is given. */
export async function checkLoads(flags: LoadFlags): Promise<void> {
  const { checkLoad } = await import('../../load/index.ts')
  const { rate, curve, trace, turns = 1, speedup, think } = flags
  const given = [
    flags.concurrency !== undefined && '--concurrency',
    rate !== undefined && '--rate',
    curve !== undefined && '--curve',
    trace !== undefined && '--trace',
  ].filter((flag) => flag !== false)
  if (curve !== undefined && given.length > 1) {
    throw new TwospeedError(
      'CONFLICTING_FLAGS',
      `${given.join(' and ')} each say what the load is.`,
      'Give one of them.',
    )
  }
  if (curve !== undefined && flags.ramp !== undefined) {
    throw new TwospeedError(
      'CONFLICTING_FLAGS',
      '--ramp and --curve both say how the rate changes.',
      'Give one of them.',
    )
  }
  if (speedup !== undefined && trace === undefined) {
    throw new TwospeedError('CONFLICTING_FLAGS', '--speedup plays a trace faster, and there is none.', 'Give --trace.')
  }
  // A curve is checked as its own mean rate. Users who say several things pause between them in an open loop too.
  const isOpenTalk = turns > 1 && (rate !== undefined || curve !== undefined)
  checkLoad({
    url: '',
    ...(flags.concurrency !== undefined && { concurrency: flags.concurrency }),
    ...((rate ?? curve) !== undefined && { rates: rate ?? [meanRate(curve ?? [])] }),
    ...(trace !== undefined && { trace: { path: trace, ...(speedup !== undefined && { speedup }) } }),
    ...(flags.arrivalProcess !== undefined && { arrivalProcess: flags.arrivalProcess }),
    ...(flags.burstiness !== undefined && { burstiness: flags.burstiness }),
    ...(flags.ramp !== undefined && { rampS: flags.ramp }),
    ...(think !== undefined && !isOpenTalk && { think }),
  })
}

/** The loads of users, rates or a curve, in the order they are asked for; of none of them none. */
export function loadsOf(flags: LoadFlags): readonly AskedLoad[] {
  const { concurrency, rate, curve } = flags
  if (concurrency !== undefined) return concurrency.map((users) => usersLoad(users, flags))
  if (rate !== undefined) return rate.map((perS) => rateLoad(perS, flags))
  if (curve === undefined) return []
  const arrivals = { kind: 'curve', points: curve, process: processOf(flags) } as const
  return [{ load: { kind: 'rate', value: meanRate(curve) }, arrivals }]
}

export function usersLoad(users: number, { think, ramp }: LoadFlags): AskedLoad {
  return {
    load: { kind: 'concurrency', value: users, ...(think !== undefined && { thinkS: think.meanS }) },
    arrivals: {
      kind: 'users',
      users,
      ...(ramp !== undefined && { spreadS: ramp }),
    },
  }
}

export function rateLoad(rate: number, flags: LoadFlags): AskedLoad {
  return {
    load: { kind: 'rate', value: rate },
    arrivals: {
      kind: 'rate',
      rate,
      process: processOf(flags),
      ...(flags.ramp !== undefined && { rampS: flags.ramp }),
    },
  }
}

/** Shape of gaps beside whose name none was given; --burstiness alone makes them gamma. */
export function processOf({
  arrivalProcess,
  burstiness,
}: LoadFlags): Extract<Arrivals, { readonly kind: 'rate' }>['process'] {
  if (burstiness !== undefined) return { kind: 'gamma', burstiness }
  return { kind: arrivalProcess === 'constant' ? 'constant' : 'poisson' }
}

/** Over the whole period. */
const meanRate = (points: readonly CurvePoint[]): number => areaUntil(points, dayOf(points)) / dayOf(points)

/** The mean rate of the part of the curve between two instants, the whole of it where that is what lies between. */
export function rateBetween(points: readonly CurvePoint[], startS: number, endS: number): number {
  const dayS = dayOf(points)
  const until = (atS: number): number => {
    const days = Math.floor(atS / dayS)
    return days * areaUntil(points, dayS) + areaUntil(points, atS - days * dayS)
  }
  return Number(((until(endS) - until(startS)) / (endS - startS)).toPrecision(9))
}

const dayOf = (points: readonly CurvePoint[]): number => points.at(-1)?.atS ?? 1

/** The area under the straight pieces up to an instant of the day: the requests that come until then in the mean. */
function areaUntil(points: readonly CurvePoint[], untilS: number): number {
  let area = 0
  for (const [i, to] of points.entries()) {
    const from = points[i - 1]
    if (from === undefined || from.atS >= untilS) continue
    const endS = Math.min(to.atS, untilS)
    const endRate = from.rate + ((to.rate - from.rate) * (endS - from.atS)) / (to.atS - from.atS)
    area += ((from.rate + endRate) / 2) * (endS - from.atS)
  }
  return area
}
