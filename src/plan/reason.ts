import { figure, percent, portion } from '../core/index.ts'
import type { OperatingPoint } from '../model/index.ts'
import type { Binding } from './choice.ts'
import type { Evidence } from './evidence.ts'
import { judgeOf } from './judge.ts'
import { limitWords } from './limit-words.ts'
import type { Product } from './product.ts'

/** Of a measured load whose point is not steady. */
export const UNSTEADY = 'The point measured there was not steady, so these figures may not last: measure it for longer.'

/** Less is rounding: what lies on its own line tells no error. */
const LEAST_ERROR_PCT = 0.05

/** Why this point: what binds, what it rests on, what it costs the other speed, what was not judged. Plain sentences. */
export function reasonOf(evidence: Evidence, asked: Product, point: OperatingPoint, binding: Binding): string {
  const { share, ...typical } = asked
  const product = evidence.share === undefined ? typical : asked
  return [
    bindingSentence(evidence, product, point, binding),
    product === asked ? shareSentence(evidence, product, point) : typicalSentence(share),
    basisSentence(evidence, product, point),
    unsteadySentence(evidence, point),
    product.goal === 'pace' ? costToThroughput(evidence, point) : costToPace(evidence, point),
    product.goal === 'throughput' ? beyond(evidence, point) : undefined,
    unjudged(evidence, product),
  ]
    .filter((sentence) => sentence !== undefined)
    .join(' ')
}

function bindingSentence(evidence: Evidence, product: Product, point: OperatingPoint, binding: Binding): string {
  const load = figure(point.load)
  const next = evidence.curve.at(Math.floor(point.load) + 1)
  const { share } = product
  const pace = `${figure(point.tokensPerSecondPerUser)} tok/s`
  if (share !== undefined && (binding === 'ttft' || binding === 'floor')) {
    const most = `${load} is the greatest load at which ${portion(share)} of requests have ${askedOf(product)}`
    return `${most}${next === undefined ? '' : `: ${withMore(evidence, product, next)}`}.`
  }
  switch (binding) {
    case 'throughput':
      return `${load} in flight ${evidence.isPredicted ? 'give the highest throughput foretold' : 'gave the highest throughput measured'}, ${figure(point.outputTokensPerSecond)} tok/s.`
    case 'serverLimit':
      if (evidence.isPredicted)
        return `${load} is about the most at once${causeOf(evidence)}, and more only wait longer for their first token.`
      return `A replica decodes at most about ${figure(evidence.curve.fitted.limit?.batch ?? 0)} at once: more than ${load} in flight only wait longer for their first token.`
    case 'measuredRange':
      return `${farthest(evidence, point)} the objective still holds (${share === undefined ? `${pace} each` : `${portion(share)} have at least ${pace}`}); of more nothing ${evidence.isPredicted ? 'is foretold.' : 'certain is known: measure higher loads.'}`
    case 'ttft':
      return `${load} is the greatest load with its first token within ${figure(product.ttftMs ?? 0)} ms (${figure(point.ttftMs ?? 0)} ms)${next?.ttftMs === undefined ? '' : `: one more takes ${apart(next.ttftMs, product.ttftMs ?? 0)} ms`}.`
    case 'floor':
      return `${load} is the greatest load that gives each user ${figure(product.tokensPerSecond ?? 0)} tok/s${next === undefined ? '' : `: with one more it is ${apart(next.tokensPerSecondPerUser, product.tokensPerSecond ?? 0)}`}.`
  }
}

/** A printed prediction does not tell what ends it. */
function causeOf({ curve: { fitted } }: Evidence): string {
  const by = fitted.limit?.by
  return by === undefined ? '' : `: ${limitWords(by)}`
}

/** A figure in as many digits as tell it from a limit that it misses: 15.004 beside 15. */
function apart(value: number, limit: number): string {
  let text = figure(value)
  for (let digits = 1; digits <= 6 && text === figure(limit); digits++)
    text = value.toFixed(digits).replace(/\.?0+$/, '')
  return text
}

