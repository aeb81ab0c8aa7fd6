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

  it('reads the JSON that fit prints, a whole run or the bare fit', () => {
    const fit = { stepMs: { base: 5, perSequence: 0.25, perPrefillToken: 0.02 } }
    const law = { baseS: 0.005, perSequenceS: 0.00025, perPrefillTokenS: 0.00002 }
    expect(parseLaw({ fit })).toEqual(law)
    expect(parseLaw(fit)).toEqual(law)
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
    [{ fit: { stepMs: { base: 5, perSequence: 1, experts: { active: 1, all: 8, ms: 20 } } } }, 'expert term'],
  ])('refuses the JSON %j', (json, what) => {
    expect(message(json)).toContain(what)
  })
})
