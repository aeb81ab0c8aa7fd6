import { describe, expect, it } from 'vitest'
import type { Plan, Product } from '../../../src/core/index.ts'
import { planFleet } from '../../../src/plan/index.ts'
import { candidateOf, evidenceOfLine, LESSON } from '../../support/candidates.ts'
import { traceOf } from '../day/days.ts'
import { lesson, pace, sourceOf } from './ways.ts'

const batch: Product = { name: 'night', goal: 'throughput' }
const evidence = evidenceOfLine({ ...LESSON, gpus: 1 })
const LENGTHS = { inputTokens: 200, outputTokens: 300 }

describe('the settings of a batch', () => {
  const planned = (requests: number, replicas: number, copies = 1): Plan =>
    planFleet([candidateOf('lesson', evidence, copies > 1 ? { copies } : {})], batch, {
      requests,
      replicas,
      ...LENGTHS,
    })

  it('are of the part that is in flight at once, where that is less than the chosen load', () => {
    const { settings, perReplica, choice } = planned(30, 3)
    expect(choice.concurrency).toBeGreaterThan(10)
    expect(perReplica.inFlight).toBe(10)
    expect(settings?.inFlight).toBe(10)
    expect(settings?.engines[0]?.settings).toMatchObject({ '--max-num-seqs': 10 })
  })

  it('are of the chosen load where the part is more', () => {
    const { settings, choice } = planned(3000, 3)
    expect(settings?.inFlight).toBe(choice.concurrency)
  })

  it('take the part in whole copies of attention: ten over eight are two in some', () => {
    const { settings } = planned(10, 1, 8)
    expect(settings).toMatchObject({ inFlight: 16, perCopy: { copies: 8, inFlight: 2 } })
  })
})

describe('a plan of a trace', () => {
  const trace = traceOf(Array.from({ length: 1000 }, (_, i) => [i / 4, 100 + 50 * (i % 3)] as const))

  it('plays it on the fleet that it plans, of split pools too', () => {
    const day = { kind: 'trace', trace } as const
    const whole = planFleet([lesson], pace(50), { day })
    expect(whole.check).toMatchObject({ replay: { of: 1000, rows: 1000, replicas: whole.replicasAtPeak } })
    expect(whole.arithmetic.join(' ')).toContain('The trace played as it was recorded, all 1,000 requests')
    const split = planFleet([], pace(50, 'test', 500), { day }, { splits: [sourceOf('h100-sxm')] })
    const { prefill, decode } = split.pools ?? {}
    expect(split.check).toMatchObject({
      replay: { of: 1000, pools: { prefill: prefill?.instancesAtPeak, decode: decode?.instancesAtPeak } },
    })
  })

  it('and plays nothing where only a rate is given', () => {
    expect(planFleet([lesson], pace(50), { arrivalsPerSecond: 4, ...LENGTHS }).check).not.toHaveProperty('replay')
  })
})
