import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRandom, type Point } from '../../../src/core/index.ts'
import { type SearchState, searchOf } from '../../../src/model/index.ts'
import {
  asked,
  type Searched,
  searched,
  steadyAt,
  type VirtualServer,
  virtualPoint,
} from '../../support/virtual-points.ts'

const affine = (aMs: number, bMs: number): VirtualServer => ({ stepS: (batch) => (aMs + bMs * batch) / 1000 })

/** The greatest load of a grid of all of them that holds, given that all below do. */
function onTheGrid(holds: (load: number) => boolean, most = 4096): number {
  let [low, high] = [0, most + 1]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (holds(middle)) low = middle
    else high = middle
  }
  return low
}

const stateOf = (points: readonly Point[]): SearchState => {
  const state = searchOf(asked('find', { tokensPerSecond: 50 }), points, {})
  if (state === undefined) throw new Error('the run is not asked to search')
  return state
}

const answerOf = ({ choices }: Searched): number => choices?.[0]?.choice.concurrency ?? 0
/** ± 3 %, for small loads ± nothing. */
const isWithin = (answer: number, exact: number, share = 0.03): boolean => Math.abs(answer - exact) <= share * exact

describe("the lesson's server, a = 5 ms, b = 0.25 ms", () => {
  const server = { ...affine(5, 0.25), prefillS: () => 0 }

  it('holds 50 tok/s with 60 users, found in four points, and 61 do not', () => {
    const found = searched(server, asked('find', { tokensPerSecond: 50 }))
    expect(found.loads).toEqual([1, 48, 60, 61])
    expect(found.choices?.[0]).toMatchObject({
      product: { goal: 'pace', tokensPerSecond: 50 },
      choice: { concurrency: 60, source: 'measured' },
      bindingConstraint: 'floor',
      neighbours: [{ concurrency: 48 }, { concurrency: 61 }],
    })
    expect(found.search).toMatchObject({ kind: 'find', finished: true })
    expect(found.search.sentence).toContain(
      '60 users are the most that hold 50 tok/s/user: 60 have 50 tok/s, 61 have 49.4 tok/s',
    )
  })

  it('is not answered while the search goes on', () => {
    const state = stateOf([1, 48].map((load) => virtualPoint(server, load, { tokensPerSecond: 50 })))
    expect(state).toMatchObject({ next: 60, search: { finished: false } })
    expect(state.choices).toBeUndefined()
    expect(state.search.sentence).toContain('was not finished: 48 hold it, of more nothing is known')
  })

  it('held by one user alone says so in the singular', () => {
    const found = searched(server, asked('find', { tokensPerSecond: 188 }))
    expect(found.search.sentence).toContain('1 user is the most that holds 188 tok/s/user: 1 has 190 tok/s, 2 have')
  })

  it('cannot give 250 tok/s to anyone', () => {
    const found = searched(server, asked('find', { tokensPerSecond: 250 }))
    expect(found.loads).toEqual([1])
    expect(found.choices).toBeUndefined()
    expect(found.search.sentence).toContain('one user alone does not: 1 has 190 tok/s')
  })
})

