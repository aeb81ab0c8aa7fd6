import { describe, expect, it } from 'vitest'
import type { Run, SimulatedPool } from '../../src/core/index.ts'
import { summarizeRun } from '../../src/model/index.ts'
import { htmlReport, markdownReport, textReport } from '../../src/report/index.ts'
import { simulatedRun } from '../support/simulated-run.ts'

const POOL: SimulatedPool = {
  name: 'main',
  role: 'both',
  replicas: 1,
  busy: 0.83,
  tokensPerSecond: 500,
  meanBatch: 6.5,
  meanWaiting: 1.25,
  meanKvShare: 0.4,
  mostKvShare: 0.95,
  wastedShare: 0.07,
  preemptions: 12,
}

async function runWith(pools: readonly SimulatedPool[]): Promise<Run> {
  const { header, records } = simulatedRun(
    { stepS: (batch) => 0.005 + 0.00025 * batch },
    { loads: [1, 4], engine: 'simulated' },
  )
  const points = header.points.map((point) => ({
    ...point,
    simulation: {
      pools,
      series: [0, 1, 2].map((i) => ({ atS: point.window.startS + i, running: 4, waiting: i, kvShare: 0.5 })),
      preemptions: 12,
      recomputedTokens: 900,
      cachedTokens: 0,
      refused: { requests: 3, first: 'A prompt of 9 tokens is too long.' },
    },
  }))
  return summarizeRun({ ...header, points }, records)
}

const every = [textReport, markdownReport, htmlReport] as const

describe('a run of the simulator', async () => {
  const run = await runWith([POOL])

  it('keeps what its records do not tell', () => {
    expect(run.points[0]?.simulation?.pools).toEqual([POOL])
  })

  it.each(every.map((report) => [report.name, report] as const))('%s tells what went on inside', (_, report) => {
    const text = report(run)
    for (const words of ['SIMULATED', 'Inside the fleet', '83 %', '6.5', '1.25', '95 %', '3 requests refused'])
      expect(text).toContain(words)
  })

  it('says on its page that no server ran, and draws each load over time', () => {
    const page = htmlReport(run)
    expect(page).toContain('No server ran')
    expect(page).not.toContain('over a real network')
    expect(page.match(/class="ts-time"/g)).toHaveLength(2)
  })

  it('names its pools where there are several', async () => {
    const two = await runWith([
      { ...POOL, name: 'reads', role: 'prefill' },
      { ...POOL, name: 'writes', role: 'decode' },
    ])
    for (const report of every) expect(report(two)).toMatch(/reads[\s\S]*writes/)
    expect(textReport(run)).not.toMatch(/^ *4 +main/m)
  })
})

describe('a run of a server', async () => {
  const { header, records } = simulatedRun({ stepS: () => 0.005 }, { loads: [1, 4], engine: 'simulated' })
  const run = await summarizeRun(header, records)

  it('has no inside to tell, and a network', () => {
    for (const report of every) expect(report(run)).not.toContain('Inside the fleet')
    expect(htmlReport(run)).toContain('over a real network')
  })
})
