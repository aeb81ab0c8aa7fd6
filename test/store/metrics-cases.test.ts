import { describe, expect, test } from 'vitest'
import { createPointMetrics, type Point } from '../../src/core/index.ts'
import { readRecords, readRunHeader } from '../../src/store/index.ts'
import { mismatches, readCases } from '../support/cases.ts'
import { type MetricsCase, writeRunOfCase } from './run-of-case.ts'
import { temporaryFolder } from './temporary.ts'

/** From the folder alone, as a report does it. */
async function pointsOf(dir: string): Promise<readonly Point[]> {
  const { points, hardware, objectives } = await readRunHeader(dir)
  const metrics = points.map((point) => createPointMetrics(point, hardware, objectives))
  for await (const record of readRecords(dir)) metrics[record.point]?.add(record)
  return metrics.map((metric) => metric.result())
}

const cases = readCases<MetricsCase>('metrics')

describe('records in, figures out', () => {
  test('the cases are there', () => expect(cases.length).toBeGreaterThanOrEqual(30))

  test.each(cases.map((given) => [`${given.id}: ${given.title}`, given] as const))('%s', async (_, given) => {
    const dir = temporaryFolder()
    writeRunOfCase(given, dir)
    const points = await pointsOf(dir)
    expect(mismatches({ points }, given.expect)).toEqual([])
    expect(JSON.stringify(points)).not.toMatch(/null/)
  })

  test('a last member that was cut loses only its own records', async () => {
    const [base] = cases.filter(({ requests }) => requests.length >= 10)
    if (base === undefined) throw new Error('no case has ten records')
    const dir = temporaryFolder()
    const requests = base.requests.slice(0, 10)
    writeRunOfCase({ ...base, requests, members: [9, 1], keepLastBytes: 12 }, dir)
    const ids: string[] = []
    for await (const { id } of readRecords(dir)) ids.push(id)
    expect(ids).toEqual(requests.slice(0, 9).map(({ id }) => id))
  })
})
