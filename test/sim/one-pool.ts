import { createRandom, exponential, type Point, type RequestRecord } from '../../src/core/index.ts'
import type { Law } from '../../src/model/index.ts'
import { createSource } from '../../src/sim/arrivals/create-source.ts'
import type { Source } from '../../src/sim/arrivals/source.ts'
import { type EnginePolicy, enginePolicy } from '../../src/sim/engine/policy.ts'
import type { Fleet } from '../../src/sim/fleet/fleet.ts'
import { simulate } from '../../src/sim/simulate.ts'
import { lawStepTime } from '../../src/sim/step/law-step-time.ts'

/** No limit but the usual ones. */
export const POLICY = enginePolicy({
  maxNumSeqs: 256,
})

export const fleetOf = (law: Law, policy: Partial<EnginePolicy> = {}, replicas = 1): Fleet => ({
  pools: [
    {
      name: 'pool',
      role: 'both',
      replicas,
      dataParallel: 1,
      policy: { ...POLICY, ...policy },
      stepTime: lawStepTime(law),
    },
  ],
  routing: 'roundRobin',
})

export interface Row {
  readonly atS: number
  readonly promptTokens: number
  readonly outputTokens: number
}

/** All of it counts, from the first request to the last end. */
export function played(
  fleet: Fleet,
  source: Source,
): { readonly point: Point; readonly records: readonly RequestRecord[] } {
  const records: RequestRecord[] = []
  const point = simulate({
    fleet,
    lanes: [{ name: 'lane', source, priority: 0 }],
    load: { kind: 'trace', value: 1 },
    requests: 1e9,
    onRecord: (record) => records.push(record),
  })
  return { point, records }
}

export const sourceOf = (rows: readonly Row[]): Source =>
  createSource({
    arrivals: {
      kind: 'trace',
      trace: {
        rows: rows.map(({ atS, promptTokens, outputTokens }) => ({ atS, inputTokens: promptTokens, outputTokens })),
        notes: [],
      },
    },
  })

export const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)

/** Prompts and answers of 1 to `most` tokens, that come by chance. */
export function drawRows(count: number, { seed, everyS, most }: { seed: number; everyS: number; most: number }): Row[] {
  const random = createRandom(seed)
  let atS = 0
  return Array.from({ length: count }, (_, i) => {
    if (i > 0) atS += exponential(random) * everyS
    return {
      atS: Math.round(atS * 1e6) / 1e6,
      promptTokens: 1 + random.below(most),
      outputTokens: 1 + random.below(most),
    }
  })
}
