import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Plan } from '../../../src/core/index.ts'
import { type Demand, plan, planFleet } from '../../../src/plan/index.ts'
import { refusal } from '../../support/refusal.ts'
import { LESSON, layoutsOf, lesson, pace, server, sourceOf } from './ways.ts'

const PLAIN = { check: false }
/** Slower by half, for twice the GPUs. */
const heavy = server({
  name: 'heavy',
  rows: LESSON.map((row) => ({ ...row, outputTokensPerSecond: 1.5 * row.outputTokensPerSecond })),
  gpus: 2,
})
const DEMAND: Demand = { arrivalsPerSecond: 10, outputTokens: 300 }

describe('one way to serve', () => {
  it('is planned as plan does it, with what to set and how sure it is beside', () => {
    const evidence = lesson.evidenceFor({ output: 300 })
    const { settings, confidence, ...answer } = planFleet([lesson], pace(100), DEMAND, PLAIN)
    expect(answer).toEqual(plan(evidence, pace(100), DEMAND))
    expect(settings?.inFlight).toBe(20)
    expect(confidence?.class).toBe('measured')
  })

  it('is refused as plan refuses it, with how much quicker a stream would have to be', () => {
    const error = refusal(() => planFleet([lesson], pace(380), DEMAND, PLAIN))
    expect(error.message).toBe(refusal(() => plan(lesson.evidenceFor(), pace(380), DEMAND)).message)
    expect(error.hint).toContain('2 times as fast')
  })

  it('needs one', () => {
    expect(refusal(() => planFleet([], pace(50), DEMAND)).code).toBe('NO_POINTS')
  })

  it('has what is wrong with the demand told before anything is planned', () => {
    expect(refusal(() => planFleet([lesson, heavy], pace(50), { arrivalsPerSecond: 1, users: 2 })).code).toBe(
      'CONFLICTING_FLAGS',
    )
  })
})

describe('several ways to serve', () => {
  it('are compared by GPUs: by hand 2 of the one and 4 of the other', () => {
    // 100 tok/s: the lesson holds 20 a GPU, the heavy one (T = 3.33 ms + 0.167 ms) 40 on two, 30 are in flight in the mean, 44 at the peak.
    const answer = planFleet([heavy, lesson], pace(100), DEMAND, PLAIN)
    expect(answer).toMatchObject({ configuration: 'lesson', replicas: 2, gpus: 2, gpusAtPeak: 3 })
    expect(answer.alternatives).toMatchObject([
      { configuration: 'heavy', holds: true, replicas: 1, gpus: 2, gpusAtPeak: 4 },
    ])
    expect(answer.alternatives?.[0]?.sentence).toMatch(/1 GPU more at the peak, 4 for 3/)
  })

  it('are compared by money where prices differ', () => {
    const cheap = server({
      name: 'cheap',
      rows: LESSON.map((row) => ({ ...row, outputTokensPerSecond: 0.8 * row.outputTokensPerSecond })),
      gpus: 1,
      pricePerHour: 1,
    })
    const dear = server({ name: 'dear', rows: LESSON, gpus: 1, pricePerHour: 4 })
    const busy: Demand = { arrivalsPerSecond: 200, outputTokens: 300 }
    const byMoney = planFleet([dear, cheap], pace(40), busy, PLAIN)
    expect(byMoney.configuration).toBe('cheap')
    expect(byMoney.gpusAtPeak).toBeGreaterThan(byMoney.alternatives?.[0]?.gpusAtPeak ?? 0)
    expect(byMoney.cost?.perHourAtPeak).toBeLessThan(byMoney.alternatives?.[0]?.cost?.perHourAtPeak ?? 0)
    expect(byMoney.alternatives?.[0]?.sentence).toMatch(/^Costs .* an hour more/)
    // At one price it is the GPUs that count.
    const sameOf = (name: string, share: number) =>
      server({
        name,
        rows: LESSON.map((row) => ({ ...row, outputTokensPerSecond: share * row.outputTokensPerSecond })),
        gpus: 1,
        pricePerHour: 2,
      })
    expect(planFleet([sameOf('cheap', 0.8), sameOf('dear', 1)], pace(40), busy, PLAIN).configuration).toBe('dear')
  })

  it('tell of those that do not hold it, last', () => {
    const answer = planFleet([lesson, heavy], pace(250), DEMAND, PLAIN)
    expect(answer.configuration).toBe('heavy')
    expect(answer.alternatives).toMatchObject([{ configuration: 'lesson', holds: false }])
    expect(answer.alternatives?.[0]?.sentence).toContain('190')
    expect(answer.alternatives?.[0]).not.toHaveProperty('gpus')
  })

  it('are refused together where none holds it: the nearest is named', () => {
    const error = refusal(() => planFleet([lesson, heavy], pace(600), DEMAND, PLAIN))
    expect(error.code).toBe('NO_POINT_HOLDS')
    expect(error.message).toContain('heavy')
  })

  it('cannot be compared while the GPUs of one are not known', () => {
    const unknown = server({ name: 'unknown', rows: LESSON })
    const error = refusal(() => planFleet([lesson, unknown], pace(50), DEMAND, PLAIN))
    expect(error.code).toBe('MISSING_VALUE')
    expect(error.message).toContain('unknown')
  })

  it('of a batch are compared by GPU-hours, with a deadline by GPUs', () => {
    const batch = { name: 'batch', goal: 'throughput' } as const
    const free = planFleet([heavy, lesson], batch, { requests: 1e5, outputTokens: 500 }, PLAIN)
    // 3,200 a GPU against 2,400.
    expect(free.configuration).toBe('lesson')
    const timed = planFleet([heavy, lesson], batch, { requests: 1e5, outputTokens: 500, deadlineS: 7200 }, PLAIN)
    expect(timed).toMatchObject({ configuration: 'lesson', gpus: 3 })
    expect(timed.alternatives).toMatchObject([{ gpus: 4 }])
  })
})

