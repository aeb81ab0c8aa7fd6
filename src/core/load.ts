import { figure } from './figure.ts'
import type { Load } from './run.ts'

/** A load in a sentence: users in a closed loop, arrivals per second, or how fast a trace is played. */
export function loadName({ kind, value }: Load): string {
  if (kind === 'rate') return `${figure(value)}/s`
  return kind === 'trace' ? `trace ×${figure(value)}` : `${value} user${value === 1 ? '' : 's'}`
}
