import { describe, expect, it } from 'vitest'
import { TwospeedError } from '../../src/core/index.ts'
import { parseLaw, stepSeconds } from '../../src/model/index.ts'

const message = (source: unknown): string => {
  try {
    parseLaw(source)
  } catch (error) {
    if (error instanceof TwospeedError && error.code === 'INVALID_VALUE') return error.message
    throw error
  }
  return 'accepted'
}

describe('parseLaw', () => {
  it('reads the two terms of the lesson, in seconds', () => {
    const law = parseLaw('a=5ms,b=0.25ms')
    expect(law).toEqual({ baseS: 0.005, perSequenceS: 0.00025 })
    expect(stepSeconds(law, { batch: 20 })).toBeCloseTo(0.01, 12)
    expect(stepSeconds(law, { batch: 80 })).toBeCloseTo(0.025, 12)
  })

  it('reads all four terms, in any order and unit', () => {
    const law = parseLaw('d=20us, c=0.01ms, b=0.25ms, a=0.005s')
    expect(law.perThousandKvTokensS).toBeCloseTo(1e-5, 12)
    expect(law.perPrefillTokenS).toBeCloseTo(2e-5, 12)
    expect(stepSeconds(law, { batch: 20, kvTokens: 100_000, prefillTokens: 50 })).toBeCloseTo(0.012, 12)
  })

  it('takes nothing without a unit, and nanoseconds', () => {
    expect(parseLaw('a=5ms,b=0')).toEqual({ baseS: 0.005, perSequenceS: 0 })
    expect(parseLaw('a=5ms,b=0.0,d=250ns').perPrefillTokenS).toBeCloseTo(2.5e-7, 15)
    expect(message('a=5ms,b=1')).toContain('no duration with its unit')
  })

  it('reads the JSON that fit prints, a whole run or the bare fit', () => {
    const fit = { stepMs: { base: 5, perSequence: 0.25, perPrefillToken: 0.02 } }
    const law = { baseS: 0.005, perSequenceS: 0.00025, perPrefillTokenS: 0.00002 }
    expect(parseLaw({ fit })).toEqual(law)
    expect(parseLaw(fit)).toEqual(law)
  })

  it('reads the expert term of a fit; a step reads the experts that its tokens are sent to', () => {
    const law = parseLaw({ fit: { stepMs: { base: 4, perSequence: 0.1, experts: { active: 1, all: 32, ms: 20 } } } })
    expect(law.experts).toEqual({ active: 1, all: 32, seconds: 0.02 })
    expect(stepSeconds(law, { batch: 0 })).toBeCloseTo(0.004, 12)
    expect(stepSeconds(law, { batch: 1 })).toBeCloseTo(0.0041 + 0.02 / 32, 12)
    expect(stepSeconds(law, { batch: 32 })).toBeCloseTo(0.019959, 6)
    expect(stepSeconds(law, { batch: 1e6 })).toBeCloseTo(100.024, 9)
  })

  it("touches DeepSeek's 57 of 256 experts with eight tokens", () => {
    const law = { baseS: 0, perSequenceS: 0, experts: { active: 8, all: 256, seconds: 256 } }
    expect(stepSeconds(law, { batch: 8 })).toBeCloseTo(57.4, 1)
  })

  it.each([
    ['', '"" is none of a='],
    ['a=5ms', 'b is missing'],
    ['b=5ms', 'a is missing'],
    ['a=5,b=1ms', 'a="5" is no duration'],
    ['a=-5ms,b=1ms', 'a="-5ms" is no duration'],
    ['a=5ms,b=NaNms', 'b="NaNms"'],
    ['a=5ms,b=1ms,b=2ms', 'b is given twice'],
    ['a=5ms,b=1ms,e=2ms', '"e=2ms" is none of'],
    ['a=0ms,b=0ms', 'no time'],
    ['a=5,b=,x', 'a="5" is no duration with its unit; b="" is no duration with its unit; "x" is none of'],
  ])('refuses %j and names what is wrong', (text, what) => {
    expect(message(text)).toContain(what)
  })

  it.each([
    [{}, 'no fit'],
    [null, 'no fit'],
    [{ fit: { stepMs: { base: 5 } } }, 'b is missing'],
    [{ fit: { stepMs: { base: 5, perSequence: -1 } } }, 'perSequence is not a time'],
    [{ fit: { stepMs: { base: 0, perSequence: 0, experts: { active: 1, all: 8, ms: 0 } } } }, 'no time'],
    [{ fit: { stepMs: { base: 5, perSequence: 1, experts: { active: 9, all: 8, ms: 20 } } } }, 'at most all'],
    [
      { fit: { stepMs: { base: 5, perSequence: 1, experts: { active: 0, all: 8, ms: 20 } } } },
      'active must be above 0',
    ],
    [{ fit: { stepMs: { base: 5, perSequence: 1, experts: { active: 1, all: 8 } } } }, 'experts.ms is not a time'],
  ])('refuses the JSON %j', (json, what) => {
    expect(message(json)).toContain(what)
  })
})
