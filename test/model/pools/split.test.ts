import { describe, expect, it } from 'vitest'
import { TwospeedError } from '../../../src/core/index.ts'
import { gpusOfPool, nameOfPool, parsePool } from '../../../src/model/pools/split.ts'

describe('a pool as it is written', () => {
  it('reads count and TP, and what may follow', () => {
    expect(parsePool('--prefill', '2x4')).toEqual({ count: 2, tp: 4 })
    expect(parsePool('--decode', ' 1x1, dp=8, ep=8 ')).toEqual({ count: 1, tp: 1, dp: 8, ep: 8 })
  })

  it.each([
    { count: 2, tp: 4 },
    { count: 1, tp: 1, dp: 8, ep: 8 },
    { count: 3, tp: 2, pp: 2, dp: 4, ep: 8 },
  ])('reads what it is called: %o', (pool) => {
    expect(parsePool('--decode', nameOfPool(pool))).toEqual(pool)
    expect(parsePool('--decode', nameOfPool(pool).replace('×', 'x'))).toEqual(pool)
  })

  it.each([
    '',
    '2',
    '2xTP',
    '2 × TP4 and 1 × TP8',
    'x4',
    '2*4',
    '2x4x2',
    '0x4',
    '2x0',
    '-1x4',
    '1.5x4',
    '2x4,dp=0',
    '2x4,dp=2,dp=4',
    '2x4,cp=2',
    '1e3x4',
  ])('refuses %j and names the flag', (text) => {
    const parse = (): unknown => parsePool('--prefill', text)
    expect(parse).toThrow(TwospeedError)
    expect(parse).toThrow(/^--prefill: /)
  })

  it.each(['1000000x1', '1x10000'])('says of %s that it is too large, not that it is of another form', (text) => {
    expect(() => parsePool('--prefill', text)).toThrow(/is too large: at most 99999 instances of TP 9999/)
    expect(parsePool('--prefill', '99999x9999')).toEqual({ count: 99_999, tp: 9999 })
  })

  it('counts GPUs of all instances, and names the pool', () => {
    const pool = parsePool('--decode', '3x2,dp=4,ep=8,pp=2')
    expect(gpusOfPool(pool)).toBe(48)
    expect(nameOfPool(pool)).toBe('3 × TP2 PP2 DP4 EP8')
    expect(nameOfPool({ count: 2, tp: 4 })).toBe('2 × TP4')
  })
})
