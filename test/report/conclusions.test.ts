import { describe, expect, it } from 'vitest'
import { figure, type Objectives, type PointHeader, portion, type Run } from '../../src/core/index.ts'
import { summarizeRun } from '../../src/model/index.ts'
import { htmlReport, markdownReport, pointsTable, textReport } from '../../src/report/index.ts'
import { simulatedRun } from '../support/simulated-run.ts'

const server = { stepS: (batch: number): number => 0.005 + 0.00025 * batch }
const every = [
  ['text', textReport],
  ['Markdown', (run: Run) => markdownReport(run).replaceAll('\\', '')],
  ['HTML', htmlReport],
] as const

interface Asked {
  readonly objectives?: Objectives
  readonly workload?: Readonly<Record<string, unknown>>
  readonly point?: (point: PointHeader, index: number) => PointHeader
}

async function runOf(
  loads: readonly number[],
  { objectives, workload = {}, point = (same) => same }: Asked = {},
): Promise<Run> {
  const { header, records } = simulatedRun(server, { loads })
  return summarizeRun(
    {
      ...header,
      workload: { ...header.workload, ...workload },
      points: header.points.map(point),
      ...(objectives !== undefined && { objectives }),
    },
    records,
  )
}

/** Such as a search for 49.9 tok/s/user takes. */
const found = [1, 64, 60, 61]

const saturated = (point: PointHeader): PointHeader => ({
  ...point,
  generator: { saturated: true, why: ['event loop lag 40 ms'] },
})
const asRate = (point: PointHeader): PointHeader => ({
  ...point,
  load: { kind: 'rate', value: point.load.value === 4 ? 20 : 40 },
})

describe.each(every)('the objective in %s', (_, report) => {
  it('has its word where one load was measured', async () => {
    const objectives = { tokensPerSecond: 150, ttftMs: 300 }
    expect(report(await runOf([4], { objectives }))).toMatch(
      /Your objective, 150 tok\/s\/user and a first token within 300 ms: held at 4 \(16[67][\d.]* tok\/s each, first token after [\d.]+ ms\)\./,
    )
    expect(report(await runOf([64], { objectives }))).toMatch(/Your objective, .*: not held at 64 \(47[\d.]* tok\/s/)
  })

  it('says of loads that a saturated client had that nothing is known', async () => {
    const objectives = { tokensPerSecond: 50, ttftMs: 300 }
    const run = await runOf([16, 32], { objectives, point: saturated })
    expect(report(run)).toMatch(
      /Your objective, 50 .*: not known at 16, 32, because the load generator was saturated\./,
    )
    const half = await runOf([16, 32], { objectives, point: (point, i) => (i === 1 ? saturated(point) : point) })
    expect(report(half)).toMatch(/Your objective, .*: held at 16 \(.*\); not known at 32, because the load generator/)
  })

  it('stands once where a search ended at the limit of the client', async () => {
    const run = await runOf([1, 2], {
      objectives: { ttftMs: 300 },
      workload: { search: 'find' },
      point: (point, i) => (i === 1 ? saturated(point) : point),
    })
    expect(run.choices?.[0]?.bindingConstraint).toBe('clientLimit')
    expect(report(run).split('Your objective: 1 user')).toHaveLength(2)
    expect(report(run)).toContain('Whether more do is not known')
  })

  it('is as the search judged it, by the share that was asked for, not by the mean', async () => {
    const workload = { search: 'find', share: 1 }
    const run = await runOf([1], { objectives: { ttftMs: 5.1 }, workload })
    expect(run.search?.tried).toMatchObject([{ concurrency: 1, verdict: 'misses' }])
    expect(report(run)).toMatch(/Your objective: No load holds a first token within 5\.1 ms for 100 % of requests/)
    expect(report(run).split('No load holds')).toHaveLength(2)
  })

  it('is not spoken of where none was given', async () => {
    expect(report(await runOf([4]))).not.toMatch(/Your objective|objective/)
  })

  it('says how many requests met all of it', async () => {
    const run = await runOf(found, { objectives: { tokensPerSecond: 49.9 }, workload: { search: 'find' } })
    expect(run.choices?.[0]?.choice.concurrency).toBe(60)
    const { attainment = 0, requestsPerSecond = 0 } = run.points[2]?.goodput ?? {}
    expect(attainment).toBeGreaterThan(0.9)
    const rate = figure(requestsPerSecond)
    expect(report(run)).toContain(`There ${portion(attainment)} of the requests met all of it, ${rate} a second.`)
  })
})

describe('goodput', () => {
  it('has two columns where an objective was given, and none elsewhere', async () => {
    const table = pointsTable(await runOf([16, 64], { objectives: { tokensPerSecond: 100 } })).split('\n')
    expect(table[0]).toMatch(/objective +good/)
    expect(table[1]).toMatch(/% met +\/s/)
    const [held, missed] = table.slice(2).map((line) => line.trim().split(/ {2,}/))
    expect(held).toContain('100.0')
    expect(missed).toContain('0.0')
    expect(pointsTable(await runOf([16, 64]))).not.toContain('% met')
  })

  it('leaves the table within 120 columns', async () => {
    for (const point of [(same: PointHeader) => same, asRate]) {
      const run = await runOf([4, 16], { objectives: { tokensPerSecond: 100, ttftMs: 10 }, point })
      for (const line of pointsTable(run).split('\n')) expect(line.length).toBeLessThanOrEqual(120)
    }
  })
})

describe('a share of requests', () => {
  const search = { objectives: { tokensPerSecond: 49.9 }, workload: { search: 'find', share: 0.9 } }

  it('is what the pace on the card is of', async () => {
    const page = htmlReport(await runOf(found, search))
    expect(page).toContain('tok/s per user, 90 % of requests have at least that')
    const typical = htmlReport(await runOf(found, { ...search, workload: { search: 'find' } }))
    expect(typical).not.toContain('have at least that')
  })
})

describe('loads by rate', async () => {
  const run = await runOf([4, 16], { point: asRate })

  it('show how many requests came and how many a second were done', () => {
    const [first, second, of20 = ''] = pointsTable(run).split('\n')
    expect(first).toMatch(/requests +done/)
    expect(second).toMatch(/begun +\/s/)
    const { requests, littlesLaw } = run.points[0] ?? {}
    expect(of20).toMatch(
      new RegExp(` ${requests?.sent} +${littlesLaw?.completionsPerSecond.toFixed(1).replace('.', '\\.')} `),
    )
  })

  it('are run as rates, with what is then in flight', () => {
    for (const [, report] of every) expect(report(run)).toMatch(/run 40\/s \([\d.]+ in flight\)/)
    expect(htmlReport(run)).toMatch(/class="load">40\/s \([\d.]+ in flight\)</)
  })

  it('have their rate as label on the chart, and users have their number', async () => {
    expect(htmlReport(run)).toMatch(/<text class="label [^>]*>[^<]*20\/s/)
    expect(htmlReport(await runOf([4, 16]))).not.toContain('/s (')
  })
})
