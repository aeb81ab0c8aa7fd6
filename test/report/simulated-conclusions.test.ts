import { describe, expect, it } from 'vitest'
import type { Objectives, Run } from '../../src/core/index.ts'
import { runOf, summarizeRun } from '../../src/model/index.ts'
import { htmlReport, markdownReport, textReport } from '../../src/report/index.ts'
import { simulatedRun } from '../support/simulated-run.ts'

const SIMULATION = { pools: [], series: [], preemptions: 0, recomputedTokens: 0, cachedTokens: 0 }
const every = [
  ['text', textReport],
  ['Markdown', (run: Run) => markdownReport(run).replaceAll('\\', '')],
  ['HTML', htmlReport],
] as const

interface Asked {
  readonly loads?: readonly number[]
  readonly objectives?: Objectives
  readonly workload?: Run['workload']
  /** Of each lane what it asks for; all have the same figures. */
  readonly lanes?: readonly Objectives[]
}

async function runWith({ loads = [4, 16, 64], objectives, workload = {}, lanes }: Asked): Promise<Run> {
  const { header, records } = simulatedRun({ stepS: (batch) => 0.005 + 0.00025 * batch }, { loads })
  const asked = { ...header, workload, ...(objectives && { objectives }) }
  const { points } = await summarizeRun(asked, records)
  const simulated = points.map((point) => ({
    ...point,
    simulation: {
      ...SIMULATION,
      ...(lanes && { lanes: lanes.map((own, i) => ({ ...point, name: `lane${i}`, objectives: own })) }),
    },
  }))
  return runOf(asked, simulated)
}

describe.each(every)('several lanes in %s', (_, report) => {
  const lanes = [{ tokensPerSecond: 100 }, { tokensPerSecond: 30 }, {}]

  it('have no law and no product chosen for their mix', async () => {
    const run = await runWith({ lanes })
    expect(run.fit).toBeUndefined()
    expect(run.frontier).toBeUndefined()
    const text = report(run)
    expect(text).toContain('here are several lanes')
    for (const words of ['Overnight batch', 'Chat', 'one decode step of B streams takes', '<h2>The frontier</h2>'])
      expect(text).not.toContain(words)
    const alone = report(await runWith({}))
    expect(alone).toContain('Overnight batch')
    if (report === htmlReport) expect(alone).toContain('<h2>The frontier</h2>')
    expect(alone).not.toContain('here are several lanes')
  })

  it('have each a verdict by its own objective', async () => {
    const text = report(await runWith({ lanes }))
    expect(text).toMatch(/Lane lane0, 100 tok\/s\/user: held up to 16 \(.*; missed at 64 \(/)
    expect(text).toMatch(/Lane lane1, 30 tok\/s\/user: held up to 64 \(/)
    expect(text).not.toMatch(/Lane lane2,/)
  })

  it('have one together where it was asked for', async () => {
    const text = report(await runWith({ lanes, objectives: { tokensPerSecond: 100 } }))
    expect(text).toMatch(/Your objective, 100 tok\/s\/user, over all lanes: held up to 16 \(/)
  })
})

describe.each(every)('the objective of a simulated run in %s', (_, report) => {
  it('is held by a share of the requests where one is asked for', async () => {
    const objectives = { tokensPerSecond: 100 }
    const of = async (share: number) => report(await runWith({ objectives, workload: { share } }))
    expect(await of(0.9)).toMatch(
      /Your objective, 100 tok\/s\/user, for 90 % of requests: held up to 16 \(100 % met all of it\); missed at 64 \(0 % met all of it\)/,
    )
    expect(report(await runWith({ objectives }))).not.toContain('of requests: held')
  })

  it('says how many met it where it is judged by the typical request', async () => {
    // Between the pace of the slowest and that of the fastest, at the mean.
    const at = async (tokensPerSecond: number) =>
      report(await runWith({ loads: [64], objectives: { tokensPerSecond } }))
    expect(await at(30)).not.toContain('by the typical request')
    expect(await at(300)).toMatch(/not held at 64 \(.* tok\/s each, by the typical request; 0 % met all of it\)/)
  })

  it('speaks of what was simulated, not measured', async () => {
    const text = report(await runWith({ objectives: { tokensPerSecond: 1 } }))
    expect(text).not.toMatch(/every load measured|point is a load that was measured/)
    const chat = report(await runWith({}))
    expect(chat).toContain('every load simulated holds')
  })
})
