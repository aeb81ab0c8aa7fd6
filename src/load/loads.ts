import type { ArrivalPlan, Load } from '../core/index.ts'
import type { MeasureOptions } from './options.ts'

/** Ports of one address to one target. */
export const MOST_IN_FLIGHT = 65_000

/** The loads that were asked for, in order; undefined where they are to be found. */
export function askedLoads({ concurrency, rates, trace }: MeasureOptions): readonly Load[] | undefined {
  if (trace !== undefined) return [{ kind: 'trace', value: trace.speedup ?? 1 }]
  if (rates !== undefined) return rates.map((value) => ({ kind: 'rate', value }))
  return concurrency?.map((value) => ({ kind: 'concurrency', value }))
}

/** How requests of a rate come: as a Poisson process, where nothing else was asked for. */
export function processOf({ arrivalProcess, burstiness }: MeasureOptions): ArrivalPlan['process'] {
  if (burstiness !== undefined) return { kind: 'gamma', burstiness }
  return { kind: arrivalProcess === 'constant' ? 'constant' : 'poisson' }
}
