import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEngine } from '../../src/sim/engine/create-engine.ts'
import { drive, type Script, type Told } from './reference/drive.ts'
import { createReferenceEngine } from './reference/engine.ts'
import { scripts } from './reference/scripts.ts'

/** How many of the runs had something in them. Had there been none, the two engines would agree on nothing much. */
type Seen = Record<
  'preempted' | 'resumed' | 'cached' | 'recomputed' | 'neverHeld' | 'prefilled' | 'users' | 'left' | 'leftWaiting',
  number
>

function compare(prefixCache: boolean, numRuns: number): Seen {
  const seen: Seen = {
    preempted: 0,
    resumed: 0,
    cached: 0,
    recomputed: 0,
    neverHeld: 0,
    prefilled: 0,
    users: 0,
    left: 0,
    leftWaiting: 0,
  }
  fc.assert(
    fc.property(scripts(prefixCache), (script) => {
      const truth = drive(createReferenceEngine, script)
      expect(byInstant(drive(createEngine, script))).toEqual(byInstant(truth))
      count(seen, script, truth)
      // And stopped in the middle, in a step or at the end of one.
      const ends = truth.steps.map(([endS = 0]) => endS)
      const middleS = ends[ends.length >> 1]
      for (const stopS of middleS === undefined ? [] : [middleS, middleS * 0.7]) {
        const cut = drive(createReferenceEngine, { ...script, looksS: [], stopS })
        expect(byInstant(drive(createEngine, { ...script, looksS: [], stopS }))).toEqual(byInstant(cut))
        if (cut.left.some(([, tokens = 0]) => tokens > 0)) seen.left++
        if (cut.left.some(([, tokens]) => tokens === 0)) seen.leftWaiting++
      }
    }),
    { numRuns, seed: 12 },
  )
  return seen
}

/** Several outages may end with one step: in which order they are told is nobody's concern. */
const byInstant = ({ resumed, ...told }: Told): Told => ({
  ...told,
  resumed: [...resumed].sort(([a = 0, x = 0], [b = 0, y = 0]) => a - b || x - y),
})

function count(seen: Seen, { requests }: Script, told: Told): void {
  if (told.preempted.length > 0) seen.preempted++
  if (told.resumed.length > 0) seen.resumed++
  if (told.finished.some((of) => of[5]! > 0)) seen.cached++
  if (told.finished.some((of) => of[6]! > 0)) seen.recomputed++
  if (told.neverHeld.length > 0) seen.neverHeld++
  if (requests.some(({ isPrefilled }) => isPrefilled)) seen.prefilled++
  if (requests.some(({ user }) => user !== undefined)) seen.users++
}

describe('an engine tells, to the last bit, what one that takes every step by itself tells', () => {
  it('without a prefix cache', () => {
    const { cached, ...seen } = compare(false, 1500)
    for (const times of Object.values(seen)) expect(times).toBeGreaterThan(100)
    expect(cached).toBe(0)
  }, 60_000)

  it('with a prefix cache', () => {
    for (const times of Object.values(compare(true, 1000))) expect(times).toBeGreaterThan(100)
  }, 60_000)
})
