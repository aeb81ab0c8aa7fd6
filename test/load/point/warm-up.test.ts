import { describe, expect, it } from 'vitest'
import { createRandom } from '../../../src/core/index.ts'
import { createWarmUp, type WarmUp } from '../../../src/load/point/warm-up.ts'

/** Feeds samples to so many users in turn until the warm-up ends; returns how many it took. */
function feed(warmUp: WarmUp, users: number, sample: (n: number) => number | undefined): number {
  let n = 0
  while (warmUp.state() === 'running' && n < 100_000) {
    warmUp.ended(n % users, sample(n))
    n++
  }
  return n
}

/** Roughly normal, mean 0, deviation 1. */
function noise(seed: number): () => number {
  const random = createRandom(seed)
  return () => Array.from({ length: 12 }, random.next).reduce((sum, x) => sum + x, -6)
}

describe('warm-up', () => {
  it('is over as soon as every user has gone round twice where nothing changes', () => {
    for (const users of [4, 16, 64]) expect(feed(createWarmUp(users), users, () => 1)).toBe(2 * users)
    expect(feed(createWarmUp(1), 1, () => 1)).toBe(8)
  })

  it('is not over while a user has not finished one request', () => {
    const warmUp = createWarmUp(3)
    for (let n = 0; n < 200; n++) warmUp.ended(n % 2, 1)
    expect(warmUp.state()).toBe('running')
    warmUp.ended(2, 1)
    expect(warmUp.state()).toBe('over')
  })

  it('hardly ever takes noise for a trend', () => {
    let extra = 0
    for (let seed = 0; seed < 200; seed++) {
      const draw = noise(seed)
      const warmUp = createWarmUp(8)
      extra += feed(warmUp, 8, () => 1 + 0.2 * draw()) - 16
      expect(warmUp.state()).toBe('over')
    }
    expect(extra / 200).toBeLessThan(2)
  })

  it('waits out a transient, and takes the mean without it', () => {
    let late = 0
    for (let seed = 0; seed < 100; seed++) {
      const draw = noise(seed)
      const warmUp = createWarmUp(16)
      const n = feed(warmUp, 16, (i) => 1 + 3 * Math.exp(-i / 16) + 0.02 * draw())
      if (n > 48) late++
      expect(warmUp.meanS()).toBeLessThan(1.1)
    }
    expect(late).toBeGreaterThan(95)
  })

  it('cuts off a slow first request', () => {
    const warmUp = createWarmUp(1)
    feed(warmUp, 1, (n) => (n === 0 ? 20 : 1))
    expect(warmUp.meanS()).toBe(1)
  })

  it('is unclear when it goes on and on', () => {
    const warmUp = createWarmUp(4)
    expect(feed(warmUp, 4, (n) => 1 + n / 10)).toBeLessThan(100)
    expect(warmUp.state()).toBe('unclear')
  })

  it('learns nothing from failures', () => {
    const warmUp = createWarmUp(1)
    for (let n = 0; n < 50; n++) warmUp.ended(0, undefined)
    expect(warmUp.state()).toBe('running')
    expect(warmUp.meanS()).toBeUndefined()
  })

  it('looks at 100 000 samples of 4 096 users without holding anybody up', () => {
    const warmUp = createWarmUp(4096)
    let longest = 0
    for (let n = 0; n < 100_000; n++) {
      const started = performance.now()
      warmUp.ended(n % 4096, 1 + n / 1000)
      longest = Math.max(longest, performance.now() - started)
    }
    expect(longest).toBeLessThan(50)
  })
})
