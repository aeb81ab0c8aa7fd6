import { describe, expect, it } from 'vitest'
import { gpuHour } from '../../../src/cli/planning/gpu-hour.ts'
import { priced } from '../../../src/cli/planning/priced.ts'
import type { Candidate } from '../../../src/plan/index.ts'

describe('the price of a GPU', () => {
  it('is one for all, or one for each', () => {
    expect(gpuHour('2.5')).toBe(2.5)
    expect(gpuHour('0')).toBe(0)
    expect(gpuHour('h100-sxm=2.5, b200=4.2')).toEqual({ 'h100-sxm': 2.5, b200: 4.2 })
  })

  it.each(['', 'x', '-1', 'h100=', '=2', 'h100=2=3', 'h100=2,h100=3', 'h100=2,', 'h100=x'])('%j is none', (text) => {
    expect(() => gpuHour(text)).toThrow()
  })
})

describe('candidates with prices', () => {
  const candidate = (name: string, gpu?: string): Candidate => ({
    name,
    kind: 'measured',
    ...(gpu !== undefined && { gpu }),
    evidenceFor: () => {
      throw new Error('not asked for')
    },
    unitFor: () => undefined,
  })
  const both = { candidates: [candidate('a', 'h100-sxm'), candidate('b', 'b200-sxm')], splits: [] }

  it('have those of their GPUs, however they are written', () => {
    const { candidates } = priced(both, { H100: 2.5, b200: 4 })
    expect(candidates.map(({ pricePerHour }) => pricePerHour)).toEqual([2.5, 4])
    expect(priced(both, 3)).toBe(both)
    expect(priced(both, undefined)).toBe(both)
  })

  it('are refused with each price that is missing or of nothing', () => {
    expect(() => priced(both, { h100: 2.5, mi300x: 3 })).toThrow(/mi300x, which nothing runs on; .*no price of b200/)
    const unnamed = { candidates: [candidate('a', 'h100-sxm'), candidate('runs/x')], splits: [] }
    expect(() => priced(unnamed, { h100: 2.5 })).toThrow(/the GPUs of runs\/x, which are not named/)
    expect(() => priced(both, { h1000: 2.5 })).toThrow(/no GPU named/)
  })
})
