import { describe, expect, it } from 'vitest'
import { createRandom } from '../../../src/core/index.ts'
import { fitLaw, pointsOfRows } from '../../../src/model/index.ts'

const line = (batch: number): number => 0.005 + 0.00025 * batch
const LOADS = [4, 8, 16, 32, 64, 128, 256]

/** A server that decodes at most so many at once; of the rest it only makes wait. */
const capped = (cap: number, loads: readonly number[] = LOADS, noise: () => number = () => 1) =>
  pointsOfRows(
    loads.map((concurrency) => {
      const batch = Math.min(cap, concurrency)
      return { concurrency, outputTokensPerSecond: (batch / line(batch)) * noise() }
    }),
  )

describe('a plateau of output, where neither pace nor wait is told', () => {
  it.each([
    [32, [4, 5, 6]],
    [40, [4, 5, 6]],
    [64, [5, 6]],
  ])('shows that the server takes %d at once, and leaves the law alone', (cap, beyond) => {
    const { fit } = fitLaw(capped(cap))
    expect(fit.setAside).toEqual(beyond.map((point) => ({ point, why: 'serverLimit' })))
    expect(fit.serverLimit).toBeCloseTo(cap, 3)
    expect(fit.stepMs?.base).toBeCloseTo(5, 6)
    expect(fit.stepMs?.perSequence).toBeCloseTo(0.25, 6)
    expect(fit).toMatchObject({ reliable: true, why: [] })
  })

  it('is told through noise of 1 %', () => {
    const random = createRandom('plateau')
    let told = 0
    for (let draw = 0; draw < 200; draw++) {
      const { fit } = fitLaw(capped(32, LOADS, () => 1 + 0.02 * (random.next() - 0.5)))
      if (fit.serverLimit !== undefined && Math.abs(fit.serverLimit / 32 - 1) < 0.1) told++
    }
    expect(told / 200).toBeGreaterThan(0.9)
  })

  it('is not the end of a law, which flattens too', () => {
    expect(fitLaw(capped(1e9, [8, 32, 128, 512, 1024, 2048, 4096])).fit).toMatchObject({ reliable: true })
    expect(fitLaw(capped(1e9, [8, 32, 128, 512, 1024, 2048, 4096])).fit.serverLimit).toBeUndefined()
    const random = createRandom('flat')
    for (let draw = 0; draw < 200; draw++) {
      const noisy = capped(1e9, [8, 32, 128, 256, 512, 1024], () => 1 + 0.06 * (random.next() - 0.5))
      expect(fitLaw(noisy).fit.serverLimit).toBeUndefined()
    }
  })

  it('needs three loads below it and two upon it', () => {
    expect(fitLaw(capped(8)).fit.serverLimit).toBeUndefined()
    expect(fitLaw(capped(128)).fit.serverLimit).toBeUndefined()
    expect(fitLaw(capped(16)).fit.serverLimit).toBeCloseTo(16, 3)
  })
})
