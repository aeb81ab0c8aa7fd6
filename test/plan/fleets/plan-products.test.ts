import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FleetPlan, Product } from '../../../src/core/index.ts'
import { type Demand, PRODUCTS, planFleet, planProducts } from '../../../src/plan/index.ts'
import { LESSON, lesson, pace, server } from './ways.ts'

const PLAIN = { check: false }
const asked = (product: Product, demand: Demand): { readonly product: Product; readonly demand: Demand } => ({
  product,
  demand,
})
const planned = (...all: readonly ReturnType<typeof asked>[]): FleetPlan => planProducts([lesson], all, PLAIN)

describe('pools of their own and one for all', () => {
  // 50 tok/s: 60 a replica, of 6 s; 100 tok/s: 20 a replica, of 3 s.
  const slow = asked(pace(50, 'slow'), { arrivalsPerSecond: 100, outputTokens: 300 })
  const quick = asked(pace(100, 'quick'), { arrivalsPerSecond: 3, outputTokens: 200 })

  it('are, of very unlike products, better apart: by hand 10 + 1 replicas for 16', () => {
    const { plans, specialised, shared, better, sentence } = planned(slow, quick)
    expect(plans.map(({ replicas }) => replicas)).toEqual([10, 1])
    expect(specialised).toMatchObject({ gpus: 11, gpusAtPeak: 12 })
    // At 100 tok/s: 100·3 + 3·2 = 306 in flight, 20 in each.
    expect(shared).toMatchObject({ gpus: 16, plan: { replicas: 16, choice: { concurrency: 20 } } })
    expect(shared?.plan.inFlight).toBeCloseTo(306, 9)
    expect(shared?.products).toMatchObject([
      { name: 'slow', inFlight: expect.closeTo(300, 9), paceOverFloor: expect.closeTo(2, 9) },
      { name: 'quick', inFlight: expect.closeTo(6, 9), paceOverFloor: expect.closeTo(1, 9) },
    ])
    expect(better).toBe('specialised')
    expect(sentence).toMatch(/pool of its own: 12 GPUs at the peak for 18/)
  })

  it('are, of small ones that are alike, better together: one replica is not half empty for each', () => {
    const part = (name: string): ReturnType<typeof asked> =>
      asked(pace(50, name), { arrivalsPerSecond: 2, outputTokens: 300 })
    const { specialised, shared, better, sentence } = planned(part('a'), part('b'), part('c'))
    // 12 in flight each, 60 a replica; and 36 in one, no more than 51 for 99 % of the time.
    expect(specialised).toMatchObject({ gpus: 3, gpusAtPeak: 3 })
    expect(shared).toMatchObject({ gpus: 1, gpusAtPeak: 1 })
    expect(better).toBe('shared')
    expect(sentence).toContain('share one pool: 1 GPU ')
  })

  it('take the lengths of all requests in the mean, each as often as it comes', () => {
    const { shared } = planned(slow, quick)
    expect(shared?.plan.outputTokens).toBeCloseTo((100 * 300 + 3 * 200) / 103, 9)
  })

  it('of users count those that wait for the pace that all have', () => {
    const chat = asked(pace(50, 'chat'), { users: 300, thinkS: 20, outputTokens: 300 })
    const code = asked(pace(100, 'code'), { users: 30, outputTokens: 200 })
    const { shared } = planned(chat, code)
    const [one, other] = shared?.products ?? []
    expect(one?.arrivalsPerSecond).toBeCloseTo(300 / (20 + (one?.timeInSystemS ?? 0)), 9)
    expect(other?.arrivalsPerSecond).toBeCloseTo(30 / (other?.timeInSystemS ?? 1), 9)
    expect((one?.inFlight ?? 0) + (other?.inFlight ?? 0)).toBeCloseTo(shared?.plan.inFlight ?? 0, 1)
  })

  it('add up peaks that are said, and let chance even out', () => {
    const said = asked(pace(50, 'said'), { arrivalsPerSecond: 10, peakPerSecond: 30, outputTokens: 300 })
    const plain = asked(pace(50, 'plain'), { arrivalsPerSecond: 10, outputTokens: 300 })
    const { shared } = planned(said, plain)
    // 30·6 and the 99th percentile of 60 by chance.
    expect(shared?.plan.peak?.inFlight).toBeCloseTo(180 + 79, 6)
    const both = planned(plain, plain).shared?.plan.peak
    expect(both).toMatchObject({ by: 'poisson', inFlight: 147 })
  })
})

