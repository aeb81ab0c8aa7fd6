import { describe, expect, it } from 'vitest'
import type { Observer } from '../../../src/sim/answer/observer.ts'
import { enginePolicy } from '../../../src/sim/engine/policy.ts'
import type { Fleet, Pool } from '../../../src/sim/fleet/fleet.ts'
import type { Lane } from '../../../src/sim/fleet/lane.ts'
import { runFleet } from '../../../src/sim/fleet/run-fleet.ts'
import { createReferenceEngine } from '../reference/engine.ts'
import { type Asked, createTold, scriptedSource } from './told.ts'

const policy = enginePolicy({
  maxNumSeqs: 8,
  maxBatchedTokens: 1000,
  kvTokens: 1000,
  blockTokens: 10,
})

/** Every step takes a second, whatever is in it. */
const pool: Pool = {
  name: 'all',
  role: 'both',
  replicas: 1,
  dataParallel: 1,
  policy,
  stepTime: { seconds: () => 1, straightFor: (_, most) => most },
}
const reading: Pool = { ...pool, name: 'reading', role: 'prefill' }
const answering: Pool = { ...pool, name: 'answering', role: 'decode' }
const link = { bytesPerSecond: 100, concurrency: 1, bytesPerToken: 10 }

const laneOf = (asked: readonly Asked[], lane: Partial<Lane> = {}): Lane => ({
  name: 'lane',
  priority: 0,
  source: scriptedSource(asked),
  ...lane,
})

const ask = (afterS: number, promptTokens = 10, outputTokens = 1): Asked => ({ afterS, promptTokens, outputTokens })

/** What happened to each request, in the order of the ends. */
function endsOf(fleet: Fleet, lanes: readonly Lane[], change: Partial<Observer> = {}): readonly object[] {
  const ends: object[] = []
  const observer: Observer = {
    ...createTold(fleet.pools.length).observer,
    ended: ({ id, pool }, { admittedS, firstTokenS, lastTokenS }) =>
      void ends.push({ id, pool, admittedS, firstTokenS, lastTokenS }),
    refused: ({ id }, nowS, why) => void ends.push({ id, nowS, why }),
    ...change,
  }
  runFleet(fleet, lanes, observer, createReferenceEngine)
  return ends
}

const fleetOf = (pools: readonly Pool[], more: Partial<Fleet> = {}): Fleet => ({
  pools,
  routing: 'leastInFlight',
  ...more,
})

describe('a run of a fleet', () => {
  it('at one instant looks first, then takes what comes, lane by lane, then lets engines decide', () => {
    const { lines, observer } = createTold(1, [2])
    const lanes = [laneOf([ask(2)]), laneOf([ask(0, 10, 2), ask(2)])]
    runFleet(fleetOf([pool]), lanes, observer, createReferenceEngine)
    const told = lines.filter((line) => /look|arrives|ran/.test(line))
    expect(told).toEqual([
      '0 arrives in 1: 0/0/ 0',
      'engine 0 ran 0 1 0 0 1 0 10',
      '2 look: 1/0/0.02 0',
      '2 arrives in 0: 1/0/ 0',
      '2 arrives in 1: 1/1/ 0',
      'engine 0 ran 1 1 0 0 1 1 0',
      'engine 0 ran 2 1 0 0 1 0 20',
    ])
  })

  it('carries a split request over the link, one after the other, and its first token is of the pool that answers', () => {
    const ends = endsOf(fleetOf([reading, answering], { link }), [laneOf([ask(0, 10, 3), ask(0, 20, 1)])])
    // Both are read at 1 s; then 10 tokens take 1 s on the link, and 20 take 2 s more.
    expect(ends).toEqual([
      { id: 0, pool: 1, admittedS: 0, firstTokenS: 3, lastTokenS: 5 },
      { id: 1, pool: 1, admittedS: 0, firstTokenS: 5, lastTokenS: 5 },
    ])
  })

  it('lets a request into its engine when servers have taken it in, however long its prompt makes that', () => {
    const entrySeconds = (promptTokens: number): number => promptTokens / 10
    const ends = endsOf(fleetOf([pool], { entrySeconds }), [laneOf([ask(0, 30), ask(1, 10)])])
    expect(ends).toEqual([
      { id: 1, pool: 0, admittedS: 2, firstTokenS: 3, lastTokenS: 3 },
      { id: 0, pool: 0, admittedS: 3, firstTokenS: 4, lastTokenS: 4 },
    ])
  })

  it('refuses what no engine can hold, and goes on with the next', () => {
    const ends = endsOf(fleetOf([pool]), [laneOf([ask(0, 1000, 2), ask(0, 1000, 1)])])
    expect(ends).toMatchObject([
      { id: 0, nowS: 0, why: expect.stringContaining('1000') },
      { id: 1, lastTokenS: 1 },
    ])
  })

  it('does not read a prompt whose answer no pool could hold', () => {
    const small = { ...answering, policy: { ...policy, kvTokens: 20 } }
    const lanes = (): Lane[] => [laneOf([ask(0, 20, 2), ask(0, 20, 1)])]
    expect(endsOf(fleetOf([reading, small], { link }), lanes())).toMatchObject([
      { id: 0, why: expect.anything() },
      { id: 1, pool: 1 },
    ])
    const ends = endsOf(fleetOf([reading, answering], { link }), lanes())
    expect(ends).toMatchObject([{ pool: 1 }, { pool: 1 }])
  })

  it('ends, and names the request, where a user is refused again and again', () => {
    const arrival = { promptTokens: 5000, outputTokens: 1, user: 0 }
    let atS = 0
    const source: Lane['source'] = {
      get nextS() {
        return atS
      },
      take: () => ({ ...arrival, atS }),
      ended(_, endS) {
        atS = endS + 1e-6
      },
    }
    expect(() => endsOf(fleetOf([pool]), [laneOf([], { source })])).toThrow(
      expect.objectContaining({ code: 'NEVER_FITS', message: expect.stringContaining('5000') }),
    )
  })

  it('is over when its observer is done, or nothing more can come: a look keeps nothing alive', () => {
    const { observer } = createTold(1, [1, 100])
    expect(runFleet(fleetOf([pool]), [laneOf([ask(0, 10, 4)])], observer, createReferenceEngine)).toBe(4)
    const short = { ...createTold(1).observer, isDone: (nowS: number) => nowS >= 2 }
    const lanes = [laneOf([ask(0, 10, 1), ask(2, 10, 4), ask(3, 10, 4)])]
    expect(runFleet(fleetOf([pool]), lanes, short, createReferenceEngine)).toBe(2)
  })

  it('names all that is impossible at once', () => {
    const pools = [{ ...reading, replicas: 0, policy: { ...policy, maxBatchedTokens: 0.5, kvTokens: 9 } }]
    const run = (): unknown => endsOf(fleetOf(pools), [laneOf([], { pools: ['reading', 'other'] })])
    const message = expect.stringMatching(/replicas.*tokens of a step.*9 tokens.*other.*none that answers.*link/)
    expect(run).toThrow(expect.objectContaining({ code: 'IMPOSSIBLE_CONFIGURATION', message }))
  })
})
