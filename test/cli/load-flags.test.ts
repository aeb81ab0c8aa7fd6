import { describe, expect, it } from 'vitest'
import { arrivalProcess, parseRate, parseThink, rates, think } from '../../src/cli/load-flags.ts'

describe('a rate', () => {
  it('is so many in a unit of time, and per second inside', () => {
    expect(['5/s', '0.5/s', '300/min', '90/m', '7200/h', ' 5/s '].map(parseRate)).toEqual([5, 0.5, 5, 1.5, 2, 5])
    expect(rates('5/s, 10/s,60/min')).toEqual([5, 10, 1])
  })

  it.each(['5', '0/s', '-1/s', '5/', '/s', '5/ms', '1e3/s', 'NaN/s', '', '5/s,'])('is not %o', (text) => {
    expect(() => rates(text)).toThrow('such as 5/s')
  })
})

describe('a pause between two requests', () => {
  it('is a duration, or one of a mean', () => {
    expect(parseThink('2s')).toEqual({ meanS: 2, distribution: 'constant' })
    expect(think('exponential:500ms')).toEqual({ meanS: 0.5, distribution: 'exponential' })
  })

  it.each(['2', '0s', 'exponential:', 'exponential:0s', 'normal:2s', ''])('is not %o', (text) => {
    expect(() => think(text)).toThrow('such as 2s')
  })
})

it('arrivals are of one of three kinds', () => {
  expect(arrivalProcess('gamma')).toBe('gamma')
  expect(() => arrivalProcess('uniform')).toThrow('constant, poisson, gamma')
})