describe('on an affine server the answer is that of the grid', () => {
  const servers = fc.record({
    aMs: fc.double({ min: 1, max: 50, noNaN: true }),
    bMs: fc.double({ min: 0.01, max: 2, noNaN: true }),
    prefillMs: fc.double({ min: 0, max: 100, noNaN: true }),
    /** What the floor leaves of a lone user's pace. */
    kept: fc.double({ min: 0.1, max: 0.98, noNaN: true }),
    spread: fc.constantFrom(0, 0.02),
  })

  it.each([undefined, 0.9, 0.95])('share %s, exact points: within 3 % or to the user, in at most 6', (share) => {
    fc.assert(
      fc.property(servers, ({ aMs, bMs, prefillMs, kept, spread }) => {
        const server = {
          ...affine(aMs, bMs),
          prefillS: () => prefillMs / 1000,
          spread: share === undefined ? 0 : spread,
        }
        const objectives = { tokensPerSecond: kept * steadyAt(server, 1).pace }
        const holds = (load: number): boolean => {
          const { littlesLaw, goodput } = virtualPoint(server, load, objectives)
          const pace = littlesLaw.decodeTokensPerSecondPerUser ?? 0
          return share === undefined ? pace >= objectives.tokensPerSecond : (goodput?.attainment ?? 0) >= share
        }
        const exact = onTheGrid(holds)
        fc.pre(exact >= 1 && exact < 4096)
        const found = searched(server, asked('find', objectives, share === undefined ? {} : { share }))
        expect(found.loads.length).toBeLessThanOrEqual(6)
        expect(found.choices?.[0]?.bindingConstraint).toBe('floor')
        expect([answerOf(found), exact]).toSatisfy(([answer, grid]: [number, number]) => isWithin(answer, grid))
      }),
      { numRuns: 200, endOnFailure: true },
    )
  })

  it('with 1 % of noise: within 3 %, one user, or what that noise is worth in users', () => {
    const random = createRandom('find')
    let missed = 0
    let tried = 0
    for (let i = 0; i < 400; i++) {
      const server = affine(1 + 40 * random.next(), 0.01 + random.next())
      const floor = (0.15 + 0.75 * random.next()) * steadyAt(server, 1).pace
      const exact = onTheGrid((load) => steadyAt(server, load).pace >= floor)
      if (exact >= 4096 || exact < 1) continue
      tried++
      const found = searched(server, asked('find', { tokensPerSecond: floor }), random, 0.01)
      expect(found.loads.length).toBeLessThanOrEqual(6)
      // 1 % of pace is so much of load; twice that much noise comes once in twenty.
      const steep = Math.log(steadyAt(server, exact).pace / steadyAt(server, 1.1 * exact).pace) / Math.log(1.1)
      const allowed = Math.max(1, exact * (0.03 + 0.02 / steep))
      if (Math.abs(answerOf(found) - exact) > allowed) missed++
    }
    expect(tried).toBeGreaterThan(200)
    expect(missed / tried).toBeLessThan(0.05)
  })
})

describe('a server that is not a line', () => {
  it('jumps between one sequence and two', () => {
    const server: VirtualServer = { stepS: (batch) => (batch < 1.5 ? 0.001 : 0.005 + 0.00025 * batch) }
    for (const floor of [20, 50, 100, 150]) {
      const exact = onTheGrid((load) => steadyAt(server, load).pace >= floor)
      const found = searched(server, asked('find', { tokensPerSecond: floor }))
      expect(found.loads.length).toBeLessThanOrEqual(6)
      expect([floor, answerOf(found), exact, isWithin(answerOf(found), exact)]).toEqual([
        floor,
        answerOf(found),
        exact,
        true,
      ])
    }
  })

  it('bends as its KV cache fills', () => {
    const server: VirtualServer = { stepS: (batch) => 0.01 + 0.0001 * batch + 2e-7 * batch ** 2 }
    for (const floor of [15, 25, 40, 60, 80]) {
      const exact = onTheGrid((load) => steadyAt(server, load).pace >= floor)
      const found = searched(server, asked('find', { tokensPerSecond: floor }))
      expect(found.loads.length).toBeLessThanOrEqual(6)
      expect([floor, answerOf(found), exact, isWithin(answerOf(found), exact)]).toEqual([
        floor,
        answerOf(found),
        exact,
        true,
      ])
    }
  })

  it('takes 16 at once: the answer is where it is full, and that it is the server', () => {
    const server = { ...affine(5, 0.25), slots: 16 }
    const found = searched(server, asked('find', { tokensPerSecond: 50 }))
    expect(found.choices?.[0]?.bindingConstraint).toBe('serverLimit')
    expect(Math.abs(answerOf(found) - 16)).toBeLessThanOrEqual(1)
    expect(found.search.sentence).toContain('the server takes no more at once')
  })

  it('takes 16 at once, but is too slow before that', () => {
    const found = searched({ ...affine(5, 0.25), slots: 16 }, asked('find', { tokensPerSecond: 140 }))
    expect(found.choices?.[0]).toMatchObject({ bindingConstraint: 'floor', choice: { concurrency: 8 } })
  })
})

