import { counted, figure, type Point } from '../core/index.ts'
import type { Evidence } from '../plan/index.ts'

/** A load in a cell: requests in flight, arrivals per second, or how fast a trace is played; of several measurements of it, which one. */
export function loadOf({ load, repeat }: Pick<Point, 'load' | 'repeat'>): string {
  const which = repeat === undefined ? '' : ` #${repeat + 1}`
  if (load.kind === 'rate')
    return `${figure(load.value)}/s${load.users === undefined ? '' : ` + ${counted(load.users, 'user')}`}${which}`
  if (load.kind === 'trace') return `trace ×${figure(load.value)}${which}`
  const pause = load.thinkS === undefined ? '' : `, think ${figure(load.thinkS)} s`
  return figure(load.value) + pause + which
}

/** What was asked for to get so many in flight, where that is not their number: `20/s`. */
export function askedFor(
  concurrency: number,
  { points }: Pick<Evidence, 'points'>,
  measured: readonly Point[],
): string | undefined {
  const members = points.find(({ load }) => load === concurrency)?.members ?? []
  const asked = members.flatMap((index) => measured[index]?.load ?? []).filter(({ kind }) => kind !== 'concurrency')
  return asked.length === 0 ? undefined : [...new Set(asked.map((load) => loadOf({ load })))].join(', ')
}

/** `16 in flight`, or `20/s (9.4 in flight)`. */
export function inFlightName(
  concurrency: number,
  evidence: Pick<Evidence, 'points'>,
  measured: readonly Point[],
): string {
  const asked = askedFor(concurrency, evidence, measured)
  return asked === undefined ? `${figure(concurrency)} in flight` : `${asked} (${figure(concurrency)} in flight)`
}