describe('products that cannot be together', () => {
  // Quick for few, and its first token soon only alone.
  const waits = server({
    name: 'waits',
    rows: [
      { concurrency: 1, outputTokensPerSecond: 50, ttftMs: 100 },
      { concurrency: 40, outputTokensPerSecond: 1900, ttftMs: 900 },
    ],
    gpus: 1,
  })
  const voice: Product = { name: 'voice', goal: 'pace', ttftMs: 150 }

  it('are told so where no load holds the strictest of each, though each can be held', () => {
    const odd = server({
      name: 'odd',
      rows: [
        { concurrency: 10, outputTokensPerSecond: 300, ttftMs: 100 },
        { concurrency: 11, outputTokensPerSecond: 1100, ttftMs: 400 },
      ],
      gpus: 1,
    })
    const all = [
      asked(voice, { arrivalsPerSecond: 1, outputTokens: 50 }),
      asked(pace(90, 'code'), { arrivalsPerSecond: 1, outputTokens: 50 }),
    ]
    const answer = planProducts([odd], all, PLAIN)
    expect(answer.plans).toHaveLength(2)
    expect(answer).not.toHaveProperty('shared')
    expect(answer.better).toBe('specialised')
    expect(answer.sentence).toMatch(/No pool can be shared: the floor of code with the first token of voice/)
    // Where one load does hold both there is one.
    const easy = planProducts(
      [waits],
      [
        asked(voice, { arrivalsPerSecond: 1, outputTokens: 50 }),
        asked(pace(45, 'code'), { arrivalsPerSecond: 1, outputTokens: 50 }),
      ],
      PLAIN,
    )
    expect(easy.shared?.plan.product).toMatchObject({ tokensPerSecond: 45, ttftMs: 150 })
  })

  it('do not hide the others where nothing holds one', () => {
    const answer = planned(
      asked(pace(50, 'chat'), { arrivalsPerSecond: 1, outputTokens: 300 }),
      asked(pace(500, 'mad'), { arrivalsPerSecond: 1, outputTokens: 300 }),
    )
    expect(answer.plans.map(({ product }) => product.name)).toEqual(['chat'])
    expect(answer.refused).toMatchObject([{ product: { name: 'mad' }, error: { code: 'NO_POINT_HOLDS' } }])
    expect(answer.sentence).toContain('mad is left out')
    expect(answer.specialised).toMatchObject({ gpus: 1 })
  })
})

describe('a batch beside them', () => {
  const chat = asked(pace(50, 'chat'), { arrivalsPerSecond: 95, outputTokens: 300 })

  it('goes into what the fleet leaves idle, and saves a fleet of its own', () => {
    const batch = asked(PRODUCTS.batch, { requests: 20_000, outputTokens: 500, deadlineS: 6 * 3600 })
    const { plans, fills, specialised, total } = planned(chat, batch)
    expect(plans.map(({ product }) => product.name)).toEqual(['chat', 'batch'])
    // Of what wants a pace only.
    expect(specialised?.gpus).toBe(plans[0]?.gpus)
    expect(fills).toMatchObject([{ product: 'batch', pool: 'chat', inTime: true, gpusSaved: plans[1]?.gpus }])
    expect(fills?.[0]?.completionS).toBeLessThanOrEqual(6 * 3600)
    // Nothing is bought for it.
    expect(total).toMatchObject({ gpus: specialised?.gpus, gpusAtPeak: specialised?.gpusAtPeak })
    expect(fills?.[0]?.sentence).toBe(fills?.[0]?.trough.sentence)
  })

  it('that is too large for it is told to be late', () => {
    const batch = asked(PRODUCTS.batch, { requests: 5_000_000, outputTokens: 500, deadlineS: 6 * 3600 })
    const { fills: [fill] = [], specialised, total, sentence } = planned(chat, batch)
    expect(fill).toMatchObject({ inTime: false })
    expect(fill).not.toHaveProperty('gpusSaved')
    const more = fill?.trough.moreReplicas ?? 0
    expect(more).toBeGreaterThan(0)
    expect(total?.gpus).toBe((specialised?.gpus ?? 0) + more)
    expect(total?.gpusAtPeak).toBe((specialised?.gpusAtPeak ?? 0) + more)
    expect(sentence).toContain(total?.sentence)
  })

  it('is bought for where it is the second in one pool, and where there is none', () => {
    const night = (name: string): ReturnType<typeof asked> =>
      asked({ ...PRODUCTS.batch, name }, { requests: 20_000, outputTokens: 500, deadlineS: 6 * 3600, gpuHour: 2 })
    const priced = asked(chat.product, { ...chat.demand, gpuHour: 2 })
    const two = planned(priced, night('one'), night('two'))
    const own = two.plans[2]
    expect(two.total?.gpus).toBe((two.specialised?.gpus ?? 0) + (own?.gpus ?? 0))
    expect(two.total?.perHour).toBeCloseTo(2 * (two.total?.gpus ?? 0), 9)
    expect(two.total?.perHourAtPeak).toBeCloseTo(2 * (two.total?.gpusAtPeak ?? 0), 9)
    expect(planned(night('one')).total?.gpus).toBe(own?.gpus)
  })
})

