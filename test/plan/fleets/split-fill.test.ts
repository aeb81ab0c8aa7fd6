import { describe, expect, it } from 'vitest'
import type { BatchFill, FleetPlan, Plan, Product } from '../../../src/core/index.ts'
import { type Pool, parsePool } from '../../../src/model/index.ts'
import { type Demand, PRODUCTS, planFleet, planProducts, splitCandidate } from '../../../src/plan/index.ts'
import { createSource, simulate } from '../../../src/sim/index.ts'
import { lesson, pace, sourceOf } from './ways.ts'

const source = sourceOf('h100-sxm')
const OPTIONS = { check: false, splits: [source] } as const
const chat = pace(60, 'chat', 500)
const night: Product = { ...PRODUCTS.batch, name: 'night' }
const CHAT: Demand = { arrivalsPerSecond: 60, inputTokens: 1000, outputTokens: 200 }
const NIGHT: Demand = { requests: 20_000, inputTokens: 1000, outputTokens: 200, deadlineS: 12 * 3600 }

const fleetOf = (demand: Demand, batch: Demand): FleetPlan =>
  planProducts(
    [],
    [
      { product: chat, demand },
      { product: night, demand: batch },
    ],
    OPTIONS,
  )

function fillOf({ fills = [] }: FleetPlan): BatchFill {
  const [fill] = fills
  if (fill === undefined) throw new Error('nothing is told of the batch')
  return fill
}

const poolsOf = ({ plans }: FleetPlan): NonNullable<Plan['pools']> => {
  const pools = plans[0]?.pools
  if (pools === undefined) throw new Error('it is not split')
  return pools
}

describe('a batch beside a product on split pools', () => {
  const fleet = fleetOf(CHAT, NIGHT)
  const fill = fillOf(fleet)

  it('goes into what both pools have left, and saves its own fleet', () => {
    expect(fill).toMatchObject({ product: 'night', pool: 'chat', inTime: true, gpusSaved: fleet.plans[1]?.gpus })
    expect(fill.tokensPerSecond).toBeGreaterThan(0)
    expect(fleet.total?.gpusAtPeak).toBe(fleet.specialised?.gpusAtPeak)
    expect(fill.sentence).toMatch(/\d+ that read and \d+ that answer make .* of night beside .* for users/)
    expect(JSON.stringify(fleet)).not.toContain('null')
  })

  it('is never more than either pool could do beside what chat takes of it', () => {
    const { prefill, decode } = poolsOf(fleet)
    const { trough } = fill
    const more = trough[trough.better].requestsPerDay / 86_400
    // Of chat's own lengths, so that of each pool it takes its share of what comes.
    for (const { busy, instances, instancesAtPeak = instances } of [prefill, decode]) {
      const most = (60 * instancesAtPeak) / (busy * instances)
      expect(60 + more).toBeLessThanOrEqual(most * (1 + 1e-6))
    }
    expect(trough.filled.tokensPerSecondPerUser).toBeGreaterThanOrEqual(60 * (1 - 1e-6))
  })

  it('leaves chat its pace and its first token, as a simulation has it', () => {
    const { prefill, decode } = poolsOf(fleet)
    const asPool = ({ layout, instances, instancesAtPeak = instances }: typeof prefill): Pool =>
      parsePool('--pool', `${instancesAtPeak} × ${layout}`)
    const pools = { prefill: asPool(prefill), decode: asPool(decode) }
    const unit = splitCandidate(source, pools).unitFor({ input: 1000, output: 200 })
    if (unit === undefined) throw new Error('it is not simulated')
    const lane = (name: string, rate: number) => ({
      name,
      priority: 0,
      source: createSource({
        arrivals: { kind: 'rate', rate, process: { kind: 'poisson' } },
        work: { input: { kind: 'fixed', tokens: 1000 }, output: { kind: 'fixed', tokens: 200 } },
        seed: name,
      }),
    })
    const more = fill.trough.filled.requestsPerDay / 86_400
    const point = simulate({
      fleet: { ...unit, routing: 'leastInFlight' },
      lanes: [lane('chat', 60), lane('night', 0.95 * more)],
      load: { kind: 'rate', value: 60 + 0.95 * more },
      requests: 6000,
    })
    expect(point.perUser.tokensPerSecond?.p50).toBeGreaterThanOrEqual(60 * 0.97)
    expect(point.latency.ttftMs.p50).toBeLessThanOrEqual(500)
  })
})

