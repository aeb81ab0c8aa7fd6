import { describe, expect, it } from 'vitest'
import { otherLengths } from '../../../bench/choose/other-lengths.ts'
import { type ServingSetup, type ServingSweep, servingSweeps } from '../../../bench/model/serving.ts'

const [{ setup }] = servingSweeps() as readonly [ServingSweep]
const LOADS = [1, 4, 16, 64]

/** Sweeps of the law T(B) = 5 ms + 0.25 ms × B, with lengths of their own, so many times as slow. */
const sweepsOf = (gpus: number, slower: number): readonly ServingSweep[] =>
  [1, slower].map((times, i) => ({
    setup: { ...(setup as ServingSetup), gpus, inputTokens: 1000 * 2 ** i, outputTokens: 500 },
    rows: LOADS.map((concurrency, row) => {
      const tokensPerSecondPerUser = 1000 / (5 + 0.25 * concurrency) / times
      return { row, concurrency, tokensPerSecondPerUser, outputTokensPerSecond: concurrency * tokensPerSecondPerUser }
    }),
  }))

describe('bounds for other lengths', () => {
  it('hold what is just as fast, from either of the two lengths', () => {
    const [all] = otherLengths([...sweepsOf(1, 1), ...sweepsOf(2, 1)]).coverage
    expect(all).toMatchObject({ points: 2 * 2 * LOADS.length, insidePct: 100 })
    expect(all?.width).toBeGreaterThan(1)
  })

  it('do not hold what is ten times as slow, and as fast the other way', () => {
    const [all] = otherLengths([...sweepsOf(1, 10), ...sweepsOf(2, 10)]).coverage
    expect(all).toMatchObject({ belowPct: 50, abovePct: 50 })
  })

  it('are judged on servers that their width was not taken from', () => {
    const { heldOutPct } = otherLengths([...sweepsOf(1, 1.2), ...sweepsOf(2, 10)])
    expect(heldOutPct[0]).toBe(0)
    expect(heldOutPct[1]).toBe(100)
  })

  it('are not asked of sweeps of the same lengths, nor of different servers', () => {
    const [one] = sweepsOf(1, 1)
    const [, other] = sweepsOf(2, 1)
    const { coverage } = otherLengths([one, one, other].flatMap((sweep) => sweep ?? []))
    expect(coverage[0]?.points).toBe(0)
  })
})