describe('the wait for the first token', () => {
  it.each([
    ['of a queue behind 16 places', { ...affine(5, 0.25), slots: 16 }, 500],
    ['of a queue behind 100 places', { ...affine(5, 0.25), slots: 100 }, 300],
    ['of prefill that shares the step', { ...affine(5, 0.05), prefillS: (load: number) => 0.02 + 0.005 * load }, 400],
    ['that grows ever faster', { ...affine(5, 0.01), prefillS: (load: number) => 0.02 * Math.exp(load / 100) }, 300],
  ] as const)('%s binds before the floor', (_, server, limitMs) => {
    const objectives = { tokensPerSecond: 20, ttftMs: limitMs }
    const exact = onTheGrid(
      (load) => 1000 * steadyAt(server, load).ttftS <= limitMs && steadyAt(server, load).pace >= 20,
    )
    const found = searched(server, asked('find', objectives, { share: 0.9 }))
    expect(found.choices?.[0]?.bindingConstraint).toBe('ttft')
    expect(found.loads.length).toBeLessThanOrEqual(6)
    // Those that have the one part need not be those that have the other, so it is told how many have both.
    expect(found.search.sentence).toMatch(/for 90 % of requests: at \d+ it is (9\d(\.\d)?|100) %, at \d+ it is [0-8]/)
    expect([answerOf(found), exact, isWithin(answerOf(found), exact, 0.04)]).toEqual([answerOf(found), exact, true])
  })

  it('may be all that is asked', () => {
    const server = { ...affine(5, 0.05), prefillS: (load: number) => 0.02 + 0.005 * load }
    const found = searched(server, asked('find', { ttftMs: 400 }))
    expect(found.choices?.[0]).toMatchObject({ bindingConstraint: 'ttft' })
    expect(isWithin(answerOf(found), 76)).toBe(true)
  })
})

describe('points that do not count', () => {
  it('of a client at its limit are neither for nor against the server, and it is said', () => {
    const found = searched({ ...affine(5, 0.01), clientUsers: 50 }, asked('find', { tokensPerSecond: 20 }))
    expect(found.choices?.[0]?.bindingConstraint).toBe('clientLimit')
    expect(answerOf(found)).toBeLessThan(50)
    expect(answerOf(found)).toBeGreaterThan(30)
    expect(found.search.tried).toContainEqual({ concurrency: 64, verdict: 'void', fault: 'generatorSaturated' })
    expect(found.search.sentence).toContain('this client is at its limit')
    // And where the client keeps up, they do.
    const other = searched(affine(5, 0.01), asked('find', { tokensPerSecond: 40 }))
    expect(other.choices?.[0]?.bindingConstraint).toBe('floor')
  })

  it('of a client at its limit with one user, twice, leave nothing to say', () => {
    const found = searched({ ...affine(5, 0.01), clientUsers: 1 }, asked('find', { tokensPerSecond: 20 }))
    expect(found.loads).toEqual([1, 1])
    expect(found.choices).toBeUndefined()
    expect(found.search.sentence).toContain('nothing can be said')
    // Once was a disturbance.
    const objectives = { tokensPerSecond: 50 }
    const [disturbed, sound] = [1, 2].map((from) =>
      virtualPoint({ ...affine(5, 0.25), clientUsers: from }, 1, objectives),
    )
    expect(stateOf([disturbed, sound].filter((point) => point !== undefined)).next).toBeGreaterThan(1)
  })

  it('where requests fail: failures are misses', () => {
    const server = { ...affine(5, 0.05), failing: (load: number) => (load > 40 ? 0.3 : 0) }
    const found = searched(server, asked('find', { tokensPerSecond: 20 }, { share: 0.9 }))
    expect(found.choices?.[0]?.bindingConstraint).toBe('failures')
    expect(answerOf(found)).toBeLessThanOrEqual(40)
    expect(answerOf(found)).toBeGreaterThan(30)
  })
})

it('a load that missed under one that holds is measured again before it is believed', () => {
  const at = (load: number, slower = 1): Point =>
    virtualPoint(affine(5 * slower, 0.25 * slower), load, { tokensPerSecond: 50 })
  const points = [at(1), at(20, 2.5), at(50)]
  expect(stateOf(points).next).toBe(20)
  // A second time as slow: it is the server.
  expect(stateOf([...points, at(20, 2.5)]).next).toBeLessThan(20)
  // The first was a hiccup.
  expect(stateOf([...points, at(20)]).next).toBeGreaterThan(50)
})
