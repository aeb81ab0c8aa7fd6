import { BATCH_SIZES, batchesOf, correlationOf, inflation, isCorrelated } from './batch-means.ts'
import { CELLS } from './cells.ts'
import { withinT } from './student.ts'

/** A figure that was not the same throughout the window. */
interface Change {
  /** `slope`: it went one way throughout. `step`: it had one level before `at`, another after. */
  readonly kind: 'slope' | 'step'
  /** From the window's start to its end, as a share of its mean over the window: −0.1 is a fall of 10 %. */
  readonly change: number
  /** Where the step lies, as a share of the window. */
  readonly at?: number
}

/** A smaller change is of no account, however sure: it moves the mean by less than the bound on Little's law. */
const LEAST_CHANGE = 0.05
/** How often noise alone may look like a change of either kind. */
const CHANCE = 0.0005
/** Both sides of a step last a fifth of the window at least: a shorter pause is part of how a server runs. */
const LEAST_SIDE = 0.2

/** Of what the best fit leaves, the correlation comes out too low by about so much over the number of batches. */
const BIAS = 3
/** Deviations are shares: squares of this size are what rounding leaves. */
const NOTHING = 1e-20

/** What a change of 1 between start and end would look like in the batches, about its mean. */
interface Shape {
  readonly values: readonly number[]
  readonly at?: number
}

const slope = (batches: number): Shape => ({
  values: Array.from({ length: batches }, (_, batch) => (batch + 0.5) / batches - 0.5),
})

const steps = (batches: number): readonly Shape[] =>
  Array.from({ length: batches }, (_, first) => first / batches)
    .filter((at) => at >= LEAST_SIDE - 1e-9 && at <= 1 - LEAST_SIDE + 1e-9)
    .map((at) => ({
      at,
      values: Array.from({ length: batches }, (_, batch) => (batch < at * batches - 1e-9 ? at - 1 : at)),
    }))

/** Of each size of batches the same shapes are tried again and again. */
const kinds = ([(batches) => [slope(batches)], steps] satisfies ((batches: number) => readonly Shape[])[]).map(
  (shapesOf) => new Map(BATCH_SIZES.map((size) => [size, shapesOf(CELLS / size)])),
)

interface Match {
  readonly shape: Shape
  readonly change: number
  readonly rest: readonly number[]
  /** What the shape leaves unexplained. */
  readonly squares: number
}

/** Least squares of one regressor. */
function match(shape: Shape, means: readonly number[]): Match {
  const { values } = shape
  let [product, square] = [0, 0]
  values.forEach((value, batch) => {
    product += value * (means[batch] ?? 0)
    square += value * value
  })
  const change = product / square
  const rest = means.map((mean, batch) => mean - change * (values[batch] ?? 0))
  return { shape, change, rest, squares: rest.reduce((sum, value) => sum + value * value, 0) }
}

/** The best of the shapes, if it is both large and no work of chance; with how sure it is. */
function judged(
  cells: ArrayLike<number>,
  shapesOf: ReadonlyMap<number, readonly Shape[]>,
): (Match & { readonly t: number }) | undefined {
  for (const size of BATCH_SIZES) {
    const means = batchesOf(cells, size)
    const shapes = shapesOf.get(size) ?? []
    const [best] = shapes.map((shape) => match(shape, means)).sort((a, b) => a.squares - b.squares)
    if (best === undefined || Math.abs(best.change) < LEAST_CHANGE) return undefined
    const r = best.squares < NOTHING ? 0 : correlationOf(best.rest) + BIAS / means.length
    if (isCorrelated(r, means.length) && size !== BATCH_SIZES.at(-1)) continue
    const freedom = means.length - 2
    const square = best.shape.values.reduce((sum, value) => sum + value * value, 0)
    const error = Math.sqrt(best.squares / freedom / square) * inflation(r)
    if (Math.abs(best.change) - error < LEAST_CHANGE) return undefined
    const t = Math.abs(best.change) / error
    // One of many places was chosen after looking: the chance is shared among them (Bonferroni).
    const isChance = (1 - withinT(t, freedom)) * shapes.length >= CHANCE / 2
    return isChance ? undefined : { ...best, t }
  }
  return undefined
}

/**
 * Whether a figure changed through the window, from the deviations of its cells: least squares of a straight line, and of one step at
 * any place that leaves a fifth on either side, on batch means.
 *
 *     slope  ‾‾‾───___      step  ‾‾‾‾‾|_____
 *
 * A change counts when it is over 5 % of the mean by more than its standard error *and* Student's t leaves less than one chance in two thousand that noise alone did it, the
 * batches being made longer while what the line or the step leaves over is correlated, and the error widened by what correlation stays.
 * A host that drifts more slowly than that, or to and fro, widens the intervals instead.
 */
export function changeOf(cells: ArrayLike<number>): Change | undefined {
  const found = kinds.map((shapesOf) => judged(cells, shapesOf)).filter((one) => one !== undefined)
  const [surest] = found.sort((a, b) => b.t - a.t)
  if (surest === undefined) return undefined
  const { change, shape } = surest
  return shape.at === undefined ? { kind: 'slope', change } : { kind: 'step', change, at: shape.at }
}
