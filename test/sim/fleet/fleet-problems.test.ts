import { describe, expect, it } from 'vitest'
import { enginePolicy } from '../../../src/sim/engine/policy.ts'
import type { Fleet, Pool } from '../../../src/sim/fleet/fleet.ts'
import { fleetProblems } from '../../../src/sim/fleet/fleet-problems.ts'
import type { Lane } from '../../../src/sim/fleet/lane.ts'
import { scriptedSource } from './told.ts'

const pool: Pool = {
  name: 'all',
  role: 'both',
  replicas: 1,
  dataParallel: 1,
  policy: enginePolicy({
    maxNumSeqs: 1,
    maxBatchedTokens: 1,
    kvTokens: 16,
  }),
  stepTime: { seconds: () => 1, straightFor: (_, most) => most },
}
const lane: Lane = { name: 'chat', priority: 0, source: scriptedSource([]) }
const link = { bytesPerSecond: 1, concurrency: 1, bytesPerToken: 1 }
const split: Fleet['pools'] = [
  { ...pool, name: 'in', role: 'prefill' },
  { ...pool, name: 'out', role: 'decode' },
]

const problemsOf = (fleet: Partial<Fleet>, ...lanes: readonly Lane[]): readonly string[] =>
  fleetProblems({ pools: [pool], routing: 'roundRobin', ...fleet }, lanes.length === 0 ? [lane] : lanes)
const withPolicy = (change: Partial<Pool['policy']>): readonly string[] =>
  problemsOf({ pools: [{ ...pool, policy: { ...pool.policy, ...change } }] })

describe('what makes a fleet impossible', () => {
  it('is nothing where it can run', () => {
    expect(problemsOf({})).toEqual([])
    expect(problemsOf({ pools: split, link, loadGuard: 1 })).toEqual([])
    expect(
      problemsOf({ pools: split, link: { ...link, concurrency: Infinity } }, { ...lane, pools: ['in', 'out'] }),
    ).toEqual([])
    expect(withPolicy({ kvTokens: Infinity })).toEqual([])
  })

  it.each<[string, () => readonly string[], RegExp]>([
    ['no pool', () => problemsOf({ pools: [] }), /needs a pool/],
    ['no lane', () => fleetProblems({ pools: [pool], routing: 'roundRobin' }, []), /needs a lane/],
    ['a name twice', () => problemsOf({ pools: [pool, pool] }), /Two pools are called all/],
    ['half a replica', () => problemsOf({ pools: [{ ...pool, replicas: 0.5 }] }), /all: its replicas .* not 0.5/],
    ['no engine', () => problemsOf({ pools: [{ ...pool, dataParallel: 0 }] }), /engines of a replica/],
    ['no GPU', () => problemsOf({ pools: [{ ...pool, gpusPerReplica: 0 }] }), /GPUs of a replica/],
    ['no seat', () => withPolicy({ maxNumSeqs: 0 }), /all: sequences at once/],
    ['no budget', () => withPolicy({ maxBatchedTokens: 0 }), /tokens of a step/],
    ['no block', () => withPolicy({ kvTokens: 15 }), /KV cache of 15 tokens/],
    ['a block of nothing', () => withPolicy({ blockTokens: 0 }), /tokens of a KV block/],
    ['a cache that is no number', () => withPolicy({ kvTokens: Number.NaN }), /KV cache of NaN/],
    ['an unknown pool', () => problemsOf({}, { ...lane, pools: ['all', 'none'] }), /chat names a pool none/],
    ['no pool of a lane', () => problemsOf({}, { ...lane, pools: [] }), /no pool to go to/],
    ['no link', () => problemsOf({ pools: split }), /need a link/],
    ['nobody who answers', () => problemsOf({ pools: split, link }, { ...lane, pools: ['in'] }), /none that answers/],
    ['nobody who reads', () => problemsOf({ pools: split, link }, { ...lane, pools: ['out'] }), /none that reads/],
    ['a dead link', () => problemsOf({ pools: split, link: { ...link, bytesPerSecond: 0 } }), /carries nothing/],
    ['no transfer at once', () => problemsOf({ pools: split, link: { ...link, concurrency: 0 } }), /at once/],
    ['tokens of no bytes', () => problemsOf({ pools: split, link: { ...link, bytesPerToken: 0 } }), /0 bytes is none/],
    ['a guard that lets nobody', () => problemsOf({ loadGuard: 0.9 }), /load guard of 0.9/],
  ])('%s', (_, problems, named) => {
    expect(problems()).toEqual([expect.stringMatching(named)])
  })
})
