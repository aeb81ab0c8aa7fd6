import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PointsRow, TwospeedError } from '../../src/core/index.ts'
import { summarizeRun } from '../../src/model/index.ts'
import {
  adviceOn,
  choose,
  type Evidence,
  evidenceOfRows,
  evidenceOfRun,
  PRODUCTS,
  type Product,
} from '../../src/plan/index.ts'
import { refusal } from '../support/refusal.ts'
import { simulatedRun } from '../support/simulated-run.ts'

const pace = (tokensPerSecond: number, ttftMs?: number): Product => ({
  name: 'test',
  goal: 'pace',
  tokensPerSecond,
  ...(ttftMs !== undefined && { ttftMs }),
})

const rows = (
  loads: readonly number[],
  stepS: (load: number) => number,
  ttftMs?: (load: number) => number,
): PointsRow[] =>
  loads.map((concurrency) => ({
    concurrency,
    outputTokensPerSecond: concurrency / stepS(concurrency),
    ...(ttftMs !== undefined && { ttftMs: ttftMs(concurrency) }),
  }))

const lesson = (load: number): number => 0.005 + 0.00025 * load

const refused = (evidence: Evidence, product: Product): TwospeedError => refusal(() => choose(evidence, product))

describe('the greatest whole load', () => {
  const step = fc.record({
    a: fc.double({ min: 1e-3, max: 0.05, noNaN: true }),
    b: fc.double({ min: 1e-5, max: 1e-3, noNaN: true }),
  })

  it('is the one that trying every load finds, on any law and any floor', () => {
    fc.assert(
      fc.property(step, fc.double({ min: 1, max: 500, noNaN: true }), ({ a, b }, floor) => {
        const evidence = evidenceOfRows(rows([4, 16, 64], (load) => a + b * load))
        const best = Math.min(4 * 64, Math.floor((1 / floor - a) / b + 1e-6))
        if (best < 1) expect(refused(evidence, pace(floor)).code).toBe('NO_POINT_HOLDS')
        else expect(Math.abs(choose(evidence, pace(floor)).choice.concurrency - best)).toBeLessThanOrEqual(1e-6 * best)
      }),
    )
  })

  it('is the one that trying every load finds, between points of any shape', () => {
    const steps = fc.array(fc.double({ min: 1e-4, max: 1e-2, noNaN: true }), { minLength: 6, maxLength: 6 })
    fc.assert(
      fc.property(steps, fc.double({ min: 20, max: 400, noNaN: true }), (adds, floor) => {
        const loads = [1, 3, 9, 20, 41, 80]
        const times = adds.map((_, i) => adds.slice(0, i + 1).reduce((sum, add) => sum + add, 0.001))
        const evidence = evidenceOfRows(rows(loads, (load) => times[loads.indexOf(load)] ?? 0))
        fc.pre(evidence.curve.fitted.between === 'points')
        const holding = Array.from({ length: 80 }, (_, i) => i + 1).filter(
          (load) => (evidence.curve.at(load)?.tokensPerSecondPerUser ?? 0) >= floor,
        )
        if (holding.length === 0) expect(refused(evidence, pace(floor)).code).toBe('NO_POINT_HOLDS')
        else expect(choose(evidence, pace(floor)).choice.concurrency).toBe(holding.at(-1))
      }),
    )
  })

  it('never has a pace under the floor, and one more would', () => {
    const evidence = evidenceOfRows(rows([20, 80], lesson))
    for (let floor = 13; floor <= 190; floor++) {
      const { choice } = choose(evidence, pace(floor))
      expect(choice.tokensPerSecondPerUser).toBeGreaterThanOrEqual(floor * (1 - 1e-9))
      expect(evidence.curve.at(choice.concurrency + 1)?.tokensPerSecondPerUser).toBeLessThan(floor)
    }
  })
})