describe('split pools', () => {
  const source = sourceOf('h100-sxm')
  const asked: Demand = { arrivalsPerSecond: 60, inputTokens: 1000, outputTokens: 200 }
  const product = pace(60, 'test', 500)
  const answer = planFleet([], product, asked, { ...PLAIN, splits: [source] })

  it('are whole instances of two kinds, whose GPUs are those of the plan', () => {
    const { pools, gpus, gpusAtPeak, replicas, replicasAtPeak, configuration, choice, perReplica } = answer
    const gpusIn = (when: 'instances' | 'instancesAtPeak'): number =>
      [pools?.prefill, pools?.decode].reduce((sum, pool) => sum + (pool?.[when] ?? 0) * (pool?.gpusPerInstance ?? 0), 0)
    expect(gpusIn('instances')).toBe(gpus)
    expect(gpusIn('instancesAtPeak')).toBe(gpusAtPeak)
    expect(replicas).toBe(pools?.decode.instances)
    expect(replicasAtPeak).toBe(pools?.decode.instancesAtPeak)
    expect(configuration).toContain(`${pools?.prefill.instancesAtPeak} × ${pools?.prefill.layout} prefill`)
    expect(pools?.prefill.busy).toBeLessThanOrEqual(0.9 + 1e-9)
    expect(pools?.decode.busy).toBeLessThanOrEqual(1)
    expect(choice.tokensPerSecondPerUser).toBeGreaterThanOrEqual(60)
    expect(perReplica.ttftMs).toBeLessThanOrEqual(500)
  })

  it('obey Little: L = λ·W at the chosen load and at what each really has', () => {
    const { arrivalsPerSecond = 0, timeInSystemS = 0, inFlight = 0, perReplica, replicas } = answer
    expect(inFlight).toBeCloseTo(arrivalsPerSecond * timeInSystemS, 9)
    expect(perReplica.requestsPerSecond * replicas).toBeCloseTo(60, 9)
    expect(perReplica.inFlight).toBeCloseTo(perReplica.requestsPerSecond * perReplica.timeInSystemS, 9)
  })

  it('break at the rate that the answer says', () => {
    const { breaksFirst, gpus = 0 } = answer
    const most = breaksFirst.arrivalsPerSecond ?? 0
    const at = (arrivalsPerSecond: number): Plan =>
      planFleet([], product, { ...asked, arrivalsPerSecond, headroom: 0 }, { ...PLAIN, splits: [source] })
    expect(most).toBeGreaterThanOrEqual(60)
    expect(at(most * 0.999).gpus).toBe(gpus)
    expect(breaksFirst.atDouble.replicas).toBeGreaterThanOrEqual(answer.replicas)
  })

  it('stand beside replicas that do both, whichever takes fewer GPUs', () => {
    const both = planFleet(layoutsOf(source), product, asked, { ...PLAIN, splits: [source] })
    const alone = planFleet(layoutsOf(source), product, asked, PLAIN)
    expect(both.gpusAtPeak).toBe(Math.min(alone.gpusAtPeak ?? 0, answer.gpusAtPeak ?? 0))
    expect(both.alternatives?.some(({ pools }) => pools !== undefined) || both.pools !== undefined).toBe(true)
    expect(both.alternatives?.some(({ pools }) => pools === undefined) || both.pools === undefined).toBe(true)
    for (const { sentence } of both.alternatives ?? []) expect(sentence).toMatch(/^(Takes|Costs|Does not)/)
    expect(JSON.stringify(both)).not.toContain('null')
  })

  it('are of datasheets, which strict refuses', () => {
    expect(answer.extrapolated).toHaveLength(1)
    expect(answer.confidence?.class).toBe('uncalibrated')
    expect(
      refusal(() => planFleet(layoutsOf(source), product, asked, { ...PLAIN, strict: true, splits: [source] })).code,
    ).toBe('NO_POINT_HOLDS')
    expect(() => planFleet([lesson], pace(100), DEMAND, { ...PLAIN, strict: true })).not.toThrow()
  })

  it('have a peak, of users too', () => {
    const users = planFleet(
      [],
      product,
      { users: 1000, thinkS: 10, inputTokens: 1000, outputTokens: 200 },
      { ...PLAIN, splits: [source] },
    )
    const { arrivalsPerSecond = 0, timeInSystemS = 0, peak, inFlight = 0 } = users
    expect(arrivalsPerSecond * (timeInSystemS + 10)).toBeCloseTo(1000, 6)
    expect(peak).toMatchObject({ by: 'users' })
    expect(peak?.inFlight).toBeLessThanOrEqual(1000)
    expect(peak?.inFlight).toBeGreaterThan(inFlight)
    expect(users.gpusAtPeak).toBeGreaterThanOrEqual(users.gpus ?? 0)
  })
})

