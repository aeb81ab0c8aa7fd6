import { counted, figure } from '../core/index.ts'

/** A time for a person: `250 ms`, `12.5 s`, `26 min`, `3.2 h`. */
export function lasting(seconds: number): string {
  if (seconds < 1) return `${figure(1000 * seconds)} ms`
  if (seconds < 120) return `${figure(seconds)} s`
  if (seconds < 7200) return `${figure(seconds / 60)} min`
  return seconds < 48 * 3600 ? `${figure(seconds / 3600)} h` : `${figure(seconds / 86_400)} days`
}

/** `12 requests/s`; where few come, by the hour. */
export function rateOf(perSecond: number): string {
  return perSecond >= 0.1 ? `${figure(perSecond)} requests/s` : `${figure(3600 * perSecond)} requests/h`
}

/** A count of things that come whole. */
export const servers = (count: number): string => counted(count, 'replica')

export const gpusOf = (count: number): string => counted(count, 'GPU')

/** A quotient that is rounded up beside it: 4,166.7. */
export function quotient(value: number): string {
  const tenths = Math.abs(value - Math.round(value)) < 0.05 || value < 100 ? figure(value) : value.toFixed(1)
  return tenths.replace(/\B(?=(\d{3})+\.)/g, ',')
}
