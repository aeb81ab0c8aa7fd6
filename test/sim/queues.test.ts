import { describe, expect, it } from 'vitest'
import { createRandom, exponential, mean, withinT } from '../../src/core/index.ts'
import type { Source } from '../../src/sim/arrivals/source.ts'
import type { Fleet } from '../../src/sim/fleet/fleet.ts'
import { runFleet } from '../../src/sim/fleet/run-fleet.ts'
import { fleetOf, played, type Row, sourceOf, sum } from './one-pool.ts'

/** One token a millisecond, whoever takes part: an answer of N tokens is a service of N ms, and a seat is a server. */
const STEP_S = 0.001
const servers = (seats: number): Fleet => fleetOf({ baseS: STEP_S, perSequenceS: 0 }, { maxNumSeqs: seats })

describe('a queue with constant service', () => {
  const rowsEvery = (everyS: number): Row[] =>
    Array.from({ length: 200 }, (_, i) => ({ atS: i * everyS, promptTokens: 1, outputTokens: 100 }))

  it.each([
    { everyS: 0.1, grows: 0 },
    { everyS: 0.125, grows: 0 },
    { everyS: 0.08, grows: 0.02 },
  ])('D/D/1: with one every $everyS s each waits $grows s longer than the one before', ({ everyS, grows }) => {
    const { records } = played(servers(1), sourceOf(rowsEvery(everyS)))
    expect(records).toHaveLength(200)
    records.forEach(({ sentS, endS, gapsUs }, i) => {
      expect(Math.abs(endS - sentS - (0.1 + i * grows))).toBeLessThan(2e-6)
      expect(new Set(gapsUs)).toEqual(new Set([1000]))
    })
  })
})

/** Erlang's C: which share of requests must wait at k servers that are offered so many at once. */
function erlangC(k: number, offered: number): number {
  let [term, all] = [1, 1]
  for (let n = 1; n < k; n++) {
    term *= offered / n
    all += term
  }
  const last = ((term * offered) / k) * (k / (k - offered))
  return last / (all + last)
}

describe('a queue of which chance has the say', () => {
  const SERVICE_S = 1
  const REQUESTS = 4000
  /** Requests before these still feel that the queue was empty at first. */
  const FROM = 400

  /** From arrival to the first step that a request is in, in order of arrival; no token of an answer is looked at. */
  function waitsOf(fleet: Fleet, source: Source): readonly number[] {
    const waits: number[] = []
    runFleet(fleet, [{ name: 'lane', source, priority: 0 }], {
      groups: 1,
      nextLookS: Number.POSITIVE_INFINITY,
      arrived: () => 0,
      ended({ id, arrival }, { admittedS }) {
        waits[id] = admittedS - arrival.atS
      },
      refused() {},
      segment() {},
      preempted() {},
      resumed() {},
      look() {},
      isDone: () => false,
    })
    return waits
  }

  /** Mean wait of each of 50 runs, in seconds. */
  function waits(seats: number, load: number, service: 'chance' | 'constant'): readonly number[] {
    return Array.from({ length: 50 }, (_, seed) => {
      const random = createRandom(`${seats}/${load}/${seed}`)
      let atS = 0
      const rows = Array.from({ length: REQUESTS }, (_, i) => {
        if (i > 0) atS += (exponential(random) * SERVICE_S) / (load * seats)
        const serviceS = (service === 'chance' ? exponential(random) : 1) * SERVICE_S
        const outputTokens = Math.max(1, Math.round(serviceS / STEP_S))
        return { atS: Math.round(atS * 1e6) / 1e6, promptTokens: 1, outputTokens }
      })
      return mean(waitsOf(servers(seats), sourceOf(rows)).slice(FROM)) ?? 0
    })
  }

  /** How sure the runs are that the truth is another: 0.95 at the edge of their 95 % interval. */
  function doubt(runs: readonly number[], truth: number): number {
    const center = mean(runs) ?? 0
    const variance = sum(runs.map((run) => (run - center) ** 2)) / (runs.length - 1)
    const error = Math.sqrt(variance / runs.length)
    expect(error / truth).toBeLessThan(0.03)
    return withinT(Math.abs(center - truth) / error, runs.length - 1)
  }

  it.each([0.5, 0.7])('M/M/1 and M/D/1 at %d wait as long as the books say', (load) => {
    const markov = (load * SERVICE_S) / (1 - load)
    expect(doubt(waits(1, load, 'chance'), markov)).toBeLessThan(0.95)
    expect(doubt(waits(1, load, 'constant'), markov / 2)).toBeLessThan(0.95)
    // The runs are sharp enough to tell them apart, and from a load that is a twentieth higher.
    expect(doubt(waits(1, load, 'constant'), markov)).toBeGreaterThan(0.999)
    const higher = 1.05 * load
    expect(doubt(waits(1, load, 'chance'), (higher * SERVICE_S) / (1 - higher))).toBeGreaterThan(0.95)
  })

  it('M/M/4 waits as Erlang says', () => {
    const load = 0.75
    const seats = 4
    const truth = (erlangC(seats, load * seats) * SERVICE_S) / (seats * (1 - load))
    const runs = waits(seats, load, 'chance')
    expect(doubt(runs, truth)).toBeLessThan(0.95)
    // One server four times as fast would let them wait longer.
    expect(doubt(runs, (load * SERVICE_S) / seats / (1 - load))).toBeGreaterThan(0.999)
  })
})
