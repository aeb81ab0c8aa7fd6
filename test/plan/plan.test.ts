import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Plan, type PointsRow, type Product, TwospeedError } from '../../src/core/index.ts'
import { type Demand, type Evidence, evidenceOfRows, PRODUCTS, plan } from '../../src/plan/index.ts'
import { refusal } from '../support/refusal.ts'

const LESSON: readonly PointsRow[] = [
  { concurrency: 20, outputTokensPerSecond: 2000 },
  { concurrency: 80, outputTokensPerSecond: 3200 },
]
const lesson = evidenceOfRows(LESSON, { gpus: 1 })
const pace = (tokensPerSecond: number): Product => ({ name: 'test', goal: 'pace', tokensPerSecond })

describe('the lesson', () => {
  it.each([
    [100, 20],
    [50, 60],
  ])('a floor of %d is held at %d in flight', (floor, load) => {
    const { choice } = plan(lesson, pace(floor), { arrivalsPerSecond: 1, outputTokens: 300 })
    expect(choice.concurrency).toBe(load)
  })

  it('ten requests a second of 300 tokens at 100 tok/s are 30 in flight, on two replicas', () => {
    const answer = plan(lesson, pace(100), { arrivalsPerSecond: 10, outputTokens: 300 })
    expect(answer).toMatchObject({ inFlight: 30, timeInSystemS: 3, replicas: 2, gpus: 2 })
    // Of two, each has 5 requests/s: x = 5·W(x) = 5·300·(5 + x/4) ms, so x = 7.5/0.625.
    expect(answer.perReplica.inFlight).toBeCloseTo(12, 9)
    expect(answer.perReplica.tokensPerSecondPerUser).toBeCloseTo(125, 9)
    // Each holds 20 of W = 3 s.
    expect(answer.breaksFirst).toMatchObject({ what: 'floor', atDouble: { holds: false, replicas: 3 } })
    expect(answer.breaksFirst.arrivalsPerSecond).toBeCloseTo(40 / 3, 9)
    expect(answer.breaksFirst.atDouble.perReplica?.inFlight).toBeCloseTo(60, 6)
  })

  it('ten thousand documents take 26.0 minutes at 3,200 tok/s and 41.7 at 2,000', () => {
    const batch = { requests: 10_000, outputTokens: 500 }
    expect(plan(lesson, PRODUCTS.batch, batch)).toMatchObject({ completionS: 1562.5, replicas: 1 })
    const slow = evidenceOfRows(LESSON.slice(0, 1), { gpus: 1 })
    expect(plan(slow, PRODUCTS.batch, batch).completionS).toBe(2500)
    expect(plan(lesson, PRODUCTS.batch, { ...batch, replicas: 2 }).completionS).toBe(781.25)
  })

  it('costs what the GPUs cost over the tokens that are asked for, not those that could be made', () => {
    const { cost } = plan(lesson, pace(100), { arrivalsPerSecond: 10, outputTokens: 300, gpuHour: 2.7 })
    // 5.40 an hour for 10.8 million tokens.
    expect(cost?.perHour).toBeCloseTo(5.4, 9)
    expect(cost?.perMillionOutputTokens).toBeCloseTo(0.5, 9)
  })
})