describe('whatever is asked', () => {
  const products = fc.array(
    fc.record({
      floor: fc.double({ min: 30, max: 150, noNaN: true }),
      rate: fc.double({ min: 0.1, max: 60, noNaN: true }),
      tokens: fc.integer({ min: 20, max: 800 }),
    }),
    { minLength: 2, maxLength: 4 },
  )

  it('the better of the two is the lesser, and the pools of their own are what plan says of each', () => {
    fc.assert(
      fc.property(products, (all) => {
        const parts = all.map(({ floor, rate, tokens }, i) =>
          asked(pace(floor, `p${i}`), { arrivalsPerSecond: rate, outputTokens: tokens }),
        )
        const { specialised, shared, better } = planned(...parts)
        const own = parts.reduce(
          (sum, { product, demand }) => sum + (planFleet([lesson], product, demand, PLAIN).gpusAtPeak ?? 0),
          0,
        )
        expect(specialised?.gpusAtPeak).toBe(own)
        const common = shared?.gpusAtPeak ?? Number.POSITIVE_INFINITY
        expect(better === 'shared' ? common : own).toBe(Math.min(own, common))
        // Those of one floor lose nothing by sharing but rounding and chance, and these only gain.
        const alike = planned(...parts.map(({ demand }, i) => asked(pace(60, `p${i}`), demand)))
        expect(alike.shared?.gpusAtPeak).toBeLessThanOrEqual(alike.specialised?.gpusAtPeak ?? 0)
      }),
      { seed: 6, numRuns: 15 },
    )
  })

  it('nothing is null', () => {
    expect(
      JSON.stringify(
        planProducts(
          [lesson, server({ name: 'other', rows: LESSON, gpus: 2 })],
          [
            asked(pace(50, 'a'), { arrivalsPerSecond: 1, outputTokens: 5 }),
            asked(pace(70, 'b'), { arrivalsPerSecond: 1, outputTokens: 5 }),
          ],
          PLAIN,
        ),
      ),
    ).not.toContain('null')
  })
})

describe('a batch that is late beside users', () => {
  const slow = server({ name: 'slow', rows: [{ concurrency: 1, outputTokensPerSecond: 169 }], gpus: 1 })
  const quick = server({
    name: 'quick',
    rows: [
      { concurrency: 2, outputTokensPerSecond: 120 },
      { concurrency: 39, outputTokensPerSecond: 1588 },
    ],
    gpus: 1,
  })
  const users = asked(pace(100, 'users'), { arrivalsPerSecond: 3, outputTokens: 12 })
  const night = (requests: number): ReturnType<typeof asked> =>
    asked({ name: 'night', goal: 'throughput' }, { requests, outputTokens: 620, deadlineS: 19_103 })

  it('has a fleet of its own where that takes fewer GPUs than more of the users’ own: by hand 647,910 × 620 ÷ 1,588 ÷ 19,103 s = 13.2', () => {
    const { plans, total, fills } = planProducts([slow, quick], [users, night(647_910)], PLAIN)
    expect(plans.map(({ gpus }) => gpus)).toEqual([1, 14])
    expect(total?.gpusAtPeak).toBe((plans[0]?.gpusAtPeak ?? 0) + 14)
    expect(fills?.[0]?.trough.own).toEqual({ replicas: 14, gpus: 14 })
  })

  it('never takes more in all than pools and fleets of their own', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1000, max: 2_000_000 }), (requests) => {
        const { plans, total } = planProducts([slow, quick], [users, night(requests)], PLAIN)
        const own = plans.reduce((sum, { gpus = 0, gpusAtPeak = gpus }) => sum + gpusAtPeak, 0)
        expect(total?.gpusAtPeak).toBeLessThanOrEqual(own)
      }),
      { numRuns: 30 },
    )
  })
})
