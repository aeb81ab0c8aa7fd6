import { describe, expect, it } from 'vitest'
import { createLevelMeters } from '../../../src/sim/answer/level-meters.ts'
import type { FleetState, Observer } from '../../../src/sim/answer/observer.ts'
import { createSource } from '../../../src/sim/arrivals/create-source.ts'
import type { Source } from '../../../src/sim/arrivals/source.ts'
import { enginePolicy } from '../../../src/sim/engine/policy.ts'
import type { Fleet, Pool } from '../../../src/sim/fleet/fleet.ts'
import { runFleet } from '../../../src/sim/fleet/run-fleet.ts'
import { simulate } from '../../../src/sim/simulate.ts'
import { lawStepTime } from '../../../src/sim/step/law-step-time.ts'

const pool: Pool = {
  name: 'all',
  role: 'both',
  replicas: 1,
  dataParallel: 1,
  policy: enginePolicy({
    maxNumSeqs: 16,
    maxBatchedTokens: 256,
    kvTokens: 3000,
  }),
  stepTime: lawStepTime({ baseS: 0.005, perSequenceS: 0.00025, perPrefillTokenS: 0.00002 }),
}
const work = {
  input: { kind: 'uniform', least: 20, most: 300 },
  output: { kind: 'uniform', least: 5, most: 60 },
} as const

const atRate = (rate: number, kind: 'poisson' | 'constant' = 'poisson'): Source =>
  createSource({ arrivals: { kind: 'rate', rate, process: { kind } }, work, seed: 'levels' })

interface Stood {
  waiting: number
  kv: number
  mostKv: number
  inTransfer: number
}

/** The meters, and beside them means of what is seen by looking a thousand times a second. */
function watched(fleet: Fleet, rate: number, startS: number, endS: number) {
  const meters = createLevelMeters(fleet, { startS, endS })
  const seen: Stood[] = fleet.pools.map(() => ({ waiting: 0, kv: 0, mostKv: 0, inTransfer: 0 }))
  let looks = 0
  const observer: Observer = {
    groups: 1,
    levels: meters,
    arrived: () => 0,
    ended: () => undefined,
    refused: () => undefined,
    segment: () => undefined,
    preempted: () => undefined,
    resumed: () => undefined,
    get nextLookS() {
      const atS = startS + (looks + 0.5) / 1000
      return atS < endS ? atS : Number.POSITIVE_INFINITY
    },
    look: (nowS: number, state: FleetState) => {
      looks += 1
      for (const [index, of] of seen.entries()) {
        of.waiting += state.waiting(index)
        of.kv += state.kvShare(index, nowS) ?? 0
        of.mostKv = Math.max(of.mostKv, state.kvShare(index, nowS) ?? 0)
        of.inTransfer += state.inTransfer
      }
    },
    isDone: (nowS) => nowS > endS,
  }
  runFleet(fleet, [{ name: 'open', priority: 0, source: atRate(rate) }], observer)
  meters.close(endS)
  return {
    meters,
    seen: seen.map(({ waiting, kv, mostKv, inTransfer }) => ({
      waiting: waiting / looks,
      kv: kv / looks,
      mostKv,
      inTransfer: inTransfer / looks,
    })),
  }
}

const within = (value: number | undefined, truth: number, share: number): void =>
  expect(Math.abs((value ?? 0) / truth - 1)).toBeLessThan(share)

describe('means over the window', () => {
  it.each([
    ['a roomy server', { kvTokens: 20_000 }, 20],
    ['one that is full, and preempts', {}, 60],
    ['one that decides ahead', { asynchronous: true }, 60],
    ['one that reserves', { kv: 'reserve' }, 40],
    ['one that keeps prompts', { prefixCache: true }, 40],
  ] as const)('are what one sees who looks all the time: %s', (_, policy, rate) => {
    const fleet: Fleet = {
      pools: [{ ...pool, replicas: 2, policy: { ...pool.policy, ...policy } }],
      routing: 'leastInFlight',
    }
    const { meters, seen } = watched(fleet, 2 * rate, 2.0005, 22.0001)
    const { meanWaiting, meanKvShare, mostKvShare } = meters.ofPool(0)
    const [truth] = seen
    if (truth === undefined) throw new Error('no pool')
    expect(Math.abs(meanWaiting - truth.waiting)).toBeLessThan(0.01 * truth.waiting + 0.002)
    within(meanKvShare, truth.kv, 0.01)
    // Of one engine; both together are never fuller than the fuller one.
    expect(mostKvShare).toBeGreaterThanOrEqual(truth.mostKv)
    expect(mostKvShare).toBeLessThanOrEqual(1)
  })

  it('tell the most of one engine exactly', () => {
    const fleet: Fleet = {
      pools: [{ ...pool, policy: { ...pool.policy, kvTokens: 20_000 } }],
      routing: 'leastInFlight',
    }
    const { meters, seen } = watched(fleet, 20, 2, 32)
    within(meters.ofPool(0).mostKvShare, seen[0]?.mostKv ?? 0, 0.005)
  })

  it('know of the link who is on it and who waits for it', () => {
    const pools: readonly Pool[] = [
      { ...pool, name: 'reads', role: 'prefill' },
      { ...pool, name: 'writes', role: 'decode' },
    ]
    // 160 tokens take 12.8 ms in the mean: 20 a second keep each of two places busy for 13 % of the time, 200 all of it.
    const link = { bytesPerToken: 1000, bytesPerSecond: 12.5e6, concurrency: 2 }
    const seldom = watched({ pools, link, routing: 'leastInFlight' }, 20, 1, 21)
    const { busy, meanMoving, meanWaiting } = seldom.meters.ofLink() ?? { busy: 0, meanMoving: 0, meanWaiting: 0 }
    expect(Math.abs(busy - 0.128)).toBeLessThan(0.02)
    expect(meanMoving).toBeCloseTo(2 * busy, 9)
    within(meanMoving + meanWaiting, seldom.seen[0]?.inTransfer ?? 0, 0.01)

    const slow = watched({ pools, link: { ...link, bytesPerSecond: 1e6 }, routing: 'leastInFlight' }, 20, 5, 21)
    expect(slow.meters.ofLink()?.busy).toBeCloseTo(1, 6)
    expect(slow.meters.ofLink()?.meanWaiting).toBeGreaterThan(10)
  })

  it.each(['constant', 'poisson'] as const)('in a point: with one seat, who does not wait is served (%s)', (kind) => {
    const one: Pool = { ...pool, policy: { ...pool.policy, maxNumSeqs: 1 } }
    const { littlesLaw, simulation } = simulate({
      fleet: { pools: [one], routing: 'leastInFlight' },
      lanes: [{ name: 'open', priority: 0, source: atRate(4, kind) }],
      load: { kind: 'rate', value: 4 },
    })
    const [only] = simulation?.pools ?? []
    expect(only?.busy).toBeGreaterThan(0.5)
    expect((only?.meanWaiting ?? 0) + (only?.busy ?? 0)).toBeCloseTo(littlesLaw.inFlight, 4)
  })
})
