import { describe, expect, it } from 'vitest'
import { createCurve, fitLaw, fitPoints, type LoadPoint, pointsOfRows } from '../../../src/model/index.ts'

const pointsOf = (rows: readonly (readonly [load: number, pace: number, output: number])[]): readonly LoadPoint[] =>
  pointsOfRows(
    rows.map(([concurrency, tokensPerSecondPerUser, outputTokensPerSecond]) => ({
      concurrency,
      tokensPerSecondPerUser,
      outputTokensPerSecond,
    })),
  )

/** InferenceX, November 2025: DeepSeek-R1 (8 of 256 experts) on four B200, from 64 in flight. */
const HIGH_LOADS = pointsOf([
  [64, 44.866, 2817.5],
  [128, 34.92, 4379.8],
  [256, 28.839, 7148.7],
])
/** The same of gpt-oss-120b (4 of 128) on four H200. */
const FROM_FOUR = pointsOf([
  [4, 200.908, 788.3],
  [8, 165.188, 1299.7],
  [16, 133.91, 2110.6],
  [32, 109.216, 3444],
  [64, 87.751, 5543],
])

describe('a law of experts whose base is not told from 0', () => {
  const deployment = { gpus: 4, experts: { active: 8, all: 256 } }
  const { fit, frontier } = fitPoints(HIGH_LOADS, deployment)

  it('is believed between its loads and says nothing outside them', () => {
    expect(fit.stepMs?.base).toBe(0)
    expect(fit.soloLimitTokensPerSecond).toBeUndefined()
    expect(fit.soloTokensPerSecond).toBeUndefined()
    const curve = createCurve(HIGH_LOADS, fitLaw(HIGH_LOADS, deployment))
    expect([1, 4, 63, 257].map((load) => curve.at(load))).toEqual([undefined, undefined, undefined, undefined])
    expect(curve.at(96)?.tokensPerSecondPerUser).toBeCloseTo(38.5, 0)
    expect(frontier[0]?.concurrency).toBe(64)
  })

  it('leaves a measured pace an interval that is of its own size', () => {
    for (const { tokensPerSecondPerUser: pace, low = 0, high = Number.POSITIVE_INFINITY } of frontier) {
      expect(pace / low).toBeLessThan(1.2)
      expect(high / pace).toBeLessThan(1.2)
    }
  })
})

describe('limits', () => {
  const { fit, frontier } = fitPoints(FROM_FOUR, { gpus: 4, experts: { active: 4, all: 128 } }, [256])

  it('are withheld where they stand on a term that is not told from 0, and given where they do not', () => {
    expect(fit.stepMsInterval?.perSequence.low).toBe(0)
    for (const limit of ['ceilingTokensPerSecond', 'halfBatch', 'stability', 'priceOfSpeed'] as const) {
      expect(fit[limit]).toBeUndefined()
    }
    expect(fit.soloLimitTokensPerSecond).toBeCloseTo(245, 0)
    expect(fit.soloTokensPerSecond).toBeCloseTo(230, 0)
  })

  it('of a straight line too', () => {
    // Step times that differ by less than a measurement repeats tell nothing of what a sequence costs.
    const level = fitLaw(
      pointsOf([1, 2, 4, 8].map((load) => [load, 100 - load / 20, load * (100 - load / 20)] as const)),
    )
    expect(level.fit.ceilingTokensPerSecond).toBeUndefined()
    expect(level.fit.soloLimitTokensPerSecond).toBeCloseTo(100, 0)
    const steep = fitLaw(
      pointsOf([1, 2, 4, 8].map((load) => [load, 100 / (1 + load), (100 * load) / (1 + load)] as const)),
    )
    expect(steep.fit.ceilingTokensPerSecond).toBeCloseTo(100, 6)
  })

  it('bound each other: no interval reaches past that of a lesser or a greater load', () => {
    frontier.forEach((point, i) => {
      for (const greater of frontier.slice(i + 1)) {
        expect(point.low).toBeGreaterThanOrEqual(greater.low ?? 0)
        expect(point.high).toBeGreaterThanOrEqual(greater.high ?? 0)
      }
    })
  })
})
