import { describe, expect, it } from 'vitest'
import type { Plan, PoolInstances, TailCheck } from '../../../src/core/index.ts'
import { parsePool } from '../../../src/model/index.ts'
import { type ComingRequests, meanOf } from '../../../src/plan/check/demand-of.ts'
import { withInstances } from '../../../src/plan/check/instances.ts'
import { look } from '../../../src/plan/check/look.ts'
import { planFleet, splitCandidate } from '../../../src/plan/index.ts'
import { sourceOf } from '../fleets/ways.ts'

const source = sourceOf('h100-sxm')

interface Asked {
  readonly tokensPerSecond: number
  readonly ttftMs: number
  readonly share: number
}

/** A fleet of split pools with hardly more than the mean needs, and what a look says of others. */
function fleetFor(asked: Asked): {
  readonly plan: Plan
  readonly check: TailCheck
  readonly arithmetic: PoolInstances
  shareOf(instances: PoolInstances): number
} {
  const product = { name: 'own', goal: 'pace', ...asked } as const
  const at = (arrivalsPerSecond: number, check: boolean): Plan =>
    planFleet(
      [],
      product,
      { arrivalsPerSecond, inputTokens: 1000, outputTokens: 200, headroom: 0 },
      { check, splits: [source] },
    )
  const most = 0.995 * (at(150, false).breaksFirst.arrivalsPerSecond ?? 0)
  const plan = at(most, true)
  const { pools, check } = plan
  if (pools === undefined || check?.kind !== 'tail') throw new Error('no split pools were simulated')
  const { prefill, decode } = pools
  const poolOf = ({ layout }: typeof prefill): ReturnType<typeof parsePool> => parsePool('--pool', `1 × ${layout}`)
  // Of so many GPUs a port of the network for each.
  const unit = splitCandidate(
    { ...source, link: pools.link },
    { prefill: poolOf(prefill), decode: poolOf(decode) },
  ).unitFor({
    input: 1000,
    output: 200,
  })
  const coming: ComingRequests | undefined = meanOf(plan)
  if (unit === undefined || coming === undefined) throw new Error('there is no unit')
  const lengths = { input: { kind: 'fixed', tokens: 1000 }, output: { kind: 'fixed', tokens: 200 } } as const
  const limits = { tokensPerSecond: asked.tokensPerSecond, ttftMs: asked.ttftMs }
  return {
    plan,
    check,
    arithmetic: { prefill: prefill.instances, decode: decode.instances },
    shareOf: (instances) => look({ unit: withInstances(unit, instances), lengths, limits }, coming, 1).share,
  }
}

describe('split pools that are a little too small', () => {
  it.each([
    ['one more reads where first tokens are late', { tokensPerSecond: 100, ttftMs: 120, share: 0.9 }, [1, 0]],
    ['one more answers where streams are slow', { tokensPerSecond: 120, ttftMs: 500, share: 0.99 }, [0, 1]],
  ] as const)('%s', (_, asked, [read, answer]) => {
    const { plan, check, arithmetic, shareOf } = fleetFor(asked)
    const found = { prefill: arithmetic.prefill + read, decode: arithmetic.decode + answer }
    expect(check.pools).toEqual(found)
    expect(check.peak).toMatchObject({ pools: arithmetic, holds: false })
    expect(check.peak.attainment).toBe(shareOf(arithmetic))
    expect(shareOf(found)).toBeGreaterThanOrEqual(asked.share)
    const { prefill, decode } = plan.pools ?? {}
    expect(prefill?.instancesAtPeak).toBe(found.prefill)
    expect(decode?.instancesAtPeak).toBe(found.decode)
    const added = read * (prefill?.gpusPerInstance ?? 0) + answer * (decode?.gpusPerInstance ?? 0)
    expect(plan.gpusAtPeak).toBe((plan.gpus ?? 0) + added)
    const said = check.sentences.join(' ')
    expect(said).toContain(`${found.prefill} that read and ${found.decode} that answer`)
    expect(said).toContain(`more than the ${arithmetic.prefill} and ${arithmetic.decode} of the arithmetic`)
  })
})
