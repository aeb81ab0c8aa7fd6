import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRandom, type Random } from '../../../src/core/index.ts'
import { createCurve, fitLaw, pointsOfRun, searchOf } from '../../../src/model/index.ts'
import {
  asked,
  type Searched,
  searched,
  steadyAt,
  type VirtualServer,
  virtualPoint,
} from '../../support/virtual-points.ts'

const affine = (aMs: number, bMs: number): VirtualServer => ({ stepS: (batch) => (aMs + bMs * batch) / 1000 })
const sweep = (server: VirtualServer, random?: Random, noise?: number): Searched =>
  searched(server, asked('sweep'), random, noise)

/** The worst relative error of the frontier that a run draws, over the range that its sweep says is known. */
function worstError(server: VirtualServer, { points, search }: Searched): number {
  const loads = pointsOfRun(points, {})
  const curve = createCurve(loads, fitLaw(loads))
  let worst = 0
  for (let load = 1; load <= (search.upTo ?? 0); load = Math.max(load + 1, Math.round(load * 1.1))) {
    const told = curve.at(load)?.tokensPerSecondPerUser ?? 0
    worst = Math.max(worst, Math.abs(told / steadyAt(server, load).pace - 1))
  }
  return worst
}

/** Where doubling the load brings 3 % more output and no less. */
function endOfGain(server: VirtualServer): number {
  const output = (load: number): number => load * steadyAt(server, load).pace
  let load = 1
  while (output(2 * load) > 1.03 * output(load) && load < 1e6) load = Math.ceil(load * 1.05)
  return load
}

describe("the lesson's server", () => {
  const server = affine(5, 0.25)

  it('is known from four points, to where doubling brings 3 %', () => {
    const found = sweep(server)
    expect(found.loads).toHaveLength(4)
    expect(found.search).toMatchObject({ kind: 'sweep', finished: true, known: true, endedBy: 'gain' })
    expect(found.search.upTo).toBeGreaterThan(endOfGain(server) / 1.25)
    expect(worstError(server, found)).toBeLessThan(0.01)
    expect(found.search.sentence).toContain('known to ± 3 %')
  })

  it('with a limit of 32 at once ends there, by the server and not by the law', () => {
    const found = sweep({ ...server, slots: 32 })
    expect(found.search).toMatchObject({ known: true, endedBy: 'serverLimit' })
    expect(Math.abs((found.search.upTo ?? 0) - 32)).toBeLessThanOrEqual(1)
    expect(found.search.sentence).toContain("The server's own limit ends it, not the law")
    expect(found.loads.length).toBeLessThanOrEqual(6)
  })

  it('behind a client that tires at 100 users is known to there only', () => {
    const found = sweep({ ...server, clientUsers: 100 })
    expect(found.search.endedBy).toBe('clientLimit')
    expect(found.search.upTo).toBeLessThan(100)
    expect(found.search.sentence).toContain('this client is at its limit')
  })

  it('behind a client that tires at once is not known, and it says where it stopped', () => {
    const found = sweep({ ...server, clientUsers: 16 })
    expect(found.search).toMatchObject({ known: false, endedBy: 'clientLimit', upTo: 1 })
    expect(found.search.sentence).toContain('The frontier is not known: only one user alone could be measured')
    expect(found.search.sentence).toContain('It stopped at 16 users, where this client is at its limit')
  })

  it('that takes one at a time is known from one', () => {
    expect(sweep({ ...server, slots: 1 }).search).toMatchObject({ known: true, endedBy: 'serverLimit', upTo: 1 })
  })

  it('ends where a window was too short for its load, and says that', () => {
    const points = [1, 16, 64, 300].map((load) => virtualPoint(server, load))
    const short = points.map((point) =>
      point.load.value < 300 ? point : { ...point, littlesLaw: { ...point.littlesLaw, residual: 0.996 } },
    )
    const state = searchOf(asked('sweep'), short, {})
    expect(state?.search).toMatchObject({ endedBy: 'tooShort', upTo: 64 })
    expect(searchOf(asked('sweep'), points, {})?.search.endedBy).toBe('gain')
  })

  it('may not go beyond the requests of a point', () => {
    const found = searched(server, asked('sweep', {}, { requests: 20 }))
    expect(Math.max(...found.loads)).toBeLessThanOrEqual(20)
    expect(found.search.endedBy).toBe('measuredRange')
  })
})