describe('with the word of the simulator', () => {
  const source = sourceOf('h100-sxm')
  const asked: Demand = { arrivalsPerSecond: 60, inputTokens: 1000, outputTokens: 200 }

  it('replicas are never fewer than by the arithmetic, and are told with it', () => {
    const busy: Demand = { arrivalsPerSecond: 40, outputTokens: 300 }
    const said = planFleet([lesson], pace(50), busy)
    const alone = planFleet([lesson], pace(50), busy, PLAIN)
    expect(alone).not.toHaveProperty('check')
    expect(said.check?.kind).toBe('tail')
    expect(said.replicas).toBe(alone.replicas)
    expect(said.replicasAtPeak).toBeGreaterThanOrEqual(alone.replicasAtPeak ?? 0)
    expect(said.arithmetic).toEqual(expect.arrayContaining([...(said.check?.sentences ?? [])]))
  })

  it('split pools grow by the kind that lacks where that is too few, and GPUs and name with it', () => {
    const product = { ...pace(120, 'test', 500), share: 0.99 }
    const at = (arrivalsPerSecond: number, check: boolean): Plan =>
      planFleet([], product, { ...asked, arrivalsPerSecond, headroom: 0 }, { check, splits: [source] })
    // As many as the means just hold, and nothing for chance.
    const most = 0.999 * (at(300, false).breaksFirst.arrivalsPerSecond ?? 0)
    const [alone, said] = [at(most, false), at(most, true)]
    const { prefill, decode } = said.pools ?? {}
    expect(decode?.instancesAtPeak).toBe(said.replicasAtPeak)
    expect(said.gpusAtPeak).toBeGreaterThan(alone.gpusAtPeak ?? 0)
    const { check } = said
    if (check?.kind !== 'tail') throw new Error('it is not simulated')
    // Those of the plan are what was simulated, one by one.
    expect(check.peak.pools).toEqual({
      prefill: alone.pools?.prefill.instancesAtPeak,
      decode: alone.pools?.decode.instancesAtPeak,
    })
    expect(check.peak.holds).toBe(false)
    expect(check.pools).toEqual({ prefill: prefill?.instancesAtPeak, decode: decode?.instancesAtPeak })
    expect(check).toMatchObject({ replicas: decode?.instancesAtPeak, gpus: said.gpusAtPeak })
    const gpusIn = ({ instancesAtPeak = 0, gpusPerInstance = 0 } = {}): number => instancesAtPeak * gpusPerInstance
    expect(gpusIn(prefill) + gpusIn(decode)).toBe(said.gpusAtPeak)
    expect(said.configuration).toContain(`${decode?.instancesAtPeak} × ${decode?.layout} decode`)
    // Where the wait for whole instances leaves room, nothing is added.
    const roomy = planFleet([], { ...pace(60, 'test', 500), share: 0.99 }, asked, { splits: [source] })
    expect(roomy.check).toMatchObject({ kind: 'tail' })
    expect(roomy.arithmetic.some((line) => line.startsWith('So the peak is planned with'))).toBe(false)
  })

  it('a fleet that is taken draws what its GPUs are rated at', () => {
    const { energy, gpus = 0 } = planFleet([], pace(60, 'test', 500), asked, { ...PLAIN, splits: [source] })
    expect(energy?.kilowatts).toBeCloseTo((gpus * (source.gpu.powerW ?? 0)) / 1000, 9)
    expect(planFleet([lesson], pace(50), asked, PLAIN)).not.toHaveProperty('energy')
  })
})

