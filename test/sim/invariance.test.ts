import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RequestRecord } from '../../src/core/index.ts'
import { createEngine } from '../../src/sim/engine/create-engine.ts'
import type { EnginePolicy } from '../../src/sim/engine/policy.ts'
import { lawStepTime } from '../../src/sim/step/law-step-time.ts'
import type { StepTime } from '../../src/sim/step/step-time.ts'
import { scriptedSource } from './fleet/told.ts'
import { drawRows, fleetOf, POLICY, played } from './one-pool.ts'
import { drive, type Script, type Told } from './reference/drive.ts'
import { createReferenceEngine } from './reference/engine.ts'
import { scripts } from './reference/scripts.ts'

/** All instants and gaps in seconds, that no microsecond has rounded. */
const unrounded = (told: Told): unknown => ({
  ends: told.steps.map(([endS]) => endS),
  finished: told.finished.map(([id, ...instants]) => [id, ...instants.slice(0, 3)]),
  preempted: told.preempted,
})

const times = (told: Told, factor: number): unknown => ({
  ends: told.steps.map(([endS = 0]) => endS * factor),
  finished: told.finished.map(([id, ...instants]) => [id, ...instants.slice(0, 3).map((atS) => atS * factor)]),
  preempted: told.preempted.map(([nowS = 0, id]) => [nowS * factor, id]),
})

/** Requests that wait for no answer: their instants are not rounded. */
const unasked = (script: Script): Script => ({
  ...script,
  requests: script.requests.map(({ user: _, ...request }) => request),
})

describe('an engine', () => {
  it('that takes twice the time for everything does all at twice the time, to the last bit', () => {
    const slower = ({ seconds, straightFor }: StepTime): StepTime => ({
      seconds: (load) => 2 * seconds(load),
      straightFor,
    })
    fc.assert(
      fc.property(scripts(true).map(unasked), (script) => {
        const requests = script.requests.map((request) => ({ ...request, afterS: 2 * request.afterS }))
        const twice = drive(createEngine, { ...script, requests, looksS: [], stepTime: slower(script.stepTime) })
        expect(unrounded(twice)).toEqual(times(drive(createEngine, { ...script, looksS: [] }), 2))
      }),
      { numRuns: 200, seed: 6 },
    )
  })

  it('in which all have the same priority serves them in order of arrival', () => {
    let preempted = 0
    fc.assert(
      fc.property(scripts(true), (script) => {
        const requests = script.requests.map((request) => ({ ...request, priority: 1 }))
        const withPolicy = (admission: EnginePolicy['admission']): Told =>
          drive(createEngine, { ...script, requests, policy: { ...script.policy, admission } })
        const inOrder = withPolicy('fcfs')
        expect(withPolicy('priority')).toEqual(inOrder)
        if (inOrder.preempted.length > 0) preempted++
      }),
      { numRuns: 300, seed: 8 },
    )
    expect(preempted).toBeGreaterThan(20)
  })

  it('gains nothing of a prefix cache where no prompt begins like another and nothing is lost', () => {
    fc.assert(
      fc.property(scripts(false), (script) => {
        const requests = script.requests.map(({ parts: _, ownId: __, ...request }) => request)
        const withCache = (prefixCache: boolean): Told => {
          const policy = { ...script.policy, prefixCache, kv: 'reserve' as const }
          return drive(createEngine, { ...script, requests, policy })
        }
        expect(withCache(true)).toEqual(withCache(false))
      }),
      { numRuns: 200, seed: 9 },
    )
  })

  it('is asked no more often for long answers than for short ones', () => {
    const turns = (make: typeof createReferenceEngine, outputTokens: number): number => {
      let turns = 0
      const counting: typeof make = (options) => {
        const engine = make(options)
        const advance = engine.advance.bind(engine)
        engine.advance = () => {
          turns++
          advance()
        }
        return engine
      }
      const request = { group: 0, promptTokens: 500, outputTokens, priority: 0 }
      const requests = Array.from({ length: 20 }, (_, i) => ({ ...request, afterS: i / 1000 }))
      const policy = { ...POLICY, kvTokens: 60_000 }
      const stepTime = lawStepTime({ baseS: 0.005, perSequenceS: 0.001, perThousandKvTokensS: 0.01 })
      drive(counting, { policy, stepTime, groups: 1, requests, looksS: [] })
      return turns
    }
    expect(turns(createEngine, 2000)).toBe(turns(createEngine, 200))
    expect(turns(createEngine, 2000)).toBeLessThan(100)
    expect(turns(createReferenceEngine, 2000)).toBeGreaterThan(9 * turns(createReferenceEngine, 200))
  })
})

describe('a fleet in which each goes to the next replica', () => {
  it('is as many servers with every so manieth request each', () => {
    const rows = drawRows(120, { seed: 11, everyS: 0.05, most: 60 })
    const asked = rows.map(({ atS, ...lengths }) => ({ ...lengths, afterS: atS }))
    const law = { baseS: 0.005, perSequenceS: 0.001, perThousandKvTokensS: 0.05 }
    const together = played(fleetOf(law, { kvTokens: 160 }, 3), scriptedSource(asked))
    const alone = [0, 1, 2].flatMap((replica) => {
      const ofIt = asked.filter((_, i) => i % 3 === replica)
      return played(fleetOf(law, { kvTokens: 160 }), scriptedSource(ofIt)).records
    })
    const byStart = (records: readonly RequestRecord[]): unknown =>
      records.map(({ sentS, endS, gapsUs }) => ({ sentS, endS, gapsUs })).toSorted((x, y) => x.sentS - y.sentS)
    expect(together.point.simulation?.preemptions).toBeGreaterThan(0)
    expect(byStart(together.records)).toEqual(byStart(alone))
  })
})
