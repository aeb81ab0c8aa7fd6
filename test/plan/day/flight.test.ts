import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arrivalsOf, createRandom } from '../../../src/core/index.ts'
import { createCurve } from '../../../src/plan/day/curve.ts'
import { flightOf } from '../../../src/plan/day/flight.ts'
import { PEAK_SHARE, poissonPeak } from '../../../src/plan/peak.ts'
import { createSource } from '../../../src/sim/index.ts'
import { curveOf, curves, flat, traceOf, traces } from './days.ts'

/** A token takes a second, and one stays half a second longer. */
const stayS = (tokens: number): number => tokens + 0.5
const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)

describe('a daily curve', () => {
  it('of one rate has λ·W in flight all day', () => {
    const { pieces, mostInFlight, peakInFlight, requests } = flightOf(flat(2), stayS, 10)
    expect(requests).toBeCloseTo(172_800, 6)
    for (const piece of pieces) expect(piece.inFlight).toBeCloseTo(21, 6)
    expect(mostInFlight).toBeCloseTo(21, 6)
    expect(peakInFlight).toBe(poissonPeak(21))
  })

  it('is at its top half a stay after its peak, by what the rate falls off within it', () => {
    // Up by 1/s an hour for ten hours and down again: the stay of an hour lies half before and half after the peak.
    const { mostInFlight } = flightOf(curveOf([0, 0], [10, 10], [20, 0]), () => 3600, 1)
    expect(mostInFlight).toBeCloseTo(3600 * (10 - 1 / 4), 6)
  })

  it('keeps what comes and, by Little’s law, those in flight', () => {
    fc.assert(
      fc.property(curves, fc.integer({ min: 1, max: 3000 }), (points, tokens) => {
        const { lengthS, requests, pieces } = flightOf({ kind: 'curve', points }, stayS, tokens)
        const pieceS = lengthS / pieces.length
        expect(sum(pieces.map((piece) => piece.arrivalsPerSecond * pieceS)) / requests).toBeCloseTo(1, 9)
        expect(sum(pieces.map((piece) => piece.inFlight * pieceS)) / (requests * stayS(tokens))).toBeCloseTo(1, 6)
      }),
      { seed: 1, numRuns: 40 },
    )
  })

  it('has no instant with more than the most, and one with just so many', () => {
    fc.assert(
      fc.property(curves, fc.integer({ min: 1, max: 3000 }), (points, tokens) => {
        const { mostInFlight, lengthS, requests } = flightOf({ kind: 'curve', points }, stayS, tokens)
        const { until } = createCurve(points)
        const samples = Array.from({ length: 5000 }, (_, i) => {
          const atS = (lengthS * i) / 5000
          return until(atS) - until(atS - stayS(tokens))
        })
        const most = Math.max(...samples)
        expect(mostInFlight).toBeGreaterThanOrEqual(most - 1e-9 * requests)
        // Between two samples no more come than at the highest rate.
        expect(mostInFlight).toBeLessThanOrEqual(most + (21 * lengthS) / 5000)
      }),
      { seed: 2, numRuns: 50 },
    )
  })

  it('is what requests that come by chance are in flight at the top, 99 hundredths of the time', () => {
    const points = [
      { atS: 0, rate: 2 },
      { atS: 50, rate: 8 },
      { atS: 100, rate: 2 },
    ]
    const { mostInFlight, peakInFlight } = flightOf({ kind: 'curve', points }, () => 4, 1)
    const lengths = { kind: 'fixed', tokens: 1 } as const
    const source = createSource({
      arrivals: { kind: 'curve', points, process: { kind: 'poisson' } },
      work: { input: lengths, output: lengths },
      seed: 7,
    })
    // The top is at 52 s of each day: (48, 52] holds it.
    const days = 2000
    const counts = Array.from({ length: days }, () => 0)
    for (let atS = source.take().atS; atS < days * 100; atS = source.take().atS) {
      const [day, time] = [Math.floor(atS / 100), atS % 100]
      if (time > 48 && time <= 52) counts[day] = (counts[day] ?? 0) + 1
    }
    expect(sum(counts) / days / mostInFlight).toBeCloseTo(1, 1)
    const held = (most: number): number => counts.filter((count) => count <= most).length / days
    expect(held(peakInFlight)).toBeGreaterThan(PEAK_SHARE - 0.006)
    expect(held(peakInFlight - 3)).toBeLessThan(PEAK_SHARE)
  })
})