describe('whatever is asked', () => {
  const source = sourceOf('h100-sxm')
  const ways = [...layoutsOf(source), ...layoutsOf(sourceOf('a100-80gb-sxm'))]
  const demands = fc.record({
    arrivalsPerSecond: fc.double({ min: 0.1, max: 2000, noNaN: true }),
    inputTokens: fc.constant(1000),
    outputTokens: fc.constant(200),
  })
  const floors = fc.double({ min: 15, max: 120, noNaN: true })
  const gpusFor = (floor: number, demand: Demand): number =>
    planFleet(ways, pace(floor, 'test', 800), demand, { ...PLAIN, splits: [source] }).gpusAtPeak ?? 0

  it('a higher floor never takes fewer GPUs, nor do more arrivals', () => {
    fc.assert(
      fc.property(demands, floors, fc.double({ min: 1, max: 1.5, noNaN: true }), (demand, floor, more) => {
        const base = gpusFor(floor, demand)
        expect(gpusFor(more * floor, demand)).toBeGreaterThanOrEqual(base)
        expect(
          gpusFor(floor, { ...demand, arrivalsPerSecond: more * (demand.arrivalsPerSecond ?? 0) }),
        ).toBeGreaterThanOrEqual(base)
      }),
      { seed: 6, numRuns: 8 },
    )
  })

  it('the fleet that is taken is the least of all that are told', () => {
    fc.assert(
      fc.property(demands, floors, (demand, floor) => {
        const { gpusAtPeak = 0, alternatives = [] } = planFleet(ways, pace(floor), demand, {
          ...PLAIN,
          splits: [source],
        })
        expect(alternatives.length).toBeGreaterThan(0)
        expect(alternatives.length).toBeLessThanOrEqual(8)
        for (const other of alternatives) if (other.holds) expect(other.gpusAtPeak).toBeGreaterThanOrEqual(gpusAtPeak)
      }),
      { seed: 6, numRuns: 8 },
    )
  })
})

describe('a trace', () => {
  // 2 requests/s with prompts of 1,010 tokens in the mean, whichever they are.
  const tracedBy = (lengths: readonly number[]): Plan => {
    const rows = Array.from({ length: 2000 }, (_, i) => ({
      atS: i / 2,
      inputTokens: lengths[i % lengths.length] ?? 0,
      outputTokens: 100,
    }))
    const day = { kind: 'trace', trace: { rows, notes: [] } } as const
    return planFleet(layoutsOf(sourceOf('h100-sxm')).slice(0, 1), pace(40), {
      day,
      inputTokens: 1010,
      outputTokens: 100,
    })
  }
  const waits = ({ check }: Plan): number => {
    if (check?.kind !== 'tail') throw new Error('not simulated')
    return check.mean.ttftMs.p99 / check.mean.ttftMs.p50
  }

  it('is simulated with its own lengths: long prompts among short ones have first tokens come late', () => {
    expect(waits(tracedBy([...Array<number>(9).fill(20), 9920]))).toBeGreaterThan(2 * waits(tracedBy([1010])))
  })
})