describe('as far as anything is known', () => {
  it.each([
    ['a floor so low that no load misses it', rows([20, 80], lesson), 0.001, 320],
    ['a pace that is the same at every load', rows([1, 2, 4, 8], () => 0.01), 50, 32],
    ['a pace that hardly falls', rows([1, 2, 4, 8], (load) => 0.01 + 1e-9 * load), 50, 32],
  ])('%s gives no load beyond, and says so', (_, given, floor, load) => {
    const { choice, bindingConstraint, reason } = choose(evidenceOfRows(given), pace(floor))
    expect({ bindingConstraint, concurrency: choice.concurrency }).toEqual({
      bindingConstraint: 'measuredRange',
      concurrency: load,
    })
    expect(reason).toContain('4 times the greatest load that was measured')
    expect(reason).toContain('measure higher loads')
  })

  it('a law alone ends where no server holds more', () => {
    const flat = evidenceOfRows([], { law: { baseS: 0.005, perSequenceS: 0 } })
    expect(choose(flat, pace(50))).toMatchObject({
      choice: { concurrency: 65_536 },
      bindingConstraint: 'measuredRange',
    })
    expect(choose(flat, pace(50)).reason).toContain('no measurement stands by')
  })

  it('a law alone may have the experts a batch touches', () => {
    const law = { baseS: 0.004, perSequenceS: 0.0001, experts: { active: 1, all: 32, seconds: 0.02 } }
    const { choice, bindingConstraint, fit } = choose(evidenceOfRows([], { law }), pace(50))
    // At 32 a step takes 19.96 ms, at 33 20.29 ms; without the experts' term a step of 160 would take 20 ms.
    expect(choice).toMatchObject({ concurrency: 32, source: 'extrapolated' })
    expect(choice.outputTokensPerSecond).toBeCloseTo(1603.3, 0)
    expect(bindingConstraint).toBe('floor')
    expect(fit.law).toBe('expert')
  })

  it('is not told of a floor that the law itself ends', () => {
    expect(choose(evidenceOfRows(rows([20, 80], lesson)), pace(20))).toMatchObject({
      choice: { concurrency: 180, source: 'extrapolated' },
      bindingConstraint: 'floor',
    })
  })
})

it('fifty thousand rows are as good as three', () => {
  const loads = Array.from({ length: 50_000 }, (_, at) => at + 1)
  const evidence = evidenceOfRows(rows(loads, (load) => lesson(load) * (1 + 0.02 * Math.sin(load))))
  expect(evidence.fit.stepMs?.base).toBeCloseTo(5, 0)
  expect(evidence.fit.stepMs?.perSequence).toBeCloseTo(0.25, 3)
  expect(evidence.fit.errorPct).toBeCloseTo(2 / Math.SQRT2, 1)
  expect(choose(evidence, pace(50)).choice.concurrency).toBeGreaterThan(57)
  expect(choose(evidence, PRODUCTS.batch).choice.concurrency).toBeGreaterThan(49_000)
  expect(adviceOn(evidence)).toHaveLength(2)
})

it('past the highest output a straight piece answers, not the law, and nothing farther out', () => {
  const evidence = evidenceOfRows(rows([4, 16, 64, 128], (load) => lesson(load) * (load === 128 ? 3 : 1)))
  const past = choose(evidence, pace(15))
  expect(past.choice.concurrency).toBeGreaterThan(64)
  expect(past.choice.concurrency).toBeLessThan(128)
  expect(past.reason).toContain('by a straight piece, for output falls there')
  expect(choose(evidence, pace(60)).reason).toContain('by the law')
  expect(choose(evidence, pace(5))).toMatchObject({
    choice: { concurrency: 128 },
    bindingConstraint: 'measuredRange',
  })
  expect(choose(evidence, PRODUCTS.batch).choice.concurrency).toBe(64)
})

describe('what was measured goes before the law', () => {
  const noisy = rows([2, 4, 8, 16, 32], lesson).map((row) =>
    row.concurrency === 16 ? { ...row, outputTokensPerSecond: row.outputTokensPerSecond * 0.98 } : row,
  )
  const evidence = evidenceOfRows(noisy)
  const atSixteen = evidence.curve.at(16)?.tokensPerSecondPerUser ?? 0

  it('a measured load under the floor keeps everything above it out, whatever the law says', () => {
    expect(evidence.curve.fitted.between).toBe('law')
    const { choice, bindingConstraint } = choose(evidence, pace(atSixteen + 0.5))
    expect(choice.concurrency).toBeLessThan(16)
    expect(bindingConstraint).toBe('floor')
  })

  it('a measured load that meets the floor exactly stays', () => {
    const { choice } = choose(evidence, pace(atSixteen))
    expect(choice.concurrency).toBeGreaterThanOrEqual(16)
  })

  it('is never left for a load that only pieces would foretell', () => {
    const experts = (load: number): number => 0.004 + 0.0001 * load + 0.02 * (1 - (31 / 32) ** load)
    const bent = evidenceOfRows(rows([4, 16, 32, 64, 128], experts))
    expect(bent.curve.fitted.between).toBe('points')
    expect(choose(bent, pace(5))).toMatchObject({ choice: { concurrency: 128 }, bindingConstraint: 'measuredRange' })
    expect(refused(bent, pace(180)).message).toContain('the fastest is 147 at 4 in flight (measured)')
  })
})

