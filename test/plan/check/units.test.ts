import { describe, expect, it } from 'vitest'
import type { Point } from '../../../src/core/index.ts'
import {
  createConfiguration,
  findAccelerator,
  findModel,
  type Law,
  parseLink,
  predict,
  runOf,
} from '../../../src/model/index.ts'
import { fleetOf, gpusOfUnit } from '../../../src/plan/check/fleet-of-units.ts'
import { unitOfConfiguration, unitOfEvidence, unitOfSplit } from '../../../src/plan/check/index.ts'
import { type Evidence, evidenceOfPoints, evidenceOfRows, evidenceOfRun } from '../../../src/plan/index.ts'
import { type EnginePolicy, enginePolicy, lawStepTime } from '../../../src/sim/index.ts'
import { closedLoop, type Work } from './closed-loop.ts'

const LESSON: Law = { baseS: 0.005, perSequenceS: 0.00025 }
/** Prompts of 1,000 tokens are 30 ms, more than three steps. */
const PROMPTS: Law = {
  baseS: 0.008,
  perSequenceS: 0.0001,
  perThousandKvTokensS: 0.00005,
  perPrefillTokenS: 0.00003,
}
const LOADS = [1, 4, 16, 48]

const measuredOf = (law: Law, work: Work, policy: Partial<EnginePolicy> = {}): readonly Point[] => {
  const pool = { name: 'truth', role: 'both', replicas: 1, dataParallel: 1 } as const
  const pools = [{ ...pool, policy: enginePolicy(policy), stepTime: lawStepTime(law) }]
  return LOADS.map((users) => closedLoop({ pools, routing: 'leastInFlight' }, work, users))
}

const runEvidence = (points: readonly Point[], { input, output }: Work): Evidence =>
  evidenceOfRun(
    runOf(
      {
        schema: 'twospeed/run@1',
        createdAt: '2026-01-01T00:00:00Z',
        twospeed: '0',
        target: { url: 'http://server', model: 'model' },
        hardware: { gpus: 1, replicas: 1 },
        clock: { originNs: '0', wallIso: '2026-01-01T00:00:00Z' },
        workload: { inputTokens: input, outputTokens: output },
        points: [],
      },
      points,
    ),
  )

const rowEvidence = (points: readonly Point[]): Evidence =>
  evidenceOfRows(
    points.map(({ load, outputTokensPerSecond, littlesLaw, latency }) => ({
      concurrency: load.value,
      outputTokensPerSecond,
      tokensPerSecondPerUser: littlesLaw.decodeTokensPerSecondPerUser ?? 0,
      ttftMs: latency.ttftMs.p50 ?? 0,
    })),
    { gpus: 1 },
  )

/** By how much a simulation of the unit is off what was measured, at the load that it misses most. */
function farthest(
  evidence: Evidence,
  points: readonly Point[],
  work: Work,
): { readonly pace: number; readonly ttft: number } {
  const unit = unitOfEvidence(evidence, work)
  if (unit === undefined) throw new Error('there is no unit')
  const fleet = fleetOf(unit, 1)
  let [pace, ttft] = [0, 0]
  for (const point of points) {
    const again = closedLoop(fleet, work, point.load.value)
    const off = (of: (point: Point) => number | undefined): number => Math.abs((of(again) ?? 0) / (of(point) ?? 1) - 1)
    pace = Math.max(
      pace,
      off(({ littlesLaw }) => littlesLaw.decodeTokensPerSecondPerUser),
    )
    ttft = Math.max(
      ttft,
      off(({ latency }) => latency.ttftMs.p50),
    )
  }
  return { pace, ttft }
}

describe('a unit of what was measured gives, simulated at each load, what was measured there', () => {
  const chat = { input: 1000, output: 250 }
  it.each([
    ['steps alone', LESSON, { input: 200, output: 300 }, {}],
    ['prompts in the steps', PROMPTS, chat, {}],
    ['a server that decodes at most 16', PROMPTS, chat, { maxNumSeqs: 16 }],
  ])('%s', (_, law, work, policy) => {
    const points = measuredOf(law, work, policy)
    for (const evidence of [runEvidence(points, work), rowEvidence(points)]) {
      const { pace, ttft } = farthest(evidence, points, work)
      expect(pace).toBeLessThan(0.02)
      expect(ttft).toBeLessThan(0.05)
    }
  })

  it('prompts that cost nothing would not', () => {
    const points = measuredOf(PROMPTS, chat)
    const blind = rowEvidence(points)
    const waitless = { ...blind.curve, points: blind.curve.points.map(({ ttftMs: _, ...point }) => point) }
    expect(farthest({ ...blind, curve: waitless }, points, chat).ttft).toBeGreaterThan(0.2)
  })

  it('by pieces, where no law fits', () => {
    // Flat up to 24, steep after: no straight line.
    const stepOf = (batch: number): number => 0.01 + 0.0004 * Math.max(0, batch - 24)
    const rows = [1, 4, 12, 24, 32, 48, 64, 96].map((concurrency) => ({
      concurrency,
      outputTokensPerSecond: concurrency / stepOf(concurrency),
    }))
    const { curve, ...seen } = evidenceOfRows(rows, { gpus: 1 })
    const evidence = { ...seen, curve: { ...curve, fitted: { ...curve.fitted, between: 'points' as const } } }
    const fleet = fleetOf(unitOfEvidence(evidence, { output: 200 }) ?? { pools: [] }, 1)
    for (const { concurrency, outputTokensPerSecond } of rows) {
      const again = closedLoop(fleet, { input: 1, output: 200 }, concurrency)
      expect(again.outputTokensPerSecond / outputTokensPerSecond).toBeCloseTo(1, 1)
    }
    // Twice as many as were measured make no more.
    const beyond = closedLoop(fleet, { input: 1, output: 200 }, 192)
    expect(beyond.outputTokensPerSecond / (96 / stepOf(96))).toBeCloseTo(1, 1)
  })
})