describe("Little's law in the answer", () => {
  const demands = fc.record({
    arrivalsPerSecond: fc.double({ min: 0.001, max: 1e5, noNaN: true }),
    outputTokens: fc.integer({ min: 1, max: 5000 }),
  })

  it('holds at the chosen load and at what each replica really has; one replica fewer does not do', () => {
    fc.assert(
      fc.property(demands, fc.double({ min: 10, max: 150, noNaN: true }), (demand, floor) => {
        const answer = plan(lesson, pace(floor), demand)
        const { arrivalsPerSecond = 0, timeInSystemS = 0, inFlight = 0, replicas, perReplica, choice } = answer
        expect(inFlight).toBeCloseTo(arrivalsPerSecond * timeInSystemS, 6)
        expect(perReplica.requestsPerSecond * replicas).toBeCloseTo(arrivalsPerSecond, 6)
        expect(perReplica.requestsPerSecond * perReplica.timeInSystemS).toBeCloseTo(perReplica.inFlight, 6)
        expect(perReplica.inFlight).toBeLessThanOrEqual(choice.concurrency * (1 + 1e-9))
        expect(perReplica.tokensPerSecondPerUser).toBeGreaterThanOrEqual(floor * (1 - 1e-9))
        if (replicas > 1) expect(inFlight / (replicas - 1)).toBeGreaterThan(choice.concurrency)
        expect(answer.replicasAtPeak).toBeGreaterThanOrEqual(replicas)
        expect(JSON.stringify(answer)).not.toContain('null')
      }),
    )
  })

  it('is, of users, of all of them at the most: at the peak, in what they pay for, and of twice as many', () => {
    const priced = { users: 20, outputTokens: 500, gpuHour: 3.6 }
    const { peak, replicasAtPeak, cost, breaksFirst } = plan(lesson, pace(50), priced)
    expect(peak).toMatchObject({ by: 'users', inFlight: 20 })
    expect(replicasAtPeak).toBe(1)
    // 20 in flight at 100 tok/s: 2,000 tok/s.
    expect(cost?.perMillionOutputTokens).toBeCloseTo(((3.6 / 3600) * 1e6) / 2000, 9)
    expect(breaksFirst?.atDouble).toMatchObject({ holds: true, perReplica: { inFlight: expect.closeTo(40, 6) } })
    const full = plan(lesson, pace(50), { users: 60, outputTokens: 500 }).breaksFirst?.atDouble
    expect(full).toMatchObject({ holds: false, replicas: 2, perReplica: { inFlight: expect.closeTo(120, 6) } })
    expect(full).not.toHaveProperty('overloaded')
  })

  it('counts every user, busy or pausing', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.double({ min: 0, max: 600, noNaN: true }),
        (users, thinkS) => {
          const answer = plan(lesson, pace(50), { users, thinkS, outputTokens: 500 })
          const { inFlight, requestsPerSecond } = answer.perReplica
          expect(answer.replicas * (inFlight + thinkS * requestsPerSecond)).toBeCloseTo(users, 3)
          expect((answer.inFlight ?? 0) + thinkS * (answer.arrivalsPerSecond ?? 0)).toBeCloseTo(users, 3)
        },
      ),
    )
  })
})

/** Points of any shape: noisy, with throughput that falls, with waits or without. */
const anyRows = fc
  .uniqueArray(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 6 })
  .chain((loads) =>
    fc.tuple(
      ...loads.map((concurrency) =>
        fc.record({
          concurrency: fc.constant(concurrency),
          outputTokensPerSecond: fc.double({ min: 10, max: 5000, noNaN: true }),
          ttftMs: fc.double({ min: 1, max: 20_000, noNaN: true }),
        }),
      ),
    ),
  )
  .map((rows): readonly PointsRow[] => rows)

const replicasFor = (evidence: Evidence, product: Product, demand: Demand): number | undefined => {
  try {
    return plan(evidence, product, demand).replicas
  } catch (error) {
    if (error instanceof TwospeedError && error.code === 'NO_POINT_HOLDS') return undefined
    throw error
  }
}

