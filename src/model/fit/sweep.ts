import type { Fit } from '../../core/index.ts'
import type { LoadPoint } from '../points.ts'
import { offTheLine, outliersOf, pastTheHighest } from './aside.ts'
import { type ServerLimit, serverLimitOf } from './limit.ts'
import type { Experts } from './line.ts'
import { plateauOf } from './plateau.ts'

/** Points of requests of one length: those a law may use, ascending by load, and the others with a word why not. */
export interface Sweep {
  readonly kept: readonly LoadPoint[]
  /** All that the server itself gave within its limit, outliers apart. */
  readonly agreed: readonly LoadPoint[]
  readonly aside: NonNullable<Fit['setAside']>
  readonly limit?: ServerLimit
  /** The points past its highest output. */
  readonly falls: readonly LoadPoint[]
  /** The load of the highest, where those past it are set aside. */
  readonly highest?: number
}

export function sweepOf(points: readonly LoadPoint[], experts: Experts | undefined): Sweep {
  const sound = points.filter((point) => point.fault === undefined)
  const limit = serverLimitOf(sound) ?? plateauOf(sound, experts)
  // Points ascend by load, so those beyond a limit are the last ones.
  const within = sound.slice(0, sound.length - (limit?.beyond.length ?? 0))
  const outliers = outliersOf(within, experts)
  const agreed = without(within, outliers)
  const falls = pastTheHighest(agreed)
  // Fewer than three others could not be told from a law that is wrong.
  const fallen = agreed.length - falls.length < 3 ? [] : falls
  const rising = without(agreed, fallen)
  const single = offTheLine(rising, experts)
  const aside = [
    ...points.filter((point) => point.fault !== undefined).map((point) => asideFor(point, point.fault ?? '')),
    ...single.map((point) => asideFor(point, 'singleSequence')),
    ...outliers.map((point) => asideFor(point, 'outlier')),
    ...fallen.map((point) => asideFor(point, 'outputFalls')),
    ...(limit?.beyond ?? []).map((point) => asideFor(point, 'serverLimit')),
  ].flat()
  return {
    kept: without(rising, single),
    agreed,
    aside,
    ...(limit !== undefined && { limit }),
    falls,
    ...(fallen.length > 0 && { highest: rising.at(-1)?.load ?? 0 }),
  }
}

function without(points: readonly LoadPoint[], some: readonly LoadPoint[]): readonly LoadPoint[] {
  const left = new Set(some)
  return left.size === 0 ? points : points.filter((point) => !left.has(point))
}

const asideFor = (point: LoadPoint, why: string): { point: number; why: string }[] =>
  point.members.map((member) => ({ point: member, why }))
