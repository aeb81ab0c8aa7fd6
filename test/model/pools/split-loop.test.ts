import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { greatestLoad, type SplitPoint, splitLoop } from '../../../src/model/pools/split-loop.ts'
import type { SplitPools } from '../../../src/model/pools/split-pools.ts'
import { affinePools, TIMES } from './affine-pools.ts'
import { simulatePools } from './simulated-pools.ts'

/** Seconds of reading one prompt of 1000 tokens, and of a step of n sequences. */
const READ = TIMES.base + 1000 * TIMES.perPromptToken
const step = (n: number): number => TIMES.base + TIMES.perSequence * n

interface Shape {
  readonly prefill: number
  readonly decode: number
  readonly outputTokens: number
  readonly maxNumSeqs: number
  readonly gigabytes: number
}

const PARTS = {
  prefill: fc.integer({ min: 1, max: 6 }),
  decode: fc.integer({ min: 1, max: 6 }),
  outputTokens: fc.integer({ min: 1, max: 2000 }),
  maxNumSeqs: fc.integer({ min: 1, max: 300 }),
  gigabytes: fc.double({ min: 0.01, max: 100, noNaN: true }),
}
const shapes: fc.Arbitrary<Shape> = fc.record(PARTS)

function poolsOf({ prefill, decode, outputTokens, maxNumSeqs, gigabytes }: Shape): SplitPools {
  return affinePools({
    prefill: { count: prefill, tp: 1 },
    decode: { count: decode, tp: 1 },
    lengths: { inputTokens: 1000, outputTokens },
    maxNumSeqs,
    link: { name: 'link', bytesPerSecond: gigabytes * 1e9 },
  })
}

