import type { Load } from '../core/index.ts'
import type { MeasureOptions } from './options.ts'

/** The loads that were asked for, in order; undefined where they are to be found. */
export function askedLoads({ concurrency, rates }: MeasureOptions): readonly Load[] | undefined {
  if (rates !== undefined) return rates.map((value) => ({ kind: 'rate', value }))
  return concurrency?.map((value) => ({ kind: 'concurrency', value }))
}
