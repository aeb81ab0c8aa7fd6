import { figure, type PriceOfPace, type Product, percent } from '../../core/index.ts'
import type { ChosenPoint } from '../choice.ts'
import { moneyBeside } from '../planned-server.ts'
import { rankingOf } from './best.ts'
import type { ChoosingOptions, Given } from './tried.ts'
import { pricedPoint } from './yardstick.ts'

/** So much more pace is priced. */
const TENTH = 1.1

/**
 * What a tenth more pace than at the point takes from the other speed: the best point, of all candidates, at which a user has it, under the
 * same limit on the wait.
 */
export function priceOfPace(
  givens: readonly Given[],
  product: Product,
  point: ChosenPoint,
  options: ChoosingOptions,
): PriceOfPace {
  const floor = TENTH * point.tokensPerSecondPerUser
  const quicker: Product = { ...product, goal: 'pace', tokensPerSecond: floor }
  const [best] = rankingOf(givens, quicker, options).held
  if (best === undefined) return { sentence: noneOf(givens, product, floor) }
  const after = pricedPoint(best, options.gpuHour, givens.length > 1)
  const perGpu = [point.tokensPerSecondPerGpu, after.tokensPerSecondPerGpu] as const
  const isPerGpu = perGpu[0] !== undefined && perGpu[1] !== undefined
  const [had, has] = isPerGpu
    ? [perGpu[0] ?? 0, perGpu[1] ?? 0]
    : [point.outputTokensPerSecond, after.outputTokensPerSecond]
  const lostShare = 1 - has / had
  const [before, later] = [point.perMillionOutputTokens, after.perMillionOutputTokens]
  const where =
    after.configuration === undefined || after.configuration === point.configuration ? '' : ` on ${after.configuration}`
  const paid = before === undefined || later === undefined ? undefined : moneyBeside(later, before)
  const costs = paid === undefined ? '' : `; a million output tokens cost ${paid[0]} instead of ${paid[1]}`
  const unit = isPerGpu ? 'tok/s/GPU' : 'tok/s'
  const change =
    lostShare > 0
      ? `costs ${figure(had - has)} ${unit}, ${percent(lostShare)} of ${figure(had)}`
      : `costs nothing: ${figure(has)} ${unit} beside ${figure(had)}`
  return {
    point: after,
    lostShare,
    ...(isPerGpu && { lostTokensPerSecondPerGpu: had - has }),
    ...(before !== undefined && later !== undefined && { perMillionOutputTokens: { before, after: later } }),
    sentence: `10 % more pace, ${figure(after.tokensPerSecondPerUser)} tok/s/user, is to be had at ${figure(after.concurrency)} in flight${where} and ${change}${costs}.`,
  }
}

function noneOf(givens: readonly Given[], { ttftMs }: Product, floor: number): string {
  const points = givens.flatMap(({ evidence }) =>
    evidence === undefined
      ? []
      : [1, ...evidence.curve.points.map(({ load }) => load)].flatMap((load) => evidence.curve.at(load) ?? []),
  )
  const most = Math.max(0, ...points.map(({ tokensPerSecondPerUser }) => tokensPerSecondPerUser))
  const wait = most >= floor && ttftMs !== undefined ? ` and a first token within ${figure(ttftMs)} ms` : ''
  return `No load gives 10 % more pace, ${figure(floor)} tok/s/user${wait}: the fastest known is ${figure(most)}.`
}
