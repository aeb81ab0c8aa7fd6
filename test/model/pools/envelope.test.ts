import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEnvelope } from '../../../src/model/pools/envelope.ts'

interface Speeds {
  readonly pace: number
  readonly perGpu: number
}

const speed = fc.double({ min: 1, max: 1000, noNaN: true })
const many = fc.array(fc.record({ pace: speed, perGpu: speed }), { maxLength: 60 })

function envelopeOf(all: readonly Speeds[]): readonly Speeds[] {
  const envelope = createEnvelope<Speeds>()
  for (const one of all) if (envelope.admits(one.pace, one.perGpu)) envelope.add(one.pace, one.perGpu, one)
  return envelope.entries()
}

describe('the envelope', () => {
  it('holds nothing that another in it beats', () => {
    fc.assert(
      fc.property(many, (all) => {
        const kept = envelopeOf(all)
        kept.slice(1).forEach((one, i) => {
          expect(one.pace).toBeLessThan(kept[i]?.pace ?? 0)
          expect(one.perGpu).toBeGreaterThan(kept[i]?.perGpu ?? Number.POSITIVE_INFINITY)
        })
      }),
      { seed: 5, numRuns: 500 },
    )
  })

  it('leaves out only what one in it matches to a fiftieth', () => {
    fc.assert(
      fc.property(many, (all) => {
        const kept = envelopeOf(all)
        for (const { pace, perGpu } of all)
          expect(kept.some((one) => 1.02 * one.pace >= pace && 1.02 * one.perGpu >= perGpu)).toBe(true)
      }),
      { seed: 6, numRuns: 500 },
    )
  })

  it('keeps what came first of two that are alike, and takes what is better by more', () => {
    const first = { pace: 100, perGpu: 100 }
    expect(envelopeOf([first, { pace: 101, perGpu: 101 }])).toEqual([first])
    expect(envelopeOf([first, { pace: 103, perGpu: 103 }])).toEqual([{ pace: 103, perGpu: 103 }])
  })
})
