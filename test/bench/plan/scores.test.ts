import { describe, expect, it } from 'vitest'
import type { PlanAnswer, Size } from '../../../bench/plan/answers.ts'
import { planScores } from '../../../bench/plan/scores.ts'
import { plannedServers } from '../../../bench/plan/servers.ts'
import { truthOf } from '../../../bench/plan/truth.ts'
import { readResult } from '../../../bench/results.ts'

const size = (replicas: number, attainment: number, holds = attainment >= 0.9): Size => ({
  replicas,
  truth: { attainment, error: 0.01 },
  holds,
})

const right: PlanAnswer = {
  server: 'a=5ms,b=0.25ms',
  lengths: 'alike',
  product: 'chat',
  arrivalsPerSecond: 10,
  share: 0.9,
  toldOfMean: { attainment: 0.8, interval: { low: 0.75, high: 0.85 } },
  toldOfPeak: { attainment: 1, interval: { low: 0.99, high: 1 } },
  naive: size(1, 0.1),
  mean: size(4, 0.78),
  arithmetic: size(6, 1),
  planned: size(6, 1),
  fewest: size(5, 0.95),
  oneFewer: size(4, 0.78),
}
const wrong: PlanAnswer = { ...right, mean: size(4, 0.6), planned: size(6, 0.5), oneFewer: size(4, 0.95) }

describe('the score of plans', () => {
  it('holds its marks where every word is true', () => {
    const { marks, sizings, fewest } = planScores([right])
    expect(marks.map(({ pass }) => pass)).toEqual([true, true, true])
    expect(sizings.map(({ holdPct }) => holdPct)).toEqual([0, 0, 100, 100])
    expect(sizings.map(({ timesFewest }) => timesFewest)).toEqual([0.2, 0.8, 1.2, 1.2])
    expect(fewest).toEqual({ fleets: 1, holdPct: 100, tight: 1, tightPct: 100 })
  })

  it('counts what is told wrong, what does not hold, and what could be less', () => {
    const { marks, told, fewest } = planScores([right, wrong])
    expect(marks.map(({ pass }) => pass)).toEqual([false, true, false])
    expect(told.map(({ insidePct }) => insidePct)).toEqual([50, 100])
    expect(told.map(({ undecided }) => undecided)).toEqual([2, 0])
    expect(fewest.tightPct).toBe(50)
  })

  it('is none of no plans', () => {
    expect(() => planScores([])).toThrow('nothing was planned')
  })

  it('is what its page says, and misses no mark but those named here', () => {
    const { answers, marks } = readResult('plan') ?? { answers: [], marks: [] }
    expect(answers.length).toBeGreaterThanOrEqual(36)
    // Shares in hundredths are kept to five digits.
    expect(planScores(answers).marks).toEqual(marks)
    expect(marks.filter(({ pass }) => !pass).map(({ name }) => name)).toEqual(MISSED)
  })
})

/** Marks that plans do not hold. One that they come to hold has to leave this list. */
const MISSED: readonly string[] = []

describe('the truth of a fleet', () => {
  const alike = { input: { kind: 'fixed', tokens: 50 }, output: { kind: 'fixed', tokens: 50 } } as const
  const [server] = plannedServers(['a=5ms,b=0.25ms,d=0.01ms'], [alike])
  const attainment = (replicas: number, tokensPerSecond: number): number =>
    truthOf(
      server!,
      { name: 'floor', goal: 'pace', tokensPerSecond },
      { arrivalsPerSecond: 60, inFlight: 30 },
      replicas,
      2000,
    ).attainment

  it('is everyone where none shares a step with many, nobody above the pace of one alone, and between them some', () => {
    expect(attainment(40, 100)).toBeGreaterThan(0.999)
    expect(attainment(40, 200)).toBe(0)
    const some = attainment(1, 50)
    expect(some).toBeGreaterThan(0.02)
    expect(some).toBeLessThan(0.98)
  })
})
