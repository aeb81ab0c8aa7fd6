import { describe, expect, it } from 'vitest'
import type { FrontierPoint } from '../../src/core/index.ts'
import { createRandom } from '../../src/core/index.ts'
import { createCurve, fitLaw, frontierOf, pointsOfRows } from '../../src/model/index.ts'

type Rows = readonly (readonly [load: number, output: number])[]
const frontierOfRows = (rows: Rows, at: readonly number[] = []): readonly FrontierPoint[] => {
  const points = pointsOfRows(
    rows.map(([concurrency, outputTokensPerSecond]) => ({ concurrency, outputTokensPerSecond })),
  )
  return frontierOf(points, createCurve(points, fitLaw(points)), 1, at)
}

describe('the interval of a load', () => {
  const random = createRandom('asked')
  const draws = Array.from({ length: 40 }, (): Rows => {
    const [a, b] = [0.005 * (0.2 + random.next()), 0.0004 * random.next() ** 3]
    const loads = [2, 4, 8, 16, 32].slice(0, 2 + Math.floor(4 * random.next()))
    return loads.map((load) => [load, load / ((a + b * load) * (1 + 0.1 * (random.next() - 0.5)))])
  })
  const exact: Rows = [1, 2, 4, 8].map((load) => [load, 100 * load])

  it('is its own, whichever others are asked for', () => {
    for (const rows of [exact, ...draws]) {
      const alone = frontierOfRows(rows)
      const asked = frontierOfRows(rows, [1, 3, 5, 30, 100])
      for (const point of alone) expect(asked).toContainEqual(point)
    }
    expect(frontierOfRows(exact, [30]).some(({ concurrency }) => concurrency === 30)).toBe(true)
  })

  it('holds its pace and lies between those beside it', () => {
    for (const rows of [exact, ...draws]) {
      const frontier = frontierOfRows(rows, [1, 3, 5, 30, 100])
      for (const { low = 0, high = 0, tokensPerSecondPerUser: pace } of frontier) {
        expect(low).toBeLessThanOrEqual(pace)
        expect(high).toBeGreaterThanOrEqual(pace)
      }
      const measured = frontier.filter(({ source }) => source === 'measured')
      measured.slice(1).forEach((point, i) => {
        expect(point.low).toBeLessThanOrEqual(measured[i]?.low ?? 0)
        expect(point.high).toBeLessThanOrEqual(measured[i]?.high ?? 0)
      })
    }
  })

  it('is that of a repeat where no law fits', () => {
    const jumps: Rows = [
      [4, 1000],
      [32, 800],
      [256, 6000],
    ]
    for (const { low = 0, high = 0, tokensPerSecondPerUser: pace } of frontierOfRows(jumps)) {
      expect(pace / low).toBeCloseTo(1.02, 6)
      expect(high / pace).toBeCloseTo(1.02, 6)
    }
  })
})

describe('ten thousand loads', () => {
  const rows: Rows = Array.from({ length: 10_000 }, (_, i) => [i + 1, (i + 1) / (0.005 + 0.0001 * (i + 1))])

  it('are shown by some two hundred, the least and the greatest among them, and what is asked for', () => {
    const shown = frontierOfRows(rows, [777, 7777.5]).map(({ concurrency }) => concurrency)
    const measured = shown.filter((load) => Number.isInteger(load))
    expect(measured.length).toBeGreaterThan(150)
    expect(measured.length).toBeLessThan(260)
    expect(shown).toEqual(expect.arrayContaining([1, 777, 7777.5, 10_000]))
  })

  it('are all shown where they are two hundred', () => {
    expect(frontierOfRows(rows.slice(0, 200)).filter(({ source }) => source === 'measured')).toHaveLength(200)
  })
})
