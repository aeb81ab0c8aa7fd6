import { describe, expect, it } from 'vitest'
import { summarizeRun } from '../../src/model/index.ts'
import { htmlReport, markdownReport, pointsTable, textReport } from '../../src/report/index.ts'
import { simulatedRun } from '../support/simulated-run.ts'

const server = { stepS: (batch: number): number => 0.005 + 0.00025 * batch }

async function runOf(loads: readonly number[], floor: number, search?: 'find' | 'sweep') {
  const { header, records } = simulatedRun(server, { loads })
  const workload = { ...header.workload, ...(search !== undefined && { search }) }
  return summarizeRun({ ...header, workload, objectives: { tokensPerSecond: floor } }, records)
}

describe('a report of a search', () => {
  it.each([
    ['text', textReport],
    ['Markdown', markdownReport],
    ['HTML', htmlReport],
  ])('says in %s what was tried, what was found, and what stops it', async (_, report) => {
    const run = await runOf([1, 64, 60, 61], 49.9, 'find')
    expect(run.choices?.[0]?.choice.concurrency).toBe(60)
    const text = report(run).replaceAll('\\', '')
    expect(text).toContain('1 holds · 64 too slow · 60 holds · 61 too slow')
    expect(text).toContain('60 users are the most that hold 49.9 tok/s/user')
    expect(text.split('60 users are the most')).toHaveLength(2)
  })

  it('has its rows ascend by load, in whatever order they were tried', async () => {
    const rows = async (search?: 'find'): Promise<string[]> =>
      pointsTable(await runOf([1, 64, 60, 61], 49.9, search))
        .split('\n')
        .slice(2)
        .map((line) => line.trim().split(' ')[0] ?? '')
    expect(await rows('find')).toEqual(['1', '60', '61', '64'])
    expect(await rows()).toEqual(['1', '64', '60', '61'])
  })

  it('says that nothing holds, and how near one gets', async () => {
    const run = await runOf([1], 500, 'find')
    expect(run.choices).toBeUndefined()
    expect(textReport(run)).toContain('No load holds 500 tok/s/user, for one user alone does not: 1 has 190 tok/s')
  })

  it('says of a run that was cut off that the search was not finished', async () => {
    const run = await runOf([1, 64], 50, 'find')
    expect(run.search?.finished).toBe(false)
    expect(textReport(run)).toContain('was not finished: 1 holds it, 64 do not')
  })

  it('says how far a sweep came', async () => {
    expect(textReport(await runOf([1, 16], 50, 'sweep'))).toContain('The sweep was not finished: 2 points')
  })

  it('is silent of runs that did not search', async () => {
    const run = await runOf([1, 8, 64], 50)
    expect(run.search).toBeUndefined()
    expect(textReport(run)).not.toContain('in this order')
    expect(htmlReport(run)).not.toContain('The search')
  })
})
