import { describe, expect, it } from 'vitest'
import type { RequestRecord } from '../../../src/core/index.ts'
import { type Dialect, plainDialect } from '../../../src/load/target/dialect.ts'
import { createNegotiation } from '../../../src/load/target/negotiation.ts'
import type { Probed } from '../../../src/load/target/probe.ts'

const first: Dialect = { ...plainDialect('chat', 'm'), ignoreEos: true }

const probed = (outputTokens: number, more: Partial<RequestRecord> = {}, isEndless = false): Probed => ({
  record: {
    id: 'p',
    point: -1,
    sentS: 0,
    endS: 1,
    outcome: 'ok',
    outputTokens,
    tokenSource: 'usage',
    gapsUs: [],
    ...more,
  },
  isEndless,
})
const refusal = (message: string): Probed =>
  probed(0, { outcome: 'failed', error: { kind: 'http', status: 400, message } })
const endless = probed(999, { outcome: 'cancelled' }, true)

const codeOf = (run: () => unknown): unknown => {
  try {
    return run()
  } catch (error) {
    return (error as { code?: string }).code
  }
}

describe('an answer of the length asked for', () => {
  it.each([16, 10, 17, 18])('stands at %i tokens of 16, in the dialect as it was', (tokens) => {
    const talk = createNegotiation(first, 'here')
    expect(talk.stands(probed(tokens), 16, false)).toBe(true)
    expect(talk.dialect()).toEqual(first)
  })

  it('that is empty stands only where it may be', () => {
    const empty = probed(0, { outcome: 'failed', error: { kind: 'empty', message: 'no token' } })
    expect(createNegotiation(first, 'here').stands(empty, 16, true)).toBe(true)
    expect(codeOf(() => createNegotiation(first, 'here').stands(empty, 16, false))).toBe('NO_ANSWER')
  })
})

describe('an answer beyond the length asked for', () => {
  it('leads to the other name of the limit, which stays where it helps', () => {
    const talk = createNegotiation(first, 'here')
    expect(talk.stands(probed(40), 16, false)).toBe(false)
    expect(talk.dialect().limitField).toBe('max_completion_tokens')
    expect(talk.stands(probed(16), 16, false)).toBe(true)
    expect(talk.dialect()).toEqual({ ...first, limitField: 'max_completion_tokens' })
  })

  it.each([
    ['does not help', probed(40), true],
    ['is refused', refusal('Unrecognized request argument supplied: max_completion_tokens'), false],
  ])('goes back where the other name %s, and an answer that ended will do', (_, second, stands) => {
    const talk = createNegotiation(first, 'here')
    talk.stands(probed(40), 16, false)
    expect(talk.stands(second, 16, false)).toBe(stands)
    expect(talk.dialect()).toEqual(first)
    expect(talk.stands(probed(40), 16, false)).toBe(true)
  })

  it('without end gets leave to stop by itself, and is then given up', () => {
    const talk = createNegotiation(first, 'here')
    expect(talk.stands(endless, 16, false)).toBe(false)
    expect(talk.stands(endless, 16, false)).toBe(false)
    expect(talk.dialect()).toEqual({ ...first, ignoreEos: false })
    expect(codeOf(() => talk.stands(endless, 16, false))).toBe('LIMIT_IGNORED')
  })

  it('has no other name to try in completions and Responses', () => {
    for (const endpoint of ['completions', 'responses'] as const) {
      const talk = createNegotiation(plainDialect(endpoint, 'm'), 'here')
      expect(talk.stands(probed(40), 16, false)).toBe(true)
      expect(codeOf(() => talk.stands(endless, 16, false))).toBe('LIMIT_IGNORED')
    }
  })
})

describe('a floor', () => {
  it('is tried once, in place of an ignore_eos that is refused', () => {
    const talk = createNegotiation(first, 'here')
    expect(talk.mayHold()).toBe(true)
    expect(talk.stands(refusal('ignore_eos is not permitted'), 16, false)).toBe(false)
    expect(talk.dialect()).toEqual({ ...first, ignoreEos: false, minTokens: true })
    expect(talk.stands(refusal('min_tokens is not permitted'), 16, false)).toBe(false)
    expect(talk.dialect()).toEqual({ ...first, ignoreEos: false })
    expect(talk.mayHold()).toBe(false)
  })

  it('is asked for and given up on request', () => {
    const talk = createNegotiation(first, 'here')
    talk.hold(true)
    expect(talk.dialect()).toEqual({ ...first, minTokens: true })
    talk.hold(false)
    expect(talk.dialect()).toEqual(first)
    expect(talk.mayHold()).toBe(false)
  })
})
