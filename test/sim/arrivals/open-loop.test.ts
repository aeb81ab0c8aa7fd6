import { describe, expect, it } from 'vitest'
import { arrivalsOf, createRandom, drawLength } from '../../../src/core/index.ts'
import { createSource } from '../../../src/sim/arrivals/create-source.ts'
import { isWholeMicros, played } from './sources.ts'

const fixed = (tokens: number) => ({ kind: 'fixed', tokens }) as const
const work = { input: fixed(64), output: fixed(16) }
const poisson = { kind: 'poisson' } as const

describe('requests that come at a rate', () => {
  it('come when the plan of the seed says, in whole microseconds, whatever becomes of the answers', () => {
    const plan = { arrivals: { kind: 'rate', rate: 5, process: poisson, rampS: 3 }, work, seed: '7/2' } as const
    const quick = played(createSource(plan), 500, () => 0.001)
    const never = played(createSource(plan), 500, () => 1e9)
    expect(quick).toEqual(never)
    const times = arrivalsOf({ process: poisson, rate: 5, rampS: 3, seed: '7/2/arrivals' })
    expect(quick.every(({ atS }) => isWholeMicros(atS) && Math.abs(atS - times.next().value) <= 0.5001e-6)).toBe(true)
  })

  it('are as long as those that measure sends of the seed: prompt, then answer, request after request', () => {
    const lengths = {
      input: { kind: 'lognormal', median: 300, sigma: 1 },
      output: { kind: 'uniform', least: 1, most: 99 },
    } as const
    const source = createSource({
      arrivals: { kind: 'rate', rate: 5, process: poisson },
      work: lengths,
      seed: '7/2',
    })
    const random = createRandom('7/2/lengths')
    for (const { promptTokens, outputTokens } of played(source, 100)) {
      expect(promptTokens).toBe(drawLength(lengths.input, random))
      expect(outputTokens).toBe(drawLength(lengths.output, random))
    }
  })

  it('have lengths that belong together where pairs are given, each pair as often', () => {
    const pairs = [1, 2, 3, 4].map((n) => ({ inputTokens: 10 * n, outputTokens: n }))
    const taken = played(
      createSource({ arrivals: { kind: 'rate', rate: 5, process: poisson }, work: { ...work, pairs }, seed: '1' }),
      4000,
    )
    expect(taken.every(({ promptTokens, outputTokens }) => promptTokens === 10 * outputTokens)).toBe(true)
    for (const { outputTokens } of pairs) {
      const count = taken.filter((arrival) => arrival.outputTokens === outputTokens).length
      expect(Math.abs(count - 1000)).toBeLessThan(4 * Math.sqrt(1000))
    }
  })

  it('begin with as many texts as were asked for, for the share of the prompt that was asked for', () => {
    const prefix = { share: 0.75, count: 8 }
    const taken = played(
      createSource({ arrivals: { kind: 'rate', rate: 5, process: poisson }, work: { ...work, prefix }, seed: '1' }),
      400,
    )
    expect(taken.every(({ parts }) => parts?.length === 1 && parts[0]?.tokens === 48)).toBe(true)
    expect(new Set(taken.map(({ parts }) => parts?.[0]?.id)).size).toBe(8)
    const short = { ...work, input: fixed(3), prefix }
    const own = played(
      createSource({ arrivals: { kind: 'rate', rate: 5, process: poisson }, work: short, seed: '1' }),
      9,
    )
    expect(own.every(({ parts }) => parts === undefined)).toBe(true)
  })
})
