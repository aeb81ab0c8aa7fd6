import { describe, expect, it } from 'vitest'
import { answerOf, byLaw, byMeasuredPoint } from '../../../bench/choose/answers.ts'
import { floorsOf, hasOneAnswer, heldBack } from '../../../bench/choose/questions.ts'
import { scoreOf } from '../../../bench/choose/scores.ts'
import { type ServingSetup, type ServingSweep, servingSweeps } from '../../../bench/model/serving.ts'

const [{ setup }] = servingSweeps() as readonly [ServingSweep]

/** A sweep of the law T(B) = 5 ms + 0.25 ms × B, whose loads double, with some of its paces as they are told. */
const sweepOf = (loads: readonly number[], told: Readonly<Record<number, number>> = {}) =>
  heldBack({
    setup: setup as ServingSetup,
    rows: loads.map((concurrency, row) => {
      const tokensPerSecondPerUser = told[concurrency] ?? 1000 / (5 + 0.25 * concurrency)
      return { row, concurrency, tokensPerSecondPerUser, outputTokensPerSecond: concurrency * tokensPerSecondPerUser }
    }),
  })

const LOADS = [1, 2, 4, 8, 16, 32, 64]

describe('a question', () => {
  it('is asked a quarter, a half and three quarters between every two measured paces', () => {
    const questions = floorsOf(sweepOf(LOADS)!)
    expect(questions.length).toBe(3 * (LOADS.length - 1))
    expect(questions.every(hasOneAnswer)).toBe(true)
  })

  it('has no one answer where pace goes up and down across it', () => {
    const questions = floorsOf(sweepOf(LOADS, { 16: 60 })!)
    const parted = questions.filter(hasOneAnswer)
    expect(parted.length).toBeGreaterThan(0)
    expect(parted.length).toBeLessThan(questions.length)
  })

  it('needs a load beside the three', () => {
    expect(sweepOf([1, 8, 64])).toBeUndefined()
  })
})

describe('an answer', () => {
  const questions = floorsOf(sweepOf(LOADS)!)

  it('of the law itself is right, makes more than the best measured load, and misses nothing by more than rounding', () => {
    const { withinOneStepPct, wholeSweepsPct, exactPct, regretPct, missed } = scoreOf(
      questions.flatMap((question) => answerOf(byLaw, question) ?? []),
    )
    expect([withinOneStepPct, wholeSweepsPct, exactPct]).toEqual([100, 100, 100])
    expect(regretPct.median).toBeLessThan(0)
    expect(missed.p90Pct).toBeLessThan(1e-6)
  })

  it('of the best of three points misses nothing, and is seldom the best load', () => {
    const { exactPct, regretPct, missed } = scoreOf(
      questions.flatMap((question) => answerOf(byMeasuredPoint, question) ?? []),
    )
    // Shown are 1, 8 and 64: of the six gaps it is right in those above 1 and 8.
    expect(exactPct).toBeCloseTo(100 / 3)
    expect(regretPct.p90).toBeGreaterThan(40)
    expect(missed.pct).toBe(0)
  })

  it('that is none, or two loads off, is not within one', () => {
    const [, , , , , , question] = questions
    expect(answerOf(() => undefined, question!)).toMatchObject({ withinOneStep: false, regret: 1 })
    // The best is 4.
    expect(answerOf(() => 8, question!)).toMatchObject({ withinOneStep: true, exact: false })
    expect(answerOf(() => 9, question!)?.withinOneStep).toBe(false)
    expect(answerOf(() => 2, question!)).toMatchObject({ withinOneStep: true, exact: false, missedBy: 0 })
    expect(answerOf(() => 9, question!)?.missedBy).toBeGreaterThan(0.1)
  })
})
