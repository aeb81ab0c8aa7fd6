/** How long the first token took, against what was predicted. It is off by factors, so it is ratios that are told. */
import { percentile } from '../../src/core/index.ts'
import type { Comparison } from './comparison.ts'
import type { Bounded } from './intervals.ts'

/** Of measured ÷ predicted. */
export interface FirstTokens {
  readonly name: string
  readonly points: number
  readonly tenth: number
  readonly median: number
  readonly nineTenths: number
}

export function firstTokensOf(comparisons: readonly Comparison[]): readonly Bounded[] {
  return comparisons.flatMap(({ ttft }) => ttft ?? [])
}

/** Throws where there is nothing to compare. */
export function firstTokens(name: string, comparisons: readonly Comparison[]): FirstTokens {
  const ratios = firstTokensOf(comparisons)
    .map(({ measured, predicted }) => measured / predicted)
    .sort((a, b) => a - b)
  const at = (p: number): number => {
    const value = percentile(ratios, p)
    if (value === undefined || !Number.isFinite(value)) throw new Error('there is nothing to compare')
    return value
  }
  return { name, points: ratios.length, tenth: at(10), median: at(50), nineTenths: at(90) }
}
