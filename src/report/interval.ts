import { figure, type Interval } from '../core/index.ts'

/** The longer side of an interval about its figure. */
export function halfOf(value: number, { low, high }: Interval): number {
  return Math.max(high - value, value - low)
}

/** `48.1 ±0.4`, or the figure alone where its interval is not known. */
export function withInterval(value: number | undefined, interval: Interval | undefined): string {
  if (value === undefined) return '–'
  return interval === undefined ? figure(value) : `${figure(value)} ±${figure(halfOf(value, interval))}`
}

/**
 * The ± of a column, at the decimals of its figures and all of one width, so that the figures before them stay under each other. Rounded up: an
 * interval that is known is never ±0.
 */
export function sides(halves: readonly (number | undefined)[], decimals: number): readonly string[] {
  if (halves.every((half) => half === undefined)) return halves.map(() => '')
  const texts = halves.map((half) =>
    half === undefined
      ? ''
      : ` ±${(Math.max(1, Math.ceil(half * 10 ** decimals - 1e-9)) / 10 ** decimals).toFixed(decimals)}`,
  )
  const width = Math.max(...texts.map((text) => text.length))
  return texts.map((text) => text.padEnd(width))
}
