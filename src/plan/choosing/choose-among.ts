import {
  type Alternative,
  type Amount,
  checkAmounts,
  figure,
  type Product,
  type ProductWork,
  percent,
  RANGES,
  TwospeedError,
} from '../../core/index.ts'
import type { Candidate } from '../candidate.ts'
import { withOtherLengths } from '../candidates/other-lengths.ts'
import type { Choice } from '../choice.ts'
import { choiceAt } from '../choose.ts'
import { againstOf } from './against.ts'
import { type Ranking, rankingOf, worthOf } from './best.ts'
import { envelopeOf } from './envelope.ts'
import { nothingHolds } from './nothing-holds.ts'
import { paceConfidence } from './pace-confidence.ts'
import { priceOfPace } from './price-of-pace.ts'
import { settingsOf } from './settings.ts'
import { type ChoosingOptions, type Given, givenBy, type Held, lengthsFor } from './tried.ts'
import { pricedPoint, type Yardstick } from './yardstick.ts'

/**
 * Of several ways to serve, the one and its load that make most for each GPU while the product is held; where their GPUs differ in price, most for the
 * money. Beside `choose`'s answer it tells what the point costs against its neighbours, what a tenth more pace would cost, what to set the
 * server to, how sure the pace is, and how far behind the others are. The frontier is the envelope over all.
 *
 * Of one candidate the point is the one that `choose` finds.
 *
 * Throws NO_POINT_HOLDS with how far the nearest is and what would help; MISSING_VALUE where several cannot be compared.
 */
export function chooseAmong(
  candidates: readonly Candidate[],
  product: Product & ProductWork,
  options: ChoosingOptions = {},
): Choice {
  if (candidates.length === 0) {
    throw new TwospeedError('NO_POINTS', 'there is nothing to choose from', 'Give a run, points, a law or a model.')
  }
  const lengths = lengthsFor(product, options.lengths)
  checkAmounts([
    ['the input length', lengths?.input, RANGES.tokens],
    ['the output length', lengths?.output, RANGES.tokens],
    ['the price of a GPU hour', options.gpuHour, RANGES.price],
    ...candidates.map(({ name, pricePerHour }): Amount => [`the price of ${name}`, pricePerHour, RANGES.price]),
  ])
  return choiceAmong(givenBy(candidates, product, lengths), product, {
    ...options,
    ...(lengths !== undefined && { lengths }),
  })
}

/** The same of candidates whose evidence is there. The lengths are those that the evidence is of. */
function choiceAmong(givens: readonly Given[], product: Product, options: ChoosingOptions): Choice {
  const ranking = rankingOf(givens, product, options)
  const [best, ...others] = ranking.held
  if (best === undefined) throw nothingHolds(ranking.refused, product, options.lengths)
  const isAmong = givens.length > 1
  const { candidate, evidence } = best
  const choice = choiceAt(evidence, product, best)
  const point = pricedPoint(best, options.gpuHour, isAmong || candidate.kind === 'predicted')
  const against = againstOf(point, choice.neighbours)
  return {
    ...choice,
    choice: point,
    reason: `${pastHighest(best)}${choice.reason}`,
    frontier: isAmong ? frontierOf(givens, ranking.yardstick) : choice.frontier,
    ...(against.length > 0 && { against }),
    priceOfPace: priceOfPace(givens, product, point, options),
    settings: settingsOf({
      candidate,
      evidence,
      product,
      inFlight: point.concurrency,
      ...(options.lengths !== undefined && { lengths: options.lengths }),
    }),
    confidence: paceConfidence(point, evidence),
    ...(isAmong && {
      chosenBy: chosenBy(ranking),
      alternatives: [...others.map((other) => behind(other, ranking, options.gpuHour)), ...refusals(ranking)],
    }),
  }
}

function pastHighest({ greatest }: Held): string {
  return greatest === undefined
    ? ''
    : `${figure(greatest)} in flight hold it too, and make less: throughput is past its highest there. `
}

