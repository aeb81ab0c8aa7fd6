/** How far predictions are from what was measured. */
import { mean, percentile } from '../../src/core/index.ts'

export interface Pair {
  readonly predicted: number
  readonly measured: number
}

export interface ErrorFigures {
  readonly points: number
  /** Of |predicted ÷ measured − 1|. */
  readonly medianPct: number
  readonly meanPct: number
  readonly p90Pct: number
  /** Median of predicted ÷ measured − 1: above 0 where more is promised than was seen. */
  readonly biasPct: number
}

export interface NamedErrors extends ErrorFigures {
  readonly name: string
}

const ascending = (values: readonly number[]): readonly number[] => values.toSorted((a, b) => a - b)

/** Throws where there is nothing to compare: a mark must not be held by an empty table. */
export function errorsOf(pairs: readonly Pair[]): ErrorFigures {
  const signed = ascending(pairs.map(({ predicted, measured }) => 100 * (predicted / measured - 1)))
  const sizes = ascending(signed.map(Math.abs))
  const at = (sorted: readonly number[], p: number): number => {
    const value = percentile(sorted, p)
    if (value === undefined || !Number.isFinite(value)) throw new Error('there is nothing to compare')
    return value
  }
  return {
    points: pairs.length,
    medianPct: at(sizes, 50),
    meanPct: mean(sizes) ?? 0,
    p90Pct: at(sizes, 90),
    biasPct: at(signed, 50),
  }
}

/** One line for each name, in the order of the names. */
export function groupErrors<T extends Pair>(pairs: readonly T[], nameOf: (pair: T) => string): readonly NamedErrors[] {
  const groups = new Map<string, T[]>()
  for (const pair of pairs) {
    const name = nameOf(pair)
    groups.set(name, [...(groups.get(name) ?? []), pair])
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, members]) => ({ name, ...errorsOf(members) }))
}
