import { describe, expect, it } from 'vitest'
import { checkSearch } from '../../src/load/check-search.ts'
import type { MeasureOptions } from '../../src/load/options.ts'

const check = (more: Partial<MeasureOptions>): void => checkSearch({ url: 'http://localhost:1', ...more })
const floor = { objectives: { tokensPerSecond: 40 } }

describe('a search', () => {
  it.each<[string, Partial<MeasureOptions>]>([
    ['a find with a floor', { search: 'find', ...floor }],
    ['a find with a wait, and a share', { search: 'find', objectives: { ttftMs: 500 }, share: 0.9 }],
    ['a sweep', { search: 'sweep' }],
    ['a sweep of answers of two tokens', { search: 'sweep', outputTokens: 2 }],
    ['a find of the first token alone', { search: 'find', objectives: { ttftMs: 500 }, outputTokens: 1 }],
    ['a sweep beside objectives', { search: 'sweep', ...floor }],
    ['a find with as many requests a point', { search: 'find', ...floor, requests: 200 }],
    ['none', { concurrency: [1, 2], ...floor }],
  ])('takes %s', (_, more) => {
    expect(() => check(more)).not.toThrow()
  })

  it.each<[string, Partial<MeasureOptions>, string, RegExp]>([
    ['a find without an objective', { search: 'find' }, 'MISSING_VALUE', /none is given/],
    ['a find beside loads', { search: 'find', ...floor, concurrency: [1] }, 'CONFLICTING_FLAGS', /--concurrency/],
    ['a sweep beside loads', { search: 'sweep', concurrency: [1] }, 'CONFLICTING_FLAGS', /--sweep chooses/],
    ['a find of rates', { search: 'find', ...floor, rates: [5] }, 'CONFLICTING_FLAGS', /--rate/],
    ['a find of a trace', { search: 'find', ...floor, trace: { path: 'x' } }, 'CONFLICTING_FLAGS', /--trace/],
    ['a find with pauses', { search: 'find', ...floor, think: { meanS: 1 } }, 'CONFLICTING_FLAGS', /--think/],
    ['a find in rounds', { search: 'find', ...floor, repeat: 3 }, 'CONFLICTING_FLAGS', /--repeat/],
    ['a share of nothing', { share: 0.9, ...floor }, 'CONFLICTING_FLAGS', /no --find/],
    ['a share of a sweep', { search: 'sweep', share: 0.9 }, 'CONFLICTING_FLAGS', /no --find/],
    ['a share above all', { search: 'find', ...floor, share: 1.5 }, 'INVALID_VALUE', /share is 1.5/],
    ['a pace of one token', { search: 'find', ...floor, outputTokens: 1 }, 'CONFLICTING_FLAGS', /--output-tokens 1/],
    ['a frontier of one token', { search: 'sweep', outputTokens: 1 }, 'CONFLICTING_FLAGS', /--output-tokens 1/],
  ])('refuses %s, with the reason', (_, more, code, message) => {
    expect(() => check(more)).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }))
  })
})
