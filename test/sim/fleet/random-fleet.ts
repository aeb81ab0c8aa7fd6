import fc from 'fast-check'
import type { EnginePolicy } from '../../../src/sim/engine/policy.ts'
import { type Fleet, type Pool, ROUTINGS } from '../../../src/sim/fleet/fleet.ts'
import type { Lane } from '../../../src/sim/fleet/lane.ts'
import { lawStepTime } from '../../../src/sim/step/law-step-time.ts'
import { type Asked, scriptedSource } from './told.ts'

/** A fleet and what is asked of it. Sources are used up by a run, so each run makes its own. */
export interface Scenario {
  readonly fleet: Fleet
  readonly looksS: readonly number[]
  lanes(): readonly Lane[]
}

const stepTime: Pool['stepTime'] = lawStepTime({ baseS: 0.005, perSequenceS: 0.00025, perPrefillTokenS: 0.0001 })

const policies: fc.Arbitrary<EnginePolicy> = fc.record({
  maxNumSeqs: fc.integer({ min: 1, max: 6 }),
  maxBatchedTokens: fc.integer({ min: 1, max: 24 }),
  kvTokens: fc.constantFrom(24, 48, Infinity),
  blockTokens: fc.constantFrom(1, 4),
  prefill: fc.constantFrom('chunked' as const, 'chunked' as const, 'first' as const),
  kv: fc.constantFrom('preempt' as const, 'preempt' as const, 'reserve' as const),
  admission: fc.constantFrom('fcfs' as const, 'priority' as const),
  asynchronous: fc.boolean(),
  prefixCache: fc.boolean(),
  wholePrompt: fc.boolean(),
})

const poolOf = (name: string, role: Pool['role']): fc.Arbitrary<Pool> =>
  fc.record({
    name: fc.constant(name),
    role: fc.constant(role),
    replicas: fc.constantFrom(1, 1, 2, 3),
    dataParallel: fc.integer({ min: 1, max: 2 }),
    policy: policies,
    stepTime: fc.constant(stepTime),
  })

/** Which pools there are, and which of them each lane may name. */
const LAYOUTS: readonly {
  readonly roles: readonly Pool['role'][]
  readonly choices: readonly (readonly number[])[]
}[] = [
  { roles: ['both'], choices: [[0]] },
  { roles: ['both', 'both'], choices: [[0], [1], [0, 1]] },
  { roles: ['prefill', 'decode'], choices: [[0, 1]] },
  { roles: ['decode', 'both', 'prefill', 'decode'], choices: [[1], [0, 2], [2, 3], [0, 1, 2, 3]] },
]

const asked: fc.Arbitrary<Asked> = fc
  .record({
    promptTokens: fc.integer({ min: 1, max: 20 }),
    outputTokens: fc.integer({ min: 1, max: 16 }),
    beginning: fc.integer({ min: 0, max: 3 }),
    share: fc.double({ min: 0.1, max: 1, noNaN: true }),
    afterMs: fc.integer({ min: 0, max: 60 }),
    user: fc.option(fc.nat(3), { nil: undefined }),
  })
  .map(({ beginning, share, afterMs, user, ...lengths }) => {
    const tokens = Math.ceil(share * lengths.promptTokens)
    return {
      ...lengths,
      ...(beginning === 0 ? {} : { parts: [{ id: beginning, tokens }] }),
      ...(user === undefined ? {} : { user }),
      afterS: afterMs / 1000,
    }
  })

export const scenarios: fc.Arbitrary<Scenario> = fc.constantFrom(...LAYOUTS).chain(({ roles, choices }) =>
  fc
    .record({
      pools: fc.tuple(...roles.map((role, i) => poolOf(`p${i}`, role))),
      routing: fc.constantFrom(...ROUTINGS),
      loadGuard: fc.constantFrom(1, 1.5, 4),
      entryS: fc.constantFrom(undefined, 0.001, 0.01),
      link: fc.record({
        bytesPerSecond: fc.constantFrom(1000, 1e9),
        concurrency: fc.constantFrom(1, 2, Infinity),
        bytesPerToken: fc.constantFrom(1, 10),
      }),
      lanes: fc.array(
        fc.record({
          pools: fc.constantFrom(...choices),
          priority: fc.nat(1),
          asked: fc.array(asked, { minLength: 1, maxLength: 25 }),
        }),
        { minLength: 1, maxLength: 2 },
      ),
      looksS: fc.array(
        fc.integer({ min: 0, max: 2000 }).map((ms) => ms / 1000),
        { maxLength: 5 },
      ),
    })
    .map(({ lanes, looksS, entryS, ...fleet }) => ({
      fleet: { ...fleet, ...(entryS && { entrySeconds: (promptTokens: number) => entryS * promptTokens }) },
      looksS,
      lanes: () =>
        lanes.map(({ pools, priority, asked }, i) => ({
          name: `lane ${i}`,
          priority,
          pools: pools.map((pool) => `p${pool}`),
          source: scriptedSource(asked),
        })),
    })),
)