describe('a batch that does not fit beside', () => {
  /** Just what the fleet of the mean holds. */
  const full = (objective: Product, demand: Demand): Demand => {
    const { breaksFirst } = planFleet([], objective, demand, OPTIONS)
    return { ...demand, arrivalsPerSecond: breaksFirst.arrivalsPerSecond ?? 0, headroom: 0 }
  }

  it('has a fleet of its own where the pools are full, and the sentence says what is', () => {
    const fleet = fleetOf(full(chat, CHAT), NIGHT)
    const fill = fillOf(fleet)
    expect(fill.tokensPerSecond).toBe(0)
    expect(fill).not.toHaveProperty('gpusSaved')
    expect(fill.sentence).toMatch(
      /^Nothing of night goes into \d+ that read and \d+ that answer: .*\. It takes a fleet of its own/,
    )
    expect(fleet.total?.gpus).toBe((fleet.specialised?.gpus ?? 0) + (fleet.plans[1]?.gpus ?? 0))
    expect(fleet.total?.sentence).toContain('night in a fleet of its own')
  })

  it('takes whole instances more where it is late', () => {
    const fleet = fleetOf(CHAT, { ...NIGHT, requests: 3_000_000, deadlineS: 3600 })
    const fill = fillOf(fleet)
    const more = fill.trough.moreReplicas ?? 0
    const { prefill, decode } = poolsOf(fleet)
    expect(fill.inTime).toBe(false)
    expect(more).toBeGreaterThan(0)
    const added = (fleet.total?.gpus ?? 0) - (fleet.specialised?.gpus ?? 0)
    expect(Number.isInteger(added)).toBe(true)
    expect(added).toBeGreaterThanOrEqual(more * decode.gpusPerInstance + prefill.gpusPerInstance)
  })

  it('is told so where nothing says how long its prompts are', () => {
    const { fills, arithmetic } = planProducts(
      [lesson],
      [
        { product: chat, demand: CHAT },
        { product: night, demand: { requests: 1000, outputTokens: 200 } },
      ],
      OPTIONS,
    )
    expect(fills).toBeUndefined()
    expect(arithmetic.join(' ')).toContain('night: none of it fits into the split pools')
  })
})

describe('over a day', () => {
  const curve = (most: number): Demand => ({
    inputTokens: 1000,
    outputTokens: 200,
    day: {
      kind: 'curve',
      points: [
        { atS: 0, rate: most / 20 },
        { atS: 43_200, rate: most },
        { atS: 86_400, rate: most / 20 },
      ],
    },
  })
  const tokensOf = (most: number): number =>
    fillOf(fleetOf(curve(most), { ...NIGHT, deadlineS: 86_400 })).tokensPerSecond

  it('whole instances of both kinds are set free by night, and the better way of the two is taken', () => {
    const { trough } = fillOf(fleetOf(curve(200), NIGHT))
    const { whole, filled, better } = trough
    expect(whole.tokensPerDay).toBeGreaterThan(0)
    expect(filled.tokensPerDay).toBeGreaterThan(0)
    expect({ whole, filled }[better].tokensPerDay).toBe(Math.max(whole.tokensPerDay, filled.tokensPerDay))
  })

  it('of a fleet that is twice as large about twice as much is left', () => {
    expect(tokensOf(800) / tokensOf(400)).toBeGreaterThan(1.8)
    expect(tokensOf(800) / tokensOf(400)).toBeLessThan(2.2)
  })
})
