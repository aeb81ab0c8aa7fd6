import { figure, type Point } from '../core/index.ts'

/** A load in a cell: requests in flight, arrivals per second, or how fast a trace is played; of several measurements of it, which one. */
export function loadOf({ load, repeat }: Pick<Point, 'load' | 'repeat'>): string {
  const which = repeat === undefined ? '' : ` #${repeat + 1}`
  if (load.kind === 'rate') return `${figure(load.value)}/s${which}`
  if (load.kind === 'trace') return `trace ×${figure(load.value)}${which}`
  const pause = load.thinkS === undefined ? '' : `, think ${figure(load.thinkS)} s`
  return figure(load.value) + pause + which
}