describe('split pools in a closed loop', () => {
  it('give one request its prompt, its cache sent, and steps of its own', () => {
    const split = affinePools({ link: { name: '10GB/s', bytesPerSecond: 10e9 } })
    const point = splitLoop(split, 1)
    expect(split.transferS).toBeCloseTo((1000 * 131_072) / 8e9, 9)
    expect(point.ttftMs).toBeCloseTo(1000 * (READ + split.transferS + step(1)), 6)
    expect(point.tokensPerSecondPerUser).toBeCloseTo(1 / step(1), 6)
    expect(point.outputTokensPerSecond).toBeCloseTo(200 / (READ + split.transferS + 200 * step(1)), 6)
  })

  it('read prompts as fast as can be, and no faster, when there are too few to read them', () => {
    const split = affinePools({ decode: { count: 4, tp: 1 } })
    const point = splitLoop(split, 900)
    expect(point.slowest).toBe('prefill')
    expect(point.prefill.requestsPerSecond).toBeCloseTo(1 / READ, 9)
    expect(point.prefill.busy).toBeLessThan(1)
    expect(point.prefill.busy).toBeGreaterThan(0.98)
    // The decode pool is not full: its pace is that of what reaches it.
    expect(point.batch / 4).toBeLessThan(0.5 * 256)
  })

  it('are held up by a slow link', () => {
    const split = affinePools({
      prefill: { count: 4, tp: 1 },
      decode: { count: 4, tp: 1 },
      link: { name: 'slow', bytesPerSecond: 1e9 },
    })
    const point = splitLoop(split, 2000)
    expect(point.slowest).toBe('link')
    expect(point.outputTokensPerSecond / 200).toBeLessThan(4 / split.transferS)
    expect(point.outputTokensPerSecond / 200).toBeGreaterThan(0.98 * (4 / split.transferS))
  })

  it('let more than the places of the decode pool wait for the first token, at the same pace', () => {
    const split = affinePools({ prefill: { count: 8, tp: 1 }, maxNumSeqs: 16 })
    const [full, over] = [splitLoop(split, 60), splitLoop(split, 120)]
    expect(over.binding).toBe('capacity')
    expect(over.tokensPerSecondPerUser).toBe(full.tokensPerSecondPerUser)
    expect(over.tokensPerSecondPerUser).toBeCloseTo(1 / step(16), 6)
    expect(over.ttftMs - full.ttftMs).toBeCloseTo((1000 * 60 * 200) / over.outputTokensPerSecond, 3)
  })

  it('keep Little’s law, and pass on as many prompts as answers', () => {
    fc.assert(
      fc.property(shapes, fc.integer({ min: 1, max: 5000 }), (shape, load) => {
        const split = poolsOf(shape)
        const point = splitLoop(split, load)
        const { outputTokens } = shape
        const rate = point.outputTokensPerSecond / outputTokens
        expect((rate * (point.ttftMs + (outputTokens - 1) * point.tpotMs)) / 1000 / load).toBeCloseTo(1, 6)
        expect((point.prefill.tokensPerSecondPerGpu * point.prefill.gpus) / 1000 / rate).toBeCloseTo(1, 9)
        expect((point.decode.tokensPerSecondPerGpu * point.decode.gpus) / outputTokens / rate).toBeCloseTo(1, 9)
        for (const { busy } of [point.prefill, point.decode]) expect(busy).toBeLessThanOrEqual(1 + 1e-9)
        const least = 1000 * (READ + split.transferS + step(1))
        expect(point.ttftMs).toBeGreaterThan(least * (1 - 1e-6))
      }),
      { seed: 41, numRuns: 300 },
    )
  })

  it('lose pace and gain tokens as load grows', () => {
    fc.assert(
      fc.property(shapes, fc.integer({ min: 1, max: 1000 }), (shape, load) => {
        const split = poolsOf(shape)
        const [less, more] = [splitLoop(split, load), splitLoop(split, 1.3 * load)]
        expect(more.tokensPerSecondPerUser).toBeLessThanOrEqual(less.tokensPerSecondPerUser * (1 + 1e-9))
        expect(more.outputTokensPerSecond).toBeGreaterThanOrEqual(less.outputTokensPerSecond * (1 - 1e-6))
      }),
      { seed: 42, numRuns: 300 },
    )
  })

  it('make no less, and let nobody wait less, with one more in flight, where reading or sending is all that takes time', () => {
    const busy = fc.record({ ...PARTS, outputTokens: fc.integer({ min: 1, max: 20 }), maxNumSeqs: fc.constant(300) })
    fc.assert(
      fc.property(busy, (shape) => {
        const split = poolsOf(shape)
        const points = [1, 1.2, 1.7, 2, 3, 4, 6, 9, 20].map((load) => splitLoop(split, load))
        points.slice(1).forEach((more, i) => {
          const less = points[i] as SplitPoint
          expect(more.outputTokensPerSecond).toBeGreaterThanOrEqual(less.outputTokensPerSecond * (1 - 1e-6))
          expect(more.ttftMs).toBeGreaterThanOrEqual(less.ttftMs * (1 - 1e-6))
        })
      }),
      { seed: 43, numRuns: 300 },
    )
  })

  it('have a load from which on more only waits', () => {
    const split = affinePools({ decode: { count: 4, tp: 1 } })
    const most = greatestLoad(split)
    const there = splitLoop(split, most.load)
    expect(there.prefill.busy).toBeCloseTo(0.9, 2)
    expect(there.batch / most.batch).toBeCloseTo(1, 2)
    const full = affinePools({ prefill: { count: 8, tp: 1 }, maxNumSeqs: 16 })
    expect(splitLoop(full, greatestLoad(full).load).decode.busy).toBeCloseTo(1, 2)
  })

  it.each([
    ['prefill', { decode: { count: 4, tp: 1 } }],
    [
      'link',
      { prefill: { count: 4, tp: 1 }, decode: { count: 4, tp: 1 }, link: { name: 'slow', bytesPerSecond: 1e9 } },
    ],
    ['engine', { prefill: { count: 8, tp: 1 }, maxNumSeqs: 16 }],
    ['kv', { prefill: { count: 99, tp: 1 }, maxNumSeqs: 1e6, lengths: { inputTokens: 1000, outputTokens: 20_000 } }],
  ] as const)('say what ends that load: %s', (by, shape) => {
    expect(greatestLoad(affinePools(shape)).by).toBe(by)
  })

  it.each([
    { prefill: 1, decode: 1, load: 8 },
    { prefill: 1, decode: 1, load: 32 },
    { prefill: 1, decode: 4, load: 100 },
    { prefill: 2, decode: 3, load: 60 },
    { prefill: 4, decode: 1, load: 200 },
    { prefill: 1, decode: 4, load: 4 },
  ])('agree with a simulation of every step: $prefill that read, $decode that answer, $load in flight', (shape) => {
    const split = affinePools({
      prefill: { count: shape.prefill, tp: 1 },
      decode: { count: shape.decode, tp: 1 },
      link: { name: '10GB/s', bytesPerSecond: 10e9 },
    })
    const point = splitLoop(split, shape.load)
    const truth = simulatePools(
      {
        prefill: { places: shape.prefill, seconds: READ },
        decode: { instances: shape.decode, stepSeconds: step },
        transferS: split.transferS,
        outputTokens: 200,
        load: shape.load,
      },
      30 * shape.load + 600,
      7,
    )
    expect(Math.abs(point.tokensPerSecondPerUser / truth.tokensPerSecondPerUser - 1)).toBeLessThan(0.03)
    expect(Math.abs(point.outputTokensPerSecond / truth.outputTokensPerSecond - 1)).toBeLessThan(0.03)
    expect(Math.abs(point.ttftMs / (1000 * truth.ttftS) - 1)).toBeLessThan(0.2)
  })
})
