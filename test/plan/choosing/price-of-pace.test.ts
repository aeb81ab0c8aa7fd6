import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseAmong, moneyBeside, type Product } from '../../../src/plan/index.ts'
import { candidateOf, evidenceOfLine, LESSON } from '../../support/candidates.ts'

const pace = (tokensPerSecond: number): Product => ({ name: 'test', goal: 'pace', tokensPerSecond })

describe('the price of a tenth more pace', () => {
  it('of the lesson, at 50 tok/s: 52 in flight, and what they make less', () => {
    const candidate = candidateOf('lesson', evidenceOfLine({ ...LESSON, gpus: 2 }))
    const { priceOfPace } = chooseAmong([candidate], pace(50), { gpuHour: 3 })
    // 5 ms + 0.25 ms × 52 = 18 ms are 55.6 tok/s, and with 53 18.25 ms are 54.8.
    expect(priceOfPace?.point).toMatchObject({ concurrency: 52, source: 'fitted' })
    expect(priceOfPace?.point?.tokensPerSecondPerUser).toBeCloseTo(55.556, 2)
    expect(priceOfPace?.lostTokensPerSecondPerGpu).toBeCloseTo(1500 - 52 / 0.018 / 2, 6)
    expect(priceOfPace?.lostShare).toBeCloseTo(1 - 52 / 0.018 / 3000, 9)
    expect(priceOfPace?.perMillionOutputTokens?.before).toBeCloseTo((1e6 * 6) / (3600 * 3000), 9)
    expect(priceOfPace?.perMillionOutputTokens?.after).toBeCloseTo((1e6 * 6) / ((3600 * 52) / 0.018), 9)
    expect(priceOfPace?.sentence).toContain('costs 55.6 tok/s/GPU, 3.7 % of 1,500')
    expect(priceOfPace?.sentence).toContain('a million output tokens cost 0.58 instead of 0.56')
  })

  it('is told in as many digits as amounts that differ need', () => {
    const lesson = candidateOf('lesson', evidenceOfLine({ ...LESSON, gpus: 2 }))
    const found = chooseAmong([lesson], pace(50), { gpuHour: 0.55 })
    const [, after, before] = /cost ([\d.]+) instead of ([\d.]+)\.$/.exec(found.priceOfPace?.sentence ?? '') ?? []
    expect(Number(after)).toBeGreaterThan(Number(before))
    expect(moneyBeside(0.1212, 0.1239)).toEqual(['0.121', '0.124'])
    expect(moneyBeside(0.5, 0.5)).toEqual(['0.50', '0.50'])
    expect(moneyBeside(0.58, 0.56)).toEqual(['0.58', '0.56'])
  })

  it('is that of the greatest load which has it, as trying every load finds', () => {
    const step = fc.record({
      a: fc.double({ min: 2e-3, max: 0.02, noNaN: true }),
      b: fc.double({ min: 5e-5, max: 1e-3, noNaN: true }),
    })
    fc.assert(
      fc.property(step, fc.double({ min: 5, max: 200, noNaN: true }), ({ a, b }, floor) => {
        fc.pre(1 / (a + b) >= floor)
        const candidate = candidateOf('one', evidenceOfLine({ a, b, gpus: 1 }))
        const { choice, priceOfPace } = chooseAmong([candidate], pace(floor))
        const least = 1.1 * choice.tokensPerSecondPerUser
        const holding = Array.from({ length: 256 }, (_, i) => i + 1).filter(
          (load) => 1 / (a + b * load) >= least * (1 - 1e-7),
        )
        const most = holding.at(-1)
        if (most === undefined) {
          expect(priceOfPace?.point).toBeUndefined()
          expect(priceOfPace?.sentence).toContain('No load gives 10 % more pace')
          return
        }
        expect(Math.abs((priceOfPace?.point?.concurrency ?? 0) - most)).toBeLessThanOrEqual(1e-5 * most)
        expect(priceOfPace?.lostShare).toBeCloseTo(1 - most / (a + b * most) / choice.outputTokensPerSecond, 5)
        expect(priceOfPace?.lostShare).toBeGreaterThan(0)
      }),
      { seed: 64, numRuns: 60 },
    )
  })

  it('may be had of another candidate', () => {
    const candidates = [
      candidateOf('wide', evidenceOfLine({ a: 0.01, b: 0.00001, gpus: 1 })),
      candidateOf('quick', evidenceOfLine({ a: 0.004, b: 0.0003, gpus: 1 })),
    ]
    const { choice, priceOfPace } = chooseAmong(candidates, pace(95))
    expect(choice.configuration).toBe('wide')
    expect(priceOfPace?.point?.configuration).toBe('quick')
    expect(priceOfPace?.sentence).toContain('on quick')
  })

  it('is none where no load is so much quicker, and of a server without known GPUs it is of all that it makes', () => {
    const { priceOfPace: none } = chooseAmong([candidateOf('lesson', evidenceOfLine(LESSON))], pace(185))
    expect(none).toEqual({
      sentence: 'No load gives 10 % more pace, 210 tok/s/user: the fastest known is 190.',
    })
    const { priceOfPace } = chooseAmong([candidateOf('lesson', evidenceOfLine(LESSON))], pace(50))
    expect(priceOfPace?.lostTokensPerSecondPerGpu).toBeUndefined()
    expect(priceOfPace?.sentence).toContain('costs 111 tok/s, 3.7 % of 3,000')
  })
})
