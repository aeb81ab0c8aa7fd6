import { figure, type Product, TwospeedError } from '../../core/index.ts'
import { judgeOf } from '../judge.ts'
import { type ChoosingOptions, type Given, type Held, isHeld, type Refused, tried, withMostOutput } from './tried.ts'
import { refuseUnknownGpus, type Yardstick, yardstickOf } from './yardstick.ts'

/** Every candidate tried for a product. */
export interface Ranking {
  /** Best first. */
  readonly held: readonly Held[]
  readonly refused: readonly Refused[]
  readonly yardstick: Yardstick
}

export function worthOf({ candidate, evidence, point }: Held, yardstick: Yardstick): number {
  return yardstick.worth(candidate, evidence, point.outputTokensPerSecond)
}

/** One whose wait nobody knows does not stand beside those that are known to hold a limit on it. */
function withKnownWaits(all: readonly (Held | Refused)[], product: Product): readonly (Held | Refused)[] {
  const { ttftMs: limit } = product
  if (limit === undefined) return all
  const isKnown = (one: Held | Refused): boolean => isHeld(one) && judgeOf(one.evidence, product).judgesTtft
  if (!all.some(isKnown)) return all
  return all.map((one) => {
    if (!isHeld(one) || isKnown(one)) return one
    const message = `its wait for the first token is not known, and others hold ${figure(limit)} ms`
    const error = new TwospeedError('NO_POINT_HOLDS', message, 'Measure it, or leave --ttft out.')
    return { candidate: one.candidate, evidence: one.evidence, error }
  })
}

/** Of equals that with the more pace comes first. */
export function rankingOf(
  givens: readonly Given[],
  product: Product,
  { strict = false, gpuHour }: ChoosingOptions,
): Ranking {
  const all = withKnownWaits(
    givens.map((given) => tried(given, product, strict)),
    product,
  )
  const several = givens.length > 1
  const held = all.filter(isHeld).map((one) => (several ? withMostOutput(one, product) : one))
  refuseUnknownGpus(held)
  const known = all.flatMap(({ candidate, evidence }) => (evidence === undefined ? [] : [candidate]))
  const yardstick = yardstickOf(known, gpuHour)
  const value = new Map(held.map((one) => [one, worthOf(one, yardstick)]))
  return {
    held: held.toSorted(
      (a, b) =>
        (value.get(b) ?? 0) - (value.get(a) ?? 0) || b.point.tokensPerSecondPerUser - a.point.tokensPerSecondPerUser,
    ),
    refused: all.filter((one): one is Refused => !isHeld(one)),
    yardstick,
  }
}
