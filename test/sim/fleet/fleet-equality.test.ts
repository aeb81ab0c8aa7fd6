import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runFleet } from '../../../src/sim/fleet/run-fleet.ts'
import { createReferenceEngine } from '../reference/engine.ts'
import { runReferenceFleet } from '../reference/fleet.ts'
import { type Scenario, scenarios } from './random-fleet.ts'
import { createTold } from './told.ts'

function tell({ fleet, lanes, looksS }: Scenario, run: typeof runReferenceFleet): readonly string[] {
  const { lines, observer } = createTold(fleet.pools.length, looksS)
  lines.push(`over at ${run(fleet, lanes(), observer)}`)
  return lines
}

const ours: typeof runReferenceFleet = (fleet, lanes, observer) =>
  runFleet(fleet, lanes, observer, createReferenceEngine)

/** Without the steps, which come in pieces of any length. */
const ofRequests = (lines: readonly string[]): readonly string[] =>
  lines.filter((line) => !/^engine \d+ ran/.test(line))

describe('a fleet', () => {
  it('does, event by event, what one does that asks every lane, transfer and engine each time', () => {
    const seen = { refused: 0, split: 0, preempted: 0, cached: 0 }
    fc.assert(
      fc.property(scenarios, (scenario) => {
        const lines = tell(scenario, ours)
        expect(lines).toEqual(tell(scenario, runReferenceFleet))
        const text = lines.join('\n')
        if (text.includes('refused')) seen.refused++
        if (text.includes('preempts')) seen.preempted++
        if (/"cachedTokens":[1-9]/.test(text)) seen.cached++
        if (scenario.fleet.pools.length > 2) seen.split++
      }),
      { numRuns: 200, seed: 5 },
    )
    // Had none of it happened, the two would agree on nothing much.
    for (const times of Object.values(seen)) expect(times).toBeGreaterThan(10)
  })

  it('tells the same of its requests whether its engines go step by step or sum the steps', () => {
    fc.assert(
      fc.property(scenarios, (scenario) => {
        expect(ofRequests(tell(scenario, runFleet))).toEqual(ofRequests(tell(scenario, runReferenceFleet)))
      }),
      { numRuns: 200, seed: 7 },
    )
  })
})
