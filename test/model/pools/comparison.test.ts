import { describe, expect, it } from 'vitest'
import type { PaceCurve } from '../../../src/model/pools/at-floor.ts'
import { comparePools, crossingsOf } from '../../../src/model/pools/comparison.ts'
import { closedLoop } from '../../../src/model/roofline/index.ts'
import { affineModel, affinePools, TIMES } from './affine-pools.ts'

/** T(n) = a + b·n, and so y = (1 − a·u)/(b·G). */
function straight(a: number, b: number, gpus: number): PaceCurve {
  return {
    gpus,
    most: 1000,
    at: (load) => ({
      load,
      batch: load,
      tokensPerSecondPerUser: 1 / (a + b * load),
      outputTokensPerSecond: load / (a + b * load),
      ttftMs: 0,
      tpotMs: 1000 * (a + b * load),
      binding: 'weights',
      bindingShare: 0.5,
    }),
  }
}

describe('split pools against replicas that do both', () => {
  it('cross where two straight frontiers do', () => {
    const [split, colocated] = [straight(0.004, 0.0004, 2), straight(0.008, 0.0006, 1)]
    const [c, d] = [1 / (0.0004 * 2), 1 / 0.0006]
    const pace = (d - c) / (0.008 * d - 0.004 * c)
    expect(crossingsOf(split, colocated)).toEqual([{ tokensPerSecondPerUser: expect.closeTo(pace, 4), above: 'split' }])
    expect(crossingsOf(colocated, split)).toEqual([
      { tokensPerSecondPerUser: expect.closeTo(pace, 4), above: 'colocated' },
    ])
  })

  it('cross where one passes the most that the other can be loaded with', () => {
    // Ten sequences at 125 tok/s are 1250 tok/s, as (1 − 0.008·u)/0.0006 is at 31.25.
    const split = { ...straight(0.004, 0.0004, 1), most: 10 }
    const crossings = crossingsOf(split, straight(0.008, 0.0006, 1))
    expect(crossings).toEqual([{ tokensPerSecondPerUser: expect.closeTo(31.25, 4), above: 'split' }])
  })

  it('do not cross where one is better throughout, or has no pace in common', () => {
    expect(crossingsOf(straight(0.004, 0.0004, 1), straight(0.008, 0.0006, 1))).toEqual([])
    expect(crossingsOf(straight(0.5, 0.001, 1), straight(0.001, 0.000001, 1))).toEqual([])
  })

  it('say what each gives at a floor, and leave out what does not reach it', () => {
    // Two that read to three that answer, of which each keeps 60 at 50 tok/s/user: the decode pool ends first.
    const split = affinePools({ prefill: { count: 2, tp: 1 }, decode: { count: 3, tp: 1 } })
    const model = affineModel(split.writer.model.configuration, TIMES)
    const { memory } = split.writer
    const { atFloor } = comparePools(split, { model, memory }, 50)
    expect(atFloor?.split?.tokensPerSecondPerUser).toBeCloseTo(50, 6)
    expect(atFloor?.split?.tokensPerSecondPerGpu).toBeCloseTo((3 * 60 * 50) / 5, 3)
    expect(atFloor?.colocated?.tokensPerSecondPerUser).toBeCloseTo(50, 3)
    const point = closedLoop(model, memory, split.lengths, atFloor?.colocated?.load ?? 0)
    expect(atFloor?.colocated?.tokensPerSecondPerGpu).toBeCloseTo(point.outputTokensPerSecond, 3)
    // One alone has 190.5 tok/s, and no prompt of another on either side; where a step takes 5 ms more it has 97.6.
    const slower = affineModel(split.writer.model.configuration, { ...TIMES, base: TIMES.base + 0.005 })
    expect(comparePools(split, { model, memory }, 190).atFloor).toMatchObject({ split: {}, colocated: {} })
    const high = comparePools(split, { model: slower, memory }, 190).atFloor
    expect(high?.split).toBeDefined()
    expect(high?.colocated).toBeUndefined()
    expect(comparePools(split, { model, memory }, 200).atFloor).toEqual({})
    expect(comparePools(split, { model, memory }).atFloor).toBeUndefined()
  })
})
