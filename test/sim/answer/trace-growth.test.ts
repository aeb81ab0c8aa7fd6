import { describe, expect, it } from 'vitest'
import { createSource } from '../../../src/sim/arrivals/create-source.ts'
import { enginePolicy } from '../../../src/sim/engine/policy.ts'
import { simulate } from '../../../src/sim/simulate.ts'
import { lawStepTime } from '../../../src/sim/step/law-step-time.ts'

/** Requests of 100 tokens, evenly apart: one seat takes 0.53 s, and ends 1.9 a second. */
function played(rate: number, count: number, maxNumSeqs: number) {
  const rows = Array.from({ length: count }, (_, i) => ({ atS: i / rate, inputTokens: 10, outputTokens: 100 }))
  return simulate({
    fleet: {
      routing: 'leastInFlight',
      pools: [
        {
          name: 'main',
          role: 'both',
          replicas: 1,
          dataParallel: 1,
          stepTime: lawStepTime({ baseS: 0.005, perSequenceS: 0.0003 }),
          policy: enginePolicy({
            maxNumSeqs,
          }),
        },
      ],
    },
    lanes: [
      {
        name: 'trace',
        priority: 0,
        source: createSource({ arrivals: { kind: 'trace', trace: { rows, notes: [] } } }),
      },
    ],
    load: { kind: 'trace', value: 1 },
  }).window.reasons
}

describe('a trace that is played', () => {
  it('is overloaded where its queue grows as long as requests come', () => {
    expect(played(3, 300, 1)).toContain('overloaded')
    expect(played(1.5, 300, 1)).not.toContain('overloaded')
  })

  it('is where nobody waits, but all slow one another down', () => {
    // At most 1 / 0.3 ms of tokens: 33.3 requests a second.
    expect(played(40, 4000, 4096)).toContain('overloaded')
    expect(played(20, 4000, 4096)).not.toContain('overloaded')
  })

  it('is not where it only comes up: all come before the first has ended', () => {
    expect(played(200, 100, 4096)).not.toContain('overloaded')
  })
})
