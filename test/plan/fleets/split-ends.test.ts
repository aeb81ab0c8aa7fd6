import { describe, expect, it } from 'vitest'
import type { Plan } from '../../../src/core/index.ts'
import { createConfiguration } from '../../../src/model/index.ts'
import { type Demand, planFleet, type SplitSource, splitCandidate } from '../../../src/plan/index.ts'
import { pace, sourceOf } from './ways.ts'

const PLAIN = { check: false }
const ASKED: Demand = { arrivalsPerSecond: 60, inputTokens: 1000, outputTokens: 200 }
const READS = 'those that read prompts are busy for more than 90 % of the time'
const SENDS = 'the link that carries the cache of prompts on is busy for more than 90 % of the time'

describe('what ends a fleet of split pools', () => {
  const fleetOver = (bytesPerSecond: number): Plan => {
    const link = { name: 'own', bytesPerSecond }
    return planFleet([], pace(60), { ...ASKED, headroom: 0 }, { ...PLAIN, splits: [sourceOf('h100-sxm', { link })] })
  }

  it('is told as it is: those that read, or the link between', () => {
    const [quick, slow] = [fleetOver(450e9), fleetOver(2e9)]
    expect(quick.breaksFirst.sentence).toContain(READS)
    expect(quick.breaksFirst.sentence).not.toContain(SENDS)
    expect(slow.breaksFirst.sentence).toContain(SENDS)
    expect(slow.breaksFirst.sentence).not.toContain(READS)
  })

  it('and instances that are there for their link only are not said to be there for the first token', () => {
    const [quick, slow] = [fleetOver(450e9), fleetOver(2e9)].map(({ arithmetic }) => arithmetic.join(' '))
    expect(slow).toMatch(/and \d+ more for the link, of which each has its own/)
    expect(slow).not.toContain('so that the first token comes in time')
    expect(quick).not.toContain('for the link, of which')
  })
})

describe('what ends a group of split pools', () => {
  const groupOf = (prefill: number, decode: number, maxNumSeqs = 1024): ReturnType<typeof splitCandidate> => {
    const { model, gpu, ...source } = sourceOf('h100-sxm')
    const configurationOf: SplitSource['configurationOf'] = (parallelism) =>
      createConfiguration({ model, gpu, maxNumSeqs, ...parallelism })
    return splitCandidate(
      { ...source, model, gpu, configurationOf },
      { prefill: { count: prefill, tp: 1 }, decode: { count: decode, tp: 1 } },
    )
  }

  it('is what the plan says breaks first, and why another is behind', () => {
    const [narrow, wide] = [groupOf(1, 8), groupOf(12, 1, 8)]
    const alone = planFleet([narrow], pace(20), ASKED, PLAIN)
    expect(alone).toMatchObject({ bindingConstraint: 'serverLimit', limitedBy: 'prefill' })
    expect(alone.breaksFirst.sentence).toContain(READS)
    const other = planFleet([wide], pace(1), ASKED, PLAIN)
    expect(other).toMatchObject({ bindingConstraint: 'serverLimit', limitedBy: 'engine' })
    expect(other.breaksFirst.sentence).toContain('requests wait for a place first: the server decodes no more at once')
    const { alternatives } = planFleet([groupOf(3, 2), narrow], pace(20), ASKED, PLAIN)
    expect(alternatives?.[0]?.sentence).toContain('those that read prompts are then busy for 90 % of the time')
  })
})