describe('what must never be the other way round', () => {
  const demand = { arrivalsPerSecond: 50, outputTokens: 300 }

  it('a higher floor never needs fewer replicas, and what holds it holds a lower one', () => {
    fc.assert(
      fc.property(
        anyRows,
        fc.double({ min: 1, max: 300, noNaN: true }),
        fc.double({ min: 1, max: 3, noNaN: true }),
        (rows, floor, times) => {
          const evidence = evidenceOfRows(rows)
          const [low, high] = [floor, floor * times].map((each) => replicasFor(evidence, pace(each), demand))
          if (high !== undefined) expect(low).toBeLessThanOrEqual(high)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('a shorter wait never needs fewer replicas', () => {
    fc.assert(
      fc.property(
        anyRows,
        fc.double({ min: 1, max: 20_000, noNaN: true }),
        fc.double({ min: 1, max: 3, noNaN: true }),
        (rows, ttftMs, times) => {
          const evidence = evidenceOfRows(rows)
          const within = (limit: number): number | undefined =>
            replicasFor(evidence, { name: 'test', goal: 'pace', ttftMs: limit }, demand)
          const [short, long] = [within(ttftMs), within(ttftMs * times)]
          if (short !== undefined) expect(long).toBeLessThanOrEqual(short)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('more arrivals never need fewer, at the mean and at the peak', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.001, max: 1e6, noNaN: true }),
        fc.double({ min: 1, max: 2, noNaN: true }),
        (arrivalsPerSecond, times) => {
          const of = (rate: number): Plan => plan(lesson, pace(50), { arrivalsPerSecond: rate, outputTokens: 300 })
          const [few, many] = [of(arrivalsPerSecond), of(arrivalsPerSecond * times)]
          expect(many.replicas).toBeGreaterThanOrEqual(few.replicas)
          expect(many.replicasAtPeak).toBeGreaterThanOrEqual(few.replicasAtPeak ?? Infinity)
        },
      ),
    )
  })

  it('less time never needs fewer replicas, and the fewest that are told make it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100_000 }),
        fc.double({ min: 3, max: 1e5, noNaN: true }),
        (requests, deadlineS) => {
          const of = (seconds: number): Plan =>
            plan(lesson, PRODUCTS.batch, { requests, deadlineS: seconds, outputTokens: 500 })
          const { replicas, completionS } = of(deadlineS)
          expect(completionS).toBeLessThanOrEqual(deadlineS * (1 + 1e-9))
          expect(of(deadlineS * 1.5).replicas).toBeLessThanOrEqual(replicas)
          if (replicas === 1) return
          const fewer = plan(lesson, PRODUCTS.batch, { requests, replicas: replicas - 1, outputTokens: 500 })
          expect(fewer.completionS).toBeGreaterThan(deadlineS)
        },
      ),
    )
  })
})

describe('the load that is planned with', () => {
  it('is a lower one where throughput falls', () => {
    const rows = [
      { concurrency: 20, outputTokensPerSecond: 2000 },
      { concurrency: 80, outputTokensPerSecond: 3200 },
      { concurrency: 160, outputTokensPerSecond: 2400 },
    ]
    const answer = plan(evidenceOfRows(rows), pace(15), { arrivalsPerSecond: 10, outputTokens: 300 })
    expect(answer.choice.concurrency).toBe(80)
    expect(answer.bindingConstraint).toBe('throughput')
    expect(answer.reason).toContain('80 in flight answer more requests than 160')
  })

  it('is what the KV cache holds, where that is less', () => {
    const demand = { arrivalsPerSecond: 10, inputTokens: 1000, outputTokens: 500 }
    const bound = plan(lesson, pace(50), { ...demand, kvTokens: 50_000 })
    // Each holds 1,250 tokens in the mean: 40 of them.
    expect(bound).toMatchObject({
      choice: { concurrency: 40 },
      bindingConstraint: 'kv',
      kv: { tokensPerRequest: 1250, tokensPerReplica: 50_000 },
      breaksFirst: { what: 'kv' },
    })
    const free = plan(lesson, pace(50), { ...demand, kvTokens: 75_000 })
    expect(free).toMatchObject({ choice: { concurrency: 60 }, bindingConstraint: 'floor' })
    // Twice of what comes is more than those in its room answer, 40 in 7.5 s, though not more than the server does.
    const few = { ...demand, arrivalsPerSecond: 3.5 }
    expect(plan(lesson, pace(50), { ...few, kvTokens: 50_000 }).breaksFirst.atDouble.overloaded).toBe(true)
    const roomy = plan(lesson, pace(50), { ...few, kvTokens: 75_000 }).breaksFirst.atDouble
    expect(roomy.overloaded).toBeUndefined()
    expect(roomy.perReplica?.inFlight).toBeCloseTo(140, 0)
    const { code } = refusal(() => plan(lesson, pace(50), { ...demand, kvTokens: 1400 }))
    expect(code).toBe('DOES_NOT_FIT')
    const batch = plan(lesson, PRODUCTS.batch, {
      requests: 100,
      inputTokens: 1000,
      outputTokens: 500,
      kvTokens: 50_000,
    })
    expect(batch).toMatchObject({ choice: { concurrency: 40 }, bindingConstraint: 'kv' })
  })

  it('is shared by the replicas that were measured together', () => {
    const two = evidenceOfRows(
      LESSON.map((row) => ({ concurrency: 2 * row.concurrency, outputTokensPerSecond: 2 * row.outputTokensPerSecond })),
      { gpus: 8, replicas: 2 },
    )
    const answer = plan(two, pace(100), { arrivalsPerSecond: 10, outputTokens: 300 })
    expect(answer).toMatchObject({ choice: { concurrency: 40 }, inFlight: 30, replicas: 2, gpus: 8 })
    expect(answer.arithmetic[0]).toContain('40 ÷ 2 = 20 in flight each')
  })

  it('is refused outside what was measured, where only that is to count', () => {
    const demand = { arrivalsPerSecond: 10, outputTokens: 300 }
    expect(plan(lesson, pace(30), demand).extrapolated[0]).toContain('113 in flight (measured: 20 to 80)')
    const { code, message } = refusal(() => plan(lesson, pace(30), demand, { strict: true }))
    expect(code).toBe('NO_POINT_HOLDS')
    expect(message).toContain('113 in flight, and measured was 20 to 80')
    expect(plan(lesson, pace(50), demand, { strict: true }).choice.source).toBe('fitted')
  })
})

describe('twice the arrivals', () => {
  it('are held by a fleet with room for them', () => {
    const { breaksFirst } = plan(lesson, pace(50), { arrivalsPerSecond: 1, outputTokens: 300 })
    expect(breaksFirst.atDouble).toMatchObject({ holds: true, replicas: 1 })
    expect(breaksFirst.sentence).toContain('still hold')
  })

  it('are without end in flight where they are more than the ceiling', () => {
    // 60 in flight make 3,000 tok/s of the 4,000 that there are at the most.
    const { breaksFirst } = plan(lesson, pace(50), { arrivalsPerSecond: 10, outputTokens: 300 })
    expect(breaksFirst.atDouble).toEqual({ holds: false, replicas: 2, overloaded: true })
  })
})

describe('a batch', () => {
  it('of fewer requests than places takes as long as one of them', () => {
    const answer = plan(lesson, PRODUCTS.batch, { requests: 20, outputTokens: 500 })
    expect(answer.completionS).toBeCloseTo(5, 9)
    expect(answer.perReplica.inFlight).toBe(20)
  })

  it('has no deadline shorter than one answer', () => {
    // Alone a token takes 5.25 ms.
    const batch = { requests: 10_000, outputTokens: 500 }
    expect(plan(lesson, PRODUCTS.batch, { ...batch, deadlineS: 2.63 }).completionS).toBeCloseTo(2.625, 9)
    const { code, message } = refusal(() => plan(lesson, PRODUCTS.batch, { ...batch, deadlineS: 2.6 }))
    expect(code).toBe('NO_POINT_HOLDS')
    expect(message).toContain('one answer alone takes 2.63 s')
  })

  it('says what twice as many would take', () => {
    const { breaksFirst } = plan(lesson, PRODUCTS.batch, { requests: 10_000, outputTokens: 500, deadlineS: 600 })
    // 3 × 3,200 × 600 / 500 requests at the most.
    expect(breaksFirst).toMatchObject({ what: 'deadline', requests: 11_520, atDouble: { holds: false, replicas: 6 } })
  })

  it('says no more requests are made in time than a replica answers so quickly', () => {
    // 20 in flight have 100 tok/s, 5 s for 500 tokens; one more would be slower.
    const { replicas, breaksFirst } = plan(lesson, PRODUCTS.batch, {
      requests: 10_000,
      outputTokens: 500,
      deadlineS: 5,
    })
    expect(replicas).toBe(500)
    expect(breaksFirst.requests).toBe(10_000)
  })

  it('is refused by --strict where its deadline wants less in flight than was measured', () => {
    const asked = { requests: 10_000, outputTokens: 500 }
    const strict = { strict: true }
    const refused = refusal(() => plan(lesson, PRODUCTS.batch, { ...asked, deadlineS: 3 }, strict))
    expect(refused.message).toContain('stands on 4 in flight')
    expect(plan(lesson, PRODUCTS.batch, { ...asked, deadlineS: 5 }, strict).replicas).toBe(500)
  })
})

describe('peaks', () => {
  const demand = { arrivalsPerSecond: 10, outputTokens: 300 }
  it('are of chance, or what is asked for', () => {
    expect(plan(lesson, pace(100), demand).peak).toEqual({ by: 'poisson', inFlight: 44, share: 0.99 })
    const room = plan(lesson, pace(100), { ...demand, headroom: 0.5 })
    expect(room).toMatchObject({ peak: { by: 'headroom', inFlight: 45 }, headroom: 0.5, replicasAtPeak: 3 })
    const rate = plan(lesson, pace(100), { ...demand, peakPerSecond: 20 })
    expect(rate).toMatchObject({ peak: { by: 'rate', inFlight: 60 }, headroom: 1, replicasAtPeak: 3, gpusAtPeak: 3 })
  })
})

describe('wrong use', () => {
  it('is told all at once', () => {
    const { code, message } = refusal(() =>
      plan(lesson, pace(50), { arrivalsPerSecond: 10, users: 5, peakPerSecond: 1, headroom: 1, requests: 3 }),
    )
    expect(code).toBe('CONFLICTING_FLAGS')
    for (const flag of ['--arrivals and --users', '--peak and --headroom', '--requests', '--output-tokens'])
      expect(message).toContain(flag)
  })

  it.each<[Product, Demand, string]>([
    [pace(50), { outputTokens: 1 }, '--arrivals'],
    [pace(50), { arrivalsPerSecond: 1 }, '--output-tokens'],
    [PRODUCTS.batch, { outputTokens: 1 }, '--requests'],
    [pace(50), { arrivalsPerSecond: Number.NaN, outputTokens: 1 }, '--arrivals'],
    [pace(50), { arrivalsPerSecond: Number.POSITIVE_INFINITY, outputTokens: 1 }, '--arrivals'],
    [pace(50), { arrivalsPerSecond: 1, outputTokens: 1, kvTokens: 100 }, '--input-tokens'],
    [pace(50), { arrivalsPerSecond: 1, outputTokens: 1, deadlineS: 100 }, '--deadline'],
    [pace(50), { arrivalsPerSecond: 1, outputTokens: 1, thinkS: 1 }, '--think'],
    [PRODUCTS.batch, { requests: 1, outputTokens: 1, arrivalsPerSecond: 1 }, '--arrivals'],
    [PRODUCTS.batch, { requests: 1, outputTokens: 1, deadlineS: 9, replicas: 2 }, '--deadline and --replicas'],
  ])('%j with %j names %s', (product, demand, flag) => {
    expect(refusal(() => plan(lesson, product, demand)).message).toContain(flag)
  })

  it('a price of GPUs that are not known', () => {
    const unknown = evidenceOfRows(LESSON)
    const demand = { arrivalsPerSecond: 1, outputTokens: 1 }
    expect(plan(unknown, pace(50), demand).gpus).toBeUndefined()
    expect(refusal(() => plan(unknown, pace(50), { ...demand, gpuHour: 2 })).message).toContain('--gpu-hour')
  })
})