describe('the wait for the first token', () => {
  const evidence = evidenceOfRows(rows([20, 40, 60], lesson, (load) => 10 * load))

  it('is a straight piece between measured loads', () => {
    expect(choose(evidence, pace(10, 455))).toMatchObject({
      choice: { concurrency: 45, ttftMs: 450 },
      bindingConstraint: 'ttft',
    })
  })

  it('is not known beyond the greatest load, so nothing beyond it is chosen', () => {
    expect(choose(evidence, pace(10, 5000))).toMatchObject({
      choice: { concurrency: 60 },
      bindingConstraint: 'measuredRange',
    })
  })

  it('below the least load is taken to be no longer than there', () => {
    expect(choose(evidence, pace(150, 300))).toMatchObject({ choice: { concurrency: 6, source: 'extrapolated' } })
  })

  it('that no load holds is told with the least there is', () => {
    expect(refused(evidence, pace(10, 100)).message).toContain('the least is 200 ms')
  })

  it('is said to be unjudged where no point has it', () => {
    const { reason } = choose(evidenceOfRows(rows([20, 80], lesson)), PRODUCTS.chat)
    expect(reason).toContain('was not judged')
  })
})

describe('a run of a server that caps its batch', async () => {
  const capped = simulatedRun(
    { stepS: (batch, prefill) => lesson(batch) + 2e-5 * prefill, slots: 4 },
    { loads: [1, 2, 4, 8, 16], hardware: { gpus: 1 } },
  )
  const run = await summarizeRun(capped.header, capped.records)
  const evidence = evidenceOfRun(run)

  it('is told its limit, and the points beyond it are set aside', () => {
    expect(run.fit?.serverLimit).toBeGreaterThan(3.6)
    expect(run.fit?.serverLimit).toBeLessThanOrEqual(4)
    expect(run.fit?.setAside).toEqual([
      { point: 3, why: 'serverLimit' },
      { point: 4, why: 'serverLimit' },
    ])
  })

  it('is run at its limit, not where requests only wait, though the pace would hold', () => {
    expect(choose(evidence, pace(100))).toMatchObject({ choice: { concurrency: 4 }, bindingConstraint: 'serverLimit' })
    expect(choose(evidence, PRODUCTS.batch).choice.concurrency).toBe(4)
    expect(choose(evidence, PRODUCTS.batch).reason).toContain('more load brings no more tokens')
  })
})

describe('a share of requests', async () => {
  const free = simulatedRun({ stepS: (batch, prefill) => lesson(batch) + 2e-5 * prefill }, { loads: [1, 4, 16, 32] })
  const run = await summarizeRun(free.header, free.records)

  it('is judged by the slow side of the pace', () => {
    const typical = evidenceOfRun(run).curve.at(16)
    const slow = evidenceOfRun(run, { share: 0.9 }).curve.at(16)
    expect(slow?.tokensPerSecondPerUser).toBe(run.points[2]?.perUser.tokensPerSecond.p10)
    expect(slow?.ttftMs).toBe(run.points[2]?.latency.ttftMs.p90)
    expect(typical?.tokensPerSecondPerUser).toBeCloseTo(run.points[2]?.littlesLaw.decodeTokensPerSecondPerUser ?? 0, 9)
  })

  it('counts failures as misses: a tenth failed, so the share of the others must be greater', () => {
    const points = run.points.map((point) => ({
      ...point,
      requests: { ...point.requests, sent: 100, ok: 95, failed: 5 },
    }))
    const slow = evidenceOfRun({ ...run, points }, { share: 0.9 }).curve.at(16)
    expect(slow?.tokensPerSecondPerUser).toBe(run.points[2]?.perUser.tokensPerSecond.p5)
    const none = evidenceOfRun({ ...run, points }, { share: 0.99 })
    expect(none.curve.points).toEqual([])
  })
})

it('GPUs that are unknown stay unknown; replicas share the load', async () => {
  const free = simulatedRun({ stepS: lesson }, { loads: [4, 16, 64] })
  const run = await summarizeRun(free.header, free.records)
  const { choice, fit } = choose(evidenceOfRun(run), pace(80))
  expect(choice.tokensPerSecondPerGpu).toBeUndefined()
  expect(fit.ceilingTokensPerSecondPerGpu).toBeUndefined()
  const two = await summarizeRun({ ...free.header, hardware: { gpus: 4, replicas: 2 } }, free.records)
  // The same figures from two replicas: each decodes half, so a sequence costs twice and the ceiling of both is the same.
  expect(two.fit?.stepMs?.perSequence).toBeCloseTo(2 * (run.fit?.stepMs?.perSequence ?? 0), 6)
  expect(two.fit?.ceilingTokensPerSecondPerGpu).toBeCloseTo((run.fit?.ceilingTokensPerSecond ?? 0) / 4, 3)
  expect(choose(evidenceOfRun(two), pace(80)).choice.concurrency).toBe(choice.concurrency)
})
