import { describe, expect, it } from 'vitest'
import type { RequestRecord, RunHeader } from '../../src/core/index.ts'
import { createLoadSearch } from '../../src/load/load-search.ts'
import type { RunWriter } from '../../src/store/index.ts'
import { simulatedRun } from '../support/simulated-run.ts'

describe('the loop of a search', () => {
  const loads = [1, 50, 60, 61]
  const { header, records } = simulatedRun({ stepS: (batch) => 0.005 + 0.00025 * batch }, { loads })
  const asked: RunHeader = {
    ...header,
    workload: { ...header.workload, search: 'find' },
    objectives: { tokensPerSecond: 49.9 },
    points: [],
  }
  const written: RequestRecord[] = []
  const writer: RunWriter = {
    append: (record) => written.push(record),
    update: async () => undefined,
    windowOpened: () => undefined,
    close: async () => undefined,
    failed: new AbortController().signal,
  }

  it('hands every record on, and chooses by the figures of those of each point', () => {
    const search = createLoadSearch(asked, writer)
    const chosen: number[] = []
    for (const [point, load] of loads.entries()) {
      const next = search.next()
      chosen.push(next.kind === 'load' ? next.load.value : 0)
      for (const record of records) if (record.point === point) search.writer.append(record)
      const measured = header.points[point]
      expect(measured?.load.value).toBe(load)
      if (measured !== undefined) search.measured(measured)
    }
    expect(chosen).toEqual(loads)
    expect(search.next()).toMatchObject({ kind: 'end', why: expect.stringContaining('60 users are the most') })
    expect(search.failure()).toBeUndefined()
    expect(written).toHaveLength(records.length)
  })

  it('fails where not even one user holds the objective, with a code of its own', () => {
    const search = createLoadSearch({ ...asked, objectives: { tokensPerSecond: 500 } }, writer)
    expect(search.failure()).toBeUndefined()
    const [alone] = header.points
    for (const record of records) if (record.point === 0) search.writer.append(record)
    if (alone !== undefined) search.measured(alone)
    expect(search.next()).toMatchObject({ kind: 'end' })
    expect(search.failure()).toMatchObject({ code: 'NO_POINT_HOLDS', exit: 1 })
  })
})
