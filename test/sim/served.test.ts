import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RequestRecord } from '../../src/core/index.ts'
import type { Law } from '../../src/model/index.ts'
import type { EngineLimits } from '../../src/serve/engine.ts'
import {
  type ArrivalsPlan,
  createSource,
  enginePolicy,
  lawStepTime,
  type SourcePlan,
  simulate,
} from '../../src/sim/index.ts'
import { served } from './served.ts'

const COUNT = 60

function simulated(plan: SourcePlan, law: Law, limits: EngineLimits, durationS: number): RequestRecord[] {
  const policy = enginePolicy({
    ...limits,
    // The engine of `serve` holds room for prompt and answer from the start, to the token.
    kv: 'reserve',
    blockTokens: 1,
  })
  const records: RequestRecord[] = []
  simulate({
    fleet: {
      pools: [{ name: 'main', role: 'both', replicas: 1, dataParallel: 1, policy, stepTime: lawStepTime(law) }],
      routing: 'roundRobin',
    },
    lanes: [{ name: 'all', source: createSource(plan), priority: 0 }],
    load: { kind: 'trace', value: 1 },
    durationS,
    onRecord: (record) => records.push(record),
  })
  return records
}

describe('the engine of serve, whose clock is a real one, and the simulator', () => {
  const work = fc.record({
    input: fc.record({
      kind: fc.constant('uniform' as const),
      least: fc.constant(1),
      most: fc.integer({ min: 1, max: 300 }),
    }),
    output: fc.record({
      kind: fc.constant('uniform' as const),
      least: fc.constant(1),
      most: fc.integer({ min: 1, max: 40 }),
    }),
  })
  const users: fc.Arbitrary<ArrivalsPlan> = fc.record({
    kind: fc.constant('users' as const),
    users: fc.integer({ min: 1, max: 12 }),
    spreadS: fc.double({ min: 0.1, max: 3, noNaN: true }),
  })
  const rate: fc.Arbitrary<ArrivalsPlan> = fc.record({
    kind: fc.constant('rate' as const),
    rate: fc.double({ min: 0.5, max: 60, noNaN: true }),
    process: fc.constant({ kind: 'poisson' } as const),
  })
  const limits = fc.record({
    maxNumSeqs: fc.oneof(fc.constant(4096), fc.integer({ min: 1, max: 8 })),
    maxBatchedTokens: fc.oneof(fc.constant(8192), fc.integer({ min: 1, max: 200 })),
    kvTokens: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 340, max: 1200 })),
  })
  const law = fc.record({
    baseS: fc.constant(0.0050123),
    perSequenceS: fc.constantFrom(0, 0.00025),
    perThousandKvTokensS: fc.constantFrom(0, 0.0013),
    perPrefillTokenS: fc.constantFrom(0, 0.000021),
  })

  it('send every token of the same requests at the same time, whatever the law, the limits and the load', () => {
    fc.assert(
      fc.property(work, fc.oneof(users, rate), limits, law, fc.nat(99), (lengths, arrivals, asked, terms, seed) => {
        const plan: SourcePlan = {
          arrivals,
          work: lengths,
          seed,
          // So that no two ask at one instant: an idle engine of serve begins with the first that it hears of.
          ...(arrivals.kind === 'users' && { think: { meanS: 0.3, distribution: 'exponential' as const } }),
        }
        const real = served(createSource(plan), terms, asked, COUNT)
        const endS = Math.max(...real.map(({ tokenS }) => tokenS.at(-1) ?? 0))
        const ours = simulated(plan, terms, asked, endS + 1)
        for (const { arrival, tokenS } of real) {
          // Two requests may come within the microseconds by which both may differ: their lengths tell them apart.
          const record = ours.find(
            ({ sentS, askedInputTokens, askedOutputTokens, inputTokens, outputTokens }) =>
              Math.abs(sentS - arrival.atS) < 1e-5 &&
              (askedInputTokens ?? inputTokens) === arrival.promptTokens &&
              (askedOutputTokens ?? outputTokens) === arrival.outputTokens,
          )
          expect(record?.outputTokens).toBe(arrival.outputTokens)
          const times = record === undefined ? [] : arrivalsOf(record)
          expect(times).toHaveLength(tokenS.length)
          expect(Math.max(...times.map((time, i) => Math.abs(time - (tokenS[i] ?? 0))))).toBeLessThan(1e-5)
        }
      }),
      { numRuns: 80, seed: 3 },
    )
  })
})

function arrivalsOf({ firstTokenS = 0, gapsUs }: RequestRecord): number[] {
  const times = [firstTokenS]
  for (const gap of gapsUs) times.push((times.at(-1) ?? 0) + gap / 1e6)
  return times
}
