/**
 * Instants as whole microseconds, the unit of a record's gaps. Whole numbers add exactly in any order up to 2^53 µs (285 years), so
 * tokens never slip over a window's edge by a rounding of 0.1 + 0.2, a limit that is met exactly is met, and Little's law closes to 0.
 */
export const toMicros = (s: number): number => Math.round(s * 1e6)

/** A window in whole microseconds: the start is in, the end is out, so windows that touch share nothing. */
export interface Span {
  readonly startUs: number
  readonly endUs: number
}

export const holds = (span: Span, instantUs: number): boolean => instantUs >= span.startUs && instantUs < span.endUs

/** How much of `startUs..endUs` lies inside the span. */
export const overlapUs = (span: Span, startUs: number, endUs: number): number =>
  Math.max(0, Math.min(endUs, span.endUs) - Math.max(startUs, span.startUs))