describe('a trace', () => {
  it('has each row in flight for as long as its own answer takes', () => {
    // 0 ──10.5   2 ─ 3.5   8 ──── 13.5, and what comes at 20 ends it.
    const trace = traceOf([
      [0, 10],
      [2, 1],
      [8, 5],
      [20, 3],
    ])
    const { requests, lengthS, mostInFlight, pieces } = flightOf({ kind: 'trace', trace }, stayS, 1)
    expect({ requests, lengthS, mostInFlight }).toEqual({ requests: 4, lengthS: 20, mostInFlight: 2 })
    expect(sum(pieces.map(({ inFlight }) => (inFlight * 20) / pieces.length))).toBeCloseTo(10.5 + 1.5 + 5.5, 9)
    const at = (atS: number): number | undefined => pieces[Math.floor((atS / 20) * pieces.length)]?.inFlight
    expect([1, 3, 5, 9, 12, 15].map((atS) => Math.round(1e9 * (at(atS) ?? -1)) / 1e9)).toEqual([1, 2, 1, 2, 1, 0])
  })

  it('is counted as one would count it by hand', () => {
    fc.assert(
      fc.property(traces, (trace) => {
        const flight = flightOf({ kind: 'trace', trace }, stayS, 1)
        const { rows } = trace
        const lengthS = rows.at(-1)?.atS ?? 0
        const spans = rows.map(({ atS, outputTokens = 0 }) => [atS, atS + stayS(outputTokens)] as const)
        const countAt = (nowS: number): number => spans.filter(([from, to]) => from <= nowS && nowS < to).length
        expect(flight.mostInFlight).toBe(Math.max(...rows.map(({ atS }) => countAt(atS))))
        const pieceS = lengthS / flight.pieces.length
        const overlap = sum(spans.map(([from, to]) => Math.max(0, Math.min(to, lengthS) - from)))
        expect(sum(flight.pieces.map(({ inFlight }) => inFlight * pieceS))).toBeCloseTo(overlap, 6)
        expect(sum(flight.pieces.map(({ arrivalsPerSecond }) => arrivalsPerSecond * pieceS))).toBeCloseTo(
          rows.length,
          6,
        )
        // How long it is exceeded, from one change to the next.
        const changes = [...new Set([...spans.flat(), lengthS])].filter((at) => at <= lengthS).sort((a, b) => a - b)
        const above = (most: number): number =>
          sum(changes.slice(1).map((to, i) => (countAt(changes[i] ?? to) > most ? to - (changes[i] ?? to) : 0)))
        expect(above(flight.peakInFlight)).toBeLessThanOrEqual(0.01 * lengthS + 1e-6)
        expect(above(flight.peakInFlight - 1)).toBeGreaterThan(0.01 * lengthS - 1e-6)
        for (const piece of flight.pieces) {
          expect(piece.peakInFlight).toBeLessThanOrEqual(flight.peakInFlight)
          expect(piece.peakInFlight).toBeGreaterThanOrEqual(Math.min(piece.inFlight, flight.peakInFlight) - 1e-9)
        }
      }),
      { seed: 3, numRuns: 40 },
    )
  })

  it('of chance is in flight as chance says it', () => {
    const rows: [number, number][] = []
    const random = createRandom('lengths')
    for (const atS of arrivalsOf({ process: { kind: 'poisson' }, rate: 5, seed: 'trace' })) {
      if (rows.length === 20_000) break
      rows.push([atS, 1 + random.below(7)])
    }
    const { peakInFlight } = flightOf({ kind: 'trace', trace: traceOf(rows) }, stayS, 1)
    // Stays are 4.5 s in the mean: 22.5 in flight.
    expect(Math.abs(peakInFlight - poissonPeak(22.5))).toBeLessThanOrEqual(1)
  })
})
