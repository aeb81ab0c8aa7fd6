import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SimulateFlags } from '../../../src/cli/simulate/flags.ts'
import { doJob } from '../../../src/cli/simulate/job.ts'
import { simulatedRun } from '../../../src/cli/simulate/run.ts'
import { setUp } from '../../../src/cli/simulate/setup.ts'
import type { RequestRecord, Run } from '../../../src/core/index.ts'
import { folderWith } from '../../support/planning-case.ts'

const PROMPT = 100

/** A search by one seed, and the records of each load that it tried. */
async function found(flags: SimulateFlags): Promise<{ readonly run: Run; readonly records: readonly RequestRecord[] }> {
  const asked = { law: 'a=5ms,b=0.25ms', find: true, rate: [1], floor: 40, repeat: 1, requests: 300 } as const
  const setup = await setUp({ ...asked, ...flags }, () => {})
  const records: RequestRecord[] = []
  const done = setup.jobs.map((job) => doJob(setup.plan, job, (record) => records.push(record)))
  return { run: simulatedRun(setup, done), records }
}

/** Of each load that was tried, how many requests a second of the lane that is searched came inside the window, by the records. */
const cameIn = ({ points }: Run, records: readonly RequestRecord[]): readonly number[] =>
  points.map(({ window: { startS, endS } }, index) => {
    const inside = records.filter(
      ({ point, inputTokens, sentS }) => point === index && inputTokens === PROMPT && sentS >= startS && sentS < endS,
    )
    return inside.length / (endS - startS)
  })

function heldOf({ search }: Run): number {
  const tried = search?.kind === 'find' ? search.tried : []
  const rates = tried.map(({ rate = 0, verdict }) => (verdict === 'holds' ? rate : 0))
  return rates.indexOf(Math.max(...rates))
}

const foundRate = ({ search }: Run): number => (search?.kind === 'find' ? (search.found?.value ?? 0) : 0)

describe('a rate that is looked for', () => {
  const LANES = `lanes:
  chat: {inputTokens: ${PROMPT}, outputTokens: 100}
  other: {inputTokens: 50, outputTokens: 100, rate: 4/s}
  batch: {inputTokens: 50, outputTokens: 300, concurrency: 5}
`

  it('is told, of one lane among several, as what came in that lane', async () => {
    const { run, records } = await found({ lanes: join(folderWith({ 'lanes.yaml': LANES }), 'lanes.yaml') })
    const came = cameIn(run, records)[heldOf(run)] as number
    expect(foundRate(run)).toBeCloseTo(came, 9)
    // Chance made it another than was asked for, or the test would say nothing.
    expect(Math.abs(foundRate(run) / run.points[heldOf(run)]!.load.value - 1)).toBeGreaterThan(0.005)
  })

  it('is told, of one lane alone, as what came', async () => {
    const { run, records } = await found({ inputTokens: PROMPT, outputTokens: 100 })
    expect(foundRate(run)).toBeCloseTo(cameIn(run, records)[heldOf(run)] as number, 9)
  })
})