/** Also of candidates that do not hold: the envelope is of what can be had. Those whose GPUs are unknown cannot be drawn among others. */
function frontierOf(givens: readonly Given[], yardstick: Yardstick): Choice['frontier'] {
  const drawn = givens.flatMap(({ candidate, evidence }) =>
    evidence?.gpus === undefined ? [] : [{ candidate, evidence }],
  )
  return envelopeOf(drawn, yardstick)
}

type ChosenBy = NonNullable<Choice['chosenBy']>

function chosenBy(ranking: Ranking): ChosenBy {
  const { what } = ranking.yardstick
  const known = measuredWith(ranking)
  const others = known.filter(({ evidence }) => withOtherLengths(evidence, known[0]?.lengths) !== evidence)
  const sentence = whyChosen(ranking)
  if (others.length === 0) return { what, sentence }
  const told = [...known.slice(0, 1), ...others].map(
    ({ configuration, lengths: { input, output } }) => `${configuration} ${figure(input)} in and ${figure(output)} out`,
  )
  const few = `${told.slice(0, MOST_TOLD).join(', ')}${told.length > MOST_TOLD ? ' …' : ''}`
  return {
    what,
    lengths: known.map(({ configuration, lengths }) => ({ configuration, ...lengths })),
    sentence: `${sentence} They were not measured with the same requests, and part of the difference is that: tokens of ${few}.`,
  }
}

/** More are in the answer as data. */
const MOST_TOLD = 4

/** Those that hold and know the lengths of the requests that they were measured with. */
function measuredWith({ held }: Ranking) {
  const measured = held.filter(({ candidate }) => candidate.kind === 'measured')
  return measured.flatMap(({ candidate: { name: configuration }, evidence }) => {
    const { lengths } = evidence.fit
    return lengths === undefined ? [] : [{ evidence, lengths, configuration }]
  })
}

function whyChosen({ held, refused, yardstick }: Ranking): string {
  const [best, next] = held
  if (best === undefined) return ''
  const value = worthOf(best, yardstick)
  const rest =
    refused.length === 0 ? '' : ` ${figure(refused.length)} ${refused.length === 1 ? 'does' : 'do'} not hold it.`
  const first = `${best.candidate.name} is chosen ${yardstick.why}: ${yardstick.told(value)}`
  if (next === undefined) return `${first}; no other candidate holds the product.${rest}`
  const lead = value / worthOf(next, yardstick) - 1
  const than = lead < LEAST_LEAD ? `as much ${yardstick.unit} as` : `${percent(lead)} more ${yardstick.unit} than`
  return `${first}, ${than} the next of ${figure(held.length)} that hold it, ${next.candidate.name}.${rest}`
}

/** Less is told as none. */
const LEAST_LEAD = 5e-4

function behind(other: Ranking['held'][number], ranking: Ranking, gpuHour: number | undefined): Alternative {
  const { yardstick, held } = ranking
  const [best] = held
  const point = pricedPoint(other, gpuHour, true)
  const value = worthOf(other, yardstick)
  const most = best === undefined ? value : worthOf(best, yardstick)
  const less = 1 - value / most
  const how = less < LEAST_LEAD ? 'as much' : `${percent(less)} less`
  return {
    configuration: other.candidate.name,
    choice: point,
    bindingConstraint: other.binding,
    sentence: `${other.candidate.name} makes ${how} ${yardstick.unit}: ${yardstick.told(value)}, with ${figure(point.concurrency)} in flight at ${figure(point.tokensPerSecondPerUser)} tok/s/user${waitOf(point.ttftMs)}.`,
  }
}

const waitOf = (ttftMs: number | undefined): string =>
  ttftMs === undefined ? '' : ` and ${figure(ttftMs)} ms to the first token`

function refusals({ refused }: Ranking): readonly Alternative[] {
  return refused.map(({ candidate, error }) => ({
    configuration: candidate.name,
    sentence: `${candidate.name}: ${error.message}${/[.]$/.test(error.message) ? '' : '.'}`,
  }))
}