/** A product's objective in words: `at least 40 tok/s and a first token within 500 ms`. */
export function askedOf({ tokensPerSecond: floor, ttftMs: limit }: Product): string {
  return [
    ...(floor === undefined ? [] : [`at least ${figure(floor)} tok/s`]),
    ...(limit === undefined ? [] : [`a first token within ${figure(limit)} ms`]),
  ].join(' and ')
}

/** What a share of requests misses with one more in flight: one part, or both together at the next measured load. */
function withMore(evidence: Evidence, product: Product, next: OperatingPoint): string {
  const part = judgeOf(evidence, product).missedPart(next)
  const share = portion(product.share ?? 0)
  if (part === 'floor') return `with one more ${share} have only ${figure(next.tokensPerSecondPerUser)}`
  if (part === 'ttft') return `with one more ${share} have it within ${figure(next.ttftMs ?? 0)} ms`
  const above = evidence.curve.points.find(({ load }) => load >= next.load)
  return above?.attainment === undefined
    ? 'more do not'
    : `at ${figure(above.load)} ${portion(above.attainment)} have it`
}

/** How many requests had what a share of them is to have: counted where it was measured, else only of each part by itself. */
function shareSentence(
  evidence: Evidence,
  product: Product,
  { source, attainment }: OperatingPoint,
): string | undefined {
  const { share, tokensPerSecond: floor, ttftMs: limit } = product
  if (share === undefined) return undefined
  const both = floor !== undefined && limit !== undefined
  if (source === 'measured' && attainment !== undefined && judgeOf(evidence, product).counts) {
    return `Of the requests measured there ${portion(attainment)} had ${both ? 'both' : 'it'}.`
  }
  return both
    ? `Pace and wait were judged each by itself there, ${portion(share)} of requests for either: how many have both is known only where it is measured.`
    : undefined
}

/** Where nobody counted requests, a plan's check does. */
const typicalSentence = (share: number | undefined): string | undefined =>
  share === undefined
    ? undefined
    : `That is of the typical request, for nothing given counts requests there: whether ${portion(share)} of them have it, a plan's simulation says.`

function unsteadySentence({ curve }: Evidence, { load, source }: OperatingPoint): string | undefined {
  const isUnsteady = source === 'measured' && curve.points.some((point) => point.load === load && point.unsteady)
  return isUnsteady ? UNSTEADY : undefined
}

/** What of the evidence ends at this load. */
function farthest({ curve, isPredicted }: Evidence, { load, source }: OperatingPoint): string {
  const most = curve.points.at(-1)?.load
  if (isPredicted) return `At ${figure(load)} in flight, the most that is foretold,`
  if (source !== 'extrapolated') return `At ${figure(load)} in flight, the greatest load that was measured,`
  if (most === undefined)
    return `At ${figure(load)} in flight, as far as a law is followed that no measurement stands by,`
  return `At ${figure(load)} in flight, ${figure(load / most)} times the greatest load that was measured and as far as the law is followed,`
}

function basisSentence(evidence: Evidence, product: Product, point: OperatingPoint): string | undefined {
  const { load, source } = point
  if (source === 'measured') return undefined
  if (evidence.isPredicted) return foretoldFrom(evidence)
  const { curve, fit } = evidence
  const { points, fitted } = curve
  const [below, above] = [points.findLast((point) => point.load < load), points.find((point) => point.load > load)]
  const error =
    fit.errorPct >= LEAST_ERROR_PCT && fitted.between === 'law' ? `, whose error is ${figure(fit.errorPct)} %` : ''
  if (source === 'fitted') {
    const by =
      fitted.between === 'points'
        ? 'straight pieces, for the law does not fit the points'
        : load > (fitted.highest ?? load)
          ? 'a straight piece, for output falls there'
          : `the law${error}`
    const between = `It lies between the measured loads ${figure(below?.load ?? 0)} and ${figure(above?.load ?? 0)}`
    // The error is of the law's step times; it says nothing of a wait.
    return product.ttftMs === undefined || point.ttftMs === undefined
      ? `${between}, by ${by}.`
      : `${between}: its pace by ${by}; its wait by a straight piece, whose error is not known.`
  }
  const [least, most] = [points[0], points.at(-1)]
  if (least === undefined || most === undefined) return 'It is by the law alone: nothing was measured.'
  return `It lies outside the measured loads (${figure(least.load)} to ${figure(most.load)}), by the law${error}: measure there before relying on it.`
}

