import { describe, expect, it } from 'vitest'
import { createCurve, fitLaw, pointsOfRows } from '../../src/model/index.ts'
import { choose, evidenceOfRows } from '../../src/plan/index.ts'

/** T = 8 + 0.3·min(C, 48) ms: a server that decodes 48 at once, measured on both sides of that. */
const PLACES = 48
const paceAt = (load: number): number => 1000 / (8 + 0.3 * Math.min(load, PLACES))
const rowsOf = (loads: readonly number[]) =>
  loads.map((concurrency) => ({
    concurrency,
    outputTokensPerSecond: Math.min(concurrency, PLACES) * paceAt(concurrency),
    tokensPerSecondPerUser: paceAt(concurrency),
    ttftMs: 100 * Math.max(1, concurrency - PLACES + 1),
  }))
const LOADS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
const curveOf = (rows: Parameters<typeof pointsOfRows>[0]) => {
  const points = pointsOfRows(rows)
  return createCurve(points, fitLaw(points))
}

describe('around the limit of a server', () => {
  const curve = curveOf(rowsOf(LOADS))

  it.each([3, 24, 40, 47, 48, 49, 50, 63, 100, 300, 1000, 2000])('%i in flight are at what it decodes', (load) => {
    const { tokensPerSecondPerUser: pace, outputTokensPerSecond: output } = curve.at(load) ?? {
      tokensPerSecondPerUser: 0,
      outputTokensPerSecond: 0,
    }
    expect(pace / paceAt(load)).toBeCloseTo(1, 5)
    expect(output / (Math.min(load, PLACES) * paceAt(load))).toBeCloseTo(1, 5)
  })

  it('a floor is held up to the load where the law reaches it, not by a piece to the load beyond', () => {
    const evidence = evidenceOfRows(rowsOf(LOADS))
    const loadFor = (floor: number) => choose(evidence, { name: 'x', goal: 'pace', tokensPerSecond: floor }).choice
    expect(loadFor(49.9).concurrency).toBe(40)
    expect(loadFor(60).concurrency).toBe(28)
    expect(loadFor(20)).toMatchObject({ concurrency: 48 })
    expect(loadFor(20).outputTokensPerSecond).toBeCloseTo(2142.86, 1)
  })

  it('that only outputs tell: more in flight share what it makes', () => {
    const rows = LOADS.map((concurrency) => ({
      concurrency,
      outputTokensPerSecond: Math.min(concurrency, PLACES) * paceAt(concurrency),
    }))
    const blind = curveOf(rows)
    for (const load of [40, 100, 300, 1000]) {
      const output = Math.min(load, PLACES) * paceAt(load)
      expect((blind.at(load)?.outputTokensPerSecond ?? 0) / output).toBeCloseTo(1, 5)
      expect((blind.at(load)?.tokensPerSecondPerUser ?? 0) / (output / load)).toBeCloseTo(1, 5)
    }
  })

  it('is none where the law goes on: there it answers', () => {
    const steady = LOADS.map((concurrency) => ({
      concurrency,
      outputTokensPerSecond: (1000 * concurrency) / (8 + 0.3 * concurrency),
      ttftMs: 100,
    }))
    expect(curveOf(steady).at(1000)?.tokensPerSecondPerUser).toBeCloseTo(1000 / 308, 6)
  })
})
