/** One measurement as least squares sees it: the value of each column, the time, and how many measurements that time is the mean of. */
export interface Row {
  readonly columns: readonly number[]
  readonly stepS: number
  readonly weight: number
}

export interface Solution {
  /** One term to a column, never below 0. */
  readonly terms: readonly number[]
  /** Columns whose term least squares wanted below 0: no step takes less than nothing, so it is 0 and the others were fitted alone. */
  readonly clamped: readonly number[]
  /** (XᵀWX)⁻¹ of all columns, which the intervals are from; of those in use only where the rows do not tell all apart. */
  readonly inverse: Matrix
  /** The same of the columns in use, with zeros for the others. */
  readonly inverseInUse: Matrix
  /** Whether the rows tell all columns apart. */
  readonly toldApart: boolean
  /** 1/T² of the fitted law, times the row's own. */
  readonly weights: readonly number[]
}

export type Matrix = readonly (readonly number[])[]

const ROUNDS = 4

/**
 * Least squares of the *relative* error of the step time with terms that are not negative, for the noise of a time grows with the time.
 * The weights are 1/T² of the fitted law, found in a few rounds: with the measured T a point that came out low would count more.
 */
export function solveRelative(rows: readonly Row[]): Solution | undefined {
  let weights = rows.map(({ stepS, weight }) => weight / stepS ** 2)
  let solved = solve(rows, weights)
  for (let round = 0; round < ROUNDS && solved !== undefined; round++) {
    const { terms } = solved
    weights = rows.map(({ columns, weight }) => weight / product(terms, columns) ** 2)
    solved = solve(rows, weights)
  }
  return solved
}

/** xᵀ·M·x: with an inverse of the normal equations, the variance of what they say at x, in units of the noise. */
export function quadratic(matrix: Matrix, x: readonly number[]): number {
  return matrix.reduce((sum, row, i) => sum + (x[i] ?? 0) * product(row, x), 0)
}

function product(a: readonly number[], b: readonly number[]): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0)
  return sum
}

/** Of the step time: a term that is so little below 0 is 0 up to rounding, not of the wrong sign. */
const ROUNDING = 1e-9

/**
 * The least squares of few columns under terms ≥ 0, by trying the sets of columns: of those whose own solution has no negative term, the
 * one that leaves the least is the answer (for one fitted set it leaves Σ w·T² − mᵀθ).
 */
function solve(rows: readonly Row[], weights: readonly number[]): Solution | undefined {
  const size = rows[0]?.columns.length ?? 0
  const gram = Array.from({ length: size }, () => new Array<number>(size).fill(0))
  const moment = new Array<number>(size).fill(0)
  rows.forEach(({ columns, stepS }, r) => {
    const weight = weights[r] ?? 0
    for (let i = 0; i < size; i++) {
      const scaled = weight * (columns[i] ?? 0)
      moment[i] = (moment[i] ?? 0) + scaled * stepS
      const row = gram[i] ?? []
      for (let j = 0; j < size; j++) row[j] = (row[j] ?? 0) + scaled * (columns[j] ?? 0)
    }
  })
  // Of a term, what it takes of a step on the whole: θ·√(Σ w·x²), where Σ w·T² is about the weight of all rows.
  const nothing = ROUNDING * Math.sqrt(rows.reduce((sum, { stepS }, r) => sum + (weights[r] ?? 0) * stepS ** 2, 0))
  let full: Matrix | undefined
  let best: { readonly terms: number[]; readonly set: readonly number[]; readonly inverse: Matrix } | undefined
  let most = 0
  for (const set of columnSets(size)) {
    const inverse = inverseOf(gram, set)
    if (inverse === undefined) continue
    if (set.length === size) full = inverse
    const terms = inverse.map((row) => product(row, moment))
    if (terms.some((term, i) => term * Math.sqrt(gram[i]?.[i] ?? 0) < -nothing)) continue
    const kept = terms.map((term) => Math.max(0, term))
    if (set.length === size) {
      return { terms: kept, clamped: [], inverse, inverseInUse: inverse, toldApart: true, weights }
    }
    const explained = product(kept, moment)
    if (explained > most) [most, best] = [explained, { terms: kept, set, inverse }]
  }
  if (best === undefined) return undefined
  const { terms, set, inverse } = best
  const unused = Array.from({ length: size }, (_, i) => i).filter((i) => !set.includes(i))
  return {
    terms,
    clamped: full === undefined ? [] : unused,
    inverse: full ?? inverse,
    inverseInUse: inverse,
    toldApart: full !== undefined,
    weights,
  }
}

const SETS = new Map<number, readonly (readonly number[])[]>()

/** Every set of columns but the empty one, the greatest first. */
function columnSets(size: number): readonly (readonly number[])[] {
  const known = SETS.get(size)
  if (known !== undefined) return known
  const sets: number[][] = []
  for (let mask = 1; mask < 2 ** size; mask++) {
    sets.push(Array.from({ length: size }, (_, i) => i).filter((i) => (mask >> i) % 2 === 1))
  }
  sets.sort((a, b) => b.length - a.length)
  SETS.set(size, sets)
  return sets
}

/** Columns whose directions differ by less than a thousandth are one: the terms of both would be noise. */
const TOLD_APART = 1e-6

/**
 * The inverse of the normal matrix over a set of its columns, with zeros for the others; undefined where they are not told apart. Gauss and
 * Jordan on columns scaled to length 1.
 */
function inverseOf(gram: readonly (readonly number[])[], set: readonly number[]): Matrix | undefined {
  const scale = set.map((i) => 1 / Math.sqrt(gram[i]?.[i] ?? 0))
  const size = set.length
  const work = set.map((i, row) => [
    ...set.map((j, column) => (gram[i]?.[j] ?? 0) * (scale[row] ?? 0) * (scale[column] ?? 0)),
    ...set.map((_, column) => (row === column ? 1 : 0)),
  ])
  for (let pivot = 0; pivot < size; pivot++) {
    const lead = work[pivot] ?? []
    const by = lead[pivot] ?? 0
    if (!(by > TOLD_APART)) return undefined
    for (let i = 0; i < lead.length; i++) lead[i] = (lead[i] ?? 0) / by
    work.forEach((row, r) => {
      const factor = row[pivot] ?? 0
      if (r === pivot || factor === 0) return
      for (let i = 0; i < row.length; i++) row[i] = (row[i] ?? 0) - factor * (lead[i] ?? 0)
    })
  }
  return gram.map((_, i) =>
    gram.map((__, j) => {
      const [row, column] = [set.indexOf(i), set.indexOf(j)]
      if (row < 0 || column < 0) return 0
      return (work[row]?.[size + column] ?? 0) * (scale[row] ?? 0) * (scale[column] ?? 0)
    }),
  )
}