function foretoldFrom({ standing }: Evidence): string {
  if (standing === 'interpolated') return 'It is foretold from datasheets, scaled by measurements of just this.'
  return standing === 'newShape'
    ? 'It is foretold from datasheets, scaled by measurements of a neighbour.'
    : 'It is foretold from datasheets alone: nothing was measured.'
}

function costToThroughput({ curve, isPredicted }: Evidence, point: OperatingPoint): string | undefined {
  const best = curve.points.reduce<OperatingPoint | undefined>((highest, { load }) => {
    const candidate = curve.at(load)
    return (candidate?.outputTokensPerSecond ?? 0) > (highest?.outputTokensPerSecond ?? 0) ? candidate : highest
  }, undefined)
  const output = `${figure(point.outputTokensPerSecond)} tok/s`
  if (best === undefined) return `The server makes ${output} there.`
  const share = point.outputTokensPerSecond / best.outputTokensPerSecond
  const highest = `the highest ${isPredicted ? 'foretold' : 'measured'}`
  if (best.load === point.load) return `The server makes ${output} there, ${highest}.`
  if (share >= 1) return `The server makes ${output} there.`
  return `The server makes ${output} there, ${percent(share)} of ${highest} (${figure(best.outputTokensPerSecond)} at ${figure(best.load)}).`
}

function costToPace({ curve }: Evidence, point: OperatingPoint): string | undefined {
  const [least] = curve.points
  if (least === undefined || least.load >= point.load) return undefined
  const share = point.tokensPerSecondPerUser * least.stepS
  return `Each stream runs at ${figure(point.tokensPerSecondPerUser)} tok/s, ${percent(share)} of what it has at ${figure(least.load)} in flight (${figure(1 / least.stepS)}).`
}

/** What more load would bring, as far as anything says so: a highest throughput below the ceiling is not the end. */
function beyond({ curve, fit, isPredicted }: Evidence, point: OperatingPoint): string | undefined {
  const { points, fitted } = curve
  if (isPredicted) {
    const { load = Number.POSITIVE_INFINITY, by } = fitted.limit ?? {}
    return by === undefined || point.load < load
      ? undefined
      : `More at once make hardly more: ${limitWords(by)}, and what comes beyond only waits.`
  }
  if (fitted.limit !== undefined) {
    return `The server decodes at most about ${figure(fitted.limit.batch)} at once, so more load brings no more tokens.`
  }
  if (points.at(-1)?.load !== point.load) return 'More load was measured and gave less.'
  const twice = curve.at(2 * point.load)
  if (twice === undefined || fit.ceilingTokensPerSecond === undefined) {
    return 'Greater loads were not measured and may give more.'
  }
  const gain = twice.outputTokensPerSecond / point.outputTokensPerSecond - 1
  return `Nothing beyond it was measured. The law says ${figure(twice.outputTokensPerSecond)} tok/s at ${figure(twice.load)} (+${percent(gain)}) for ${figure(twice.tokensPerSecondPerUser)} tok/s each, and never more than ${figure(fit.ceilingTokensPerSecond)}.`
}

function unjudged({ curve }: Evidence, product: Product): string | undefined {
  if (product.ttftMs === undefined || curve.points.some((point) => point.ttftMs !== undefined)) return undefined
  return `The wait for the first token (${figure(product.ttftMs)} ms) was not judged: the points do not hold it.`
}