describe('what a unit is made of', () => {
  it('a law alone is itself', () => {
    const evidence = evidenceOfPoints([], { law: PROMPTS })
    const [pool] = unitOfEvidence(evidence, { input: 1000, output: 250 })?.pools ?? []
    const load = {
      decoding: 10,
      decodeKvTokens: 9000,
      completing: 1,
      completingKvTokens: 1000,
      prefillTokens: 1000,
      prefillContextTokens: 0,
    }
    expect(pool?.stepTime.seconds(load)).toBeCloseTo(0.008 + 11 * 0.0001 + 10 * 0.00005 + 1000 * 0.00003, 12)
  })

  it('the server in replicas, its limit as places and its cache', () => {
    const work = { input: 1000, output: 250 }
    const evidence = runEvidence(measuredOf(PROMPTS, work, { maxNumSeqs: 16 }), work)
    const [pool] = unitOfEvidence({ ...evidence, gpus: 8 }, work, { kvTokens: 50_000 })?.pools ?? []
    expect(pool).toMatchObject({ gpusPerReplica: 8, policy: { maxNumSeqs: 16, kvTokens: 50_000 } })
  })

  it('nothing without a point and a law', () => {
    const none = evidenceOfPoints([], { law: LESSON })
    const fitted = { ...none.curve.fitted, between: 'points' as const }
    expect(unitOfEvidence({ ...none, curve: { ...none.curve, fitted } }, { output: 1 })).toBeUndefined()
    expect(unitOfEvidence(none, { output: 1 })).toBeDefined()
  })
})

describe('a unit of what is foretold', () => {
  const layout = (tp: number, dp = 1): ReturnType<typeof createConfiguration> =>
    createConfiguration({ model: findModel('llama-3.1-8b'), gpu: findAccelerator('h100-sxm'), tp, dp })

  it('gives, simulated, the pace that is foretold', () => {
    const configuration = layout(1)
    const lengths = { inputTokens: 500, outputTokens: 200 }
    const { frontier } = predict(configuration, { lengths, loads: [8, 64] })
    const fleet = fleetOf(unitOfConfiguration(configuration, { input: 500, output: 200 }), 1)
    for (const { concurrency, tokensPerSecondPerUser } of frontier) {
      const seen = closedLoop(fleet, { input: 500, output: 200 }, concurrency).littlesLaw
      expect(Math.abs((seen.decodeTokensPerSecondPerUser ?? 0) / tokensPerSecondPerUser - 1)).toBeLessThan(0.05)
    }
  })

  it('has an engine for each copy of attention, with its share of the places and the cache', () => {
    const [one] = unitOfConfiguration(layout(1), { input: 500, output: 200 }).pools
    const [two] = unitOfConfiguration(layout(1, 2), { input: 500, output: 200 }).pools
    expect(two).toMatchObject({ dataParallel: 2, gpusPerReplica: 2, policy: { maxNumSeqs: one?.policy.maxNumSeqs } })
    expect((two?.policy.kvTokens ?? 0) / (one?.policy.kvTokens ?? 1)).toBeCloseTo(1, 1)
  })

  it('of split pools has both and the links between them', () => {
    const link = parseLink('400g')
    const lengths = { input: 2000, output: 200 }
    const unit = unitOfSplit(
      { configuration: layout(1), instances: 2 },
      { configuration: layout(2), instances: 1 },
      link,
      lengths,
    )
    expect(gpusOfUnit(unit)).toBe(4)
    expect(unit.link?.concurrency).toBe(1)
    const groups = fleetOf(unit, 3)
    expect(groups.pools.map(({ replicas }) => replicas)).toEqual([6, 3])
    expect(groups.link?.concurrency).toBe(3)
    // A prompt that is read elsewhere stops nobody who decodes.
    const together = fleetOf(unitOfConfiguration(layout(2), lengths), 1)
    const [split, both] = [groups, together].map((fleet) => closedLoop(fleet, { input: 2000, output: 200 }, 24))
    expect(split?.latency.itlMs.max ?? 0).toBeLessThan((both?.latency.itlMs.max ?? 0) / 2)
  })
})
