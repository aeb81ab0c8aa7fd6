/** What random draws bring comes in whole microseconds, so that the last digit of a logarithm, which machines differ in, decides nothing. */
export const inMicros = (s: number): number => Math.round(s * 1e6) / 1e6

/** The same, and later than `s`: what an answer brings about comes after it. */
export function afterwards(s: number, pauseS = 0): number {
  let us = Math.max(Math.round((s + pauseS) * 1e6), Math.floor(s * 1e6) + 1)
  while (us / 1e6 <= s) us += 1
  return us / 1e6
}
