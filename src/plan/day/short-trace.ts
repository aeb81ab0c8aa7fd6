import type { Day } from '../../core/index.ts'

type Asked = Pick<Day, 'by' | 'lengthS' | 'arrivalsPerSecond' | 'inFlight' | 'mostInFlight'>

/**
 * A trace begins with nothing in flight: one that ends before a request does never has λ·W of them, so that only its rate says what a fleet
 * has to hold.
 */
export function isShortTrace({ by, lengthS, arrivalsPerSecond, inFlight, mostInFlight }: Asked): boolean {
  return by === 'trace' && (mostInFlight < inFlight || lengthS * arrivalsPerSecond < inFlight)
}
