import type { Arrival, Source } from '../../../src/sim/arrivals/source.ts'

/** Takes so many; each is answered so long after it came, in order of ends, before anything that comes later is taken. */
export function played(source: Source, count: number, answerS: (arrival: Arrival) => number = () => 1): Arrival[] {
  const taken: Arrival[] = []
  const open: { arrival: Arrival; endS: number }[] = []
  while (taken.length < count) {
    open.sort((a, b) => a.endS - b.endS)
    const first = open[0]
    if (first !== undefined && first.endS < source.nextS) {
      open.shift()
      source.ended(first.arrival, first.endS)
      continue
    }
    if (source.nextS === Number.POSITIVE_INFINITY) break
    const atS = source.nextS
    const arrival = source.take()
    if (arrival.atS !== atS) throw new Error(`it came at ${arrival.atS}, not at ${atS}`)
    taken.push(arrival)
    open.push({ arrival, endS: arrival.atS + answerS(arrival) })
  }
  return taken
}

export const isWholeMicros = (s: number): boolean => Math.round(s * 1e6) / 1e6 === s
