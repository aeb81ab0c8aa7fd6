import { figure, type Point } from '../core/index.ts'

/** A load in a cell: requests in flight, arrivals per second, or how fast a trace is played. */
export function loadOf({ load }: Point): string {
  if (load.kind === 'rate') return `${figure(load.value)}/s`
  return load.kind === 'trace' ? `trace ×${figure(load.value)}` : figure(load.value)
}