it('one sequence alone may lie off the line of the others', () => {
  const server: VirtualServer = { stepS: (batch) => (batch < 1.5 ? 0.001 : 0.005 + 0.00025 * batch) }
  const found = sweep(server)
  expect(found.search.known).toBe(true)
  expect(found.loads.length).toBeLessThanOrEqual(7)
})

describe('an engine whose steps jump at some batches', () => {
  /** As a kernel that takes rows by fours, and one batch at which another kernel takes over. */
  const jumps = (batch: number): number => 0.004 + 0.003 * Math.ceil(batch / 4) + (Math.round(batch) === 8 ? 0.004 : 0)

  it('of sixteen places is measured whole, for no load foretells another', () => {
    const server: VirtualServer = { stepS: jumps, slots: 16 }
    const found = sweep(server)
    expect(found.search).toMatchObject({ finished: true, known: true, endedBy: 'serverLimit' })
    expect(new Set(found.loads.filter((load) => load <= 16)).size).toBeGreaterThanOrEqual(15)
    expect(worstError(server, found)).toBeLessThan(0.01)
  })

  it('of many places is given up after eight points, and not called known', () => {
    const found = sweep({ stepS: jumps, slots: 64 })
    expect(found.loads).toHaveLength(8)
    expect(found.search).toMatchObject({ finished: true, known: false })
  })
})

it('a frontier that bends is not called known by a line', () => {
  const server: VirtualServer = { stepS: (batch) => 0.01 + 0.0001 * batch + 5e-7 * batch ** 2 }
  const found = sweep(server)
  if (found.search.known === true) expect(worstError(server, found)).toBeLessThan(0.05)
  else expect(found.search.sentence).toContain('not known')
})

it('exact affine servers: known everywhere to 3 %, in at most six points', () => {
  const law = fc.record({
    aMs: fc.double({ min: 0.5, max: 50, noNaN: true }),
    bMs: fc.double({ min: 0.02, max: 5, noNaN: true }),
    /** Of the time of an answer to a lone user. */
    prefill: fc.double({ min: 0, max: 0.2, noNaN: true }),
  })
  fc.assert(
    fc.property(law, ({ aMs, bMs, prefill }) => {
      const server = { ...affine(aMs, bMs), prefillS: () => (prefill * 127 * (aMs + bMs)) / 1000 }
      const found = sweep(server)
      expect(found.loads.length).toBeLessThanOrEqual(6)
      expect(found.search.known).toBe(true)
      expect(worstError(server, found)).toBeLessThan(0.03)
      // A load within a quarter of the end stands for it, and `endOfGain` goes on in steps of 5 %.
      if (found.search.endedBy === 'gain') expect(found.search.upTo).toBeGreaterThan(endOfGain(server) / 1.32)
    }),
    { endOnFailure: true },
  )
})

it('with 1 % of noise: within 3 % everywhere nineteen times in twenty, in five points typically', () => {
  const random = createRandom('sweep')
  const counts: number[] = []
  let [known, wrong] = [0, 0]
  for (let i = 0; i < 200; i++) {
    const server = affine(1 + 40 * random.next(), 0.05 + random.next())
    const found = sweep(server, random, 0.01)
    counts.push(found.loads.length)
    if (found.search.known !== true) continue
    known++
    if (worstError(server, found) > 0.03) wrong++
  }
  counts.sort((a, b) => a - b)
  expect(counts[100]).toBeLessThanOrEqual(5)
  expect(counts.at(-1)).toBeLessThanOrEqual(8)
  expect(known).toBeGreaterThan(180)
  expect(wrong / known).toBeLessThan(0.05)
})
