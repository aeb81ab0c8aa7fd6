import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCountedMetrics, type Objectives, type Point, type RequestRecord } from '../../src/core/index.ts'
import { figures } from './figures.ts'
import { ALL_ENDED_S, anyRecords, recordOf } from './records.ts'

const micros = (s: number): number => Math.round(s * 1e6)

/** What an engine tells of an answer instead of its gaps. */
const timesOf = ({ firstTokenS = 0, gapsUs }: RequestRecord) => ({
  gapsUs: () => gapsUs,
  countBefore: (instantUs: number) => {
    let atUs = micros(firstTokenS)
    let count = atUs < instantUs ? 1 : 0
    for (const gap of gapsUs) {
      atUs += gap
      if (atUs < instantUs) count += 1
    }
    return count
  },
})

/** The figures of records of which only numbers are told, over a window that is closed as late as it may be. */
function counted(
  records: readonly RequestRecord[],
  { startS, endS, objectives }: { readonly startS: number; readonly endS: number; readonly objectives?: Objectives },
): Point {
  const metrics = createCountedMetrics(startS, {}, objectives)
  let isClosed = false
  for (const record of [...records].sort((a, b) => a.endS - b.endS)) {
    if (!isClosed && record.endS >= endS) {
      metrics.close(endS)
      isClosed = true
    }
    metrics.add({ ...record, gapsUs: [] }, record.firstTokenS === undefined ? undefined : timesOf(record))
    let atUs = micros(record.firstTokenS ?? 0)
    for (const gap of record.gapsUs) {
      if (gap > 0) metrics.addDecoded(atUs, atUs + gap, 1)
      atUs += gap
    }
    if (record.outcome === 'failed' || record.sentS < startS || record.sentS >= endS) continue
    for (const gap of record.gapsUs) metrics.addGap(gap, 1)
  }
  if (!isClosed) metrics.close(endS)
  return metrics.result({
    load: { kind: 'concurrency', value: 1 },
    window: { startS, endS, steady: true, reasons: [] },
  })
}

/** How sure a figure is comes from tokens that are spread evenly over stretches of time, so it is not quite the same. */
const certain = ({ intervals: _, trends: __, window: ___, ...rest }: Point) => rest

/** What ends as it is sent a simulator has refused, and tells apart from what a server failed. */
const isRefused = ({ outcome, sentS, endS }: RequestRecord) => outcome === 'failed' && micros(sentS) === micros(endS)

const tokenByToken = anyRecords.map((records) =>
  records
    .filter((record) => !isRefused(record))
    .map(({ tokensPerEvent: _, ...record }) => ({
      ...record,
      outputTokens: record.firstTokenS === undefined ? 0 : record.gapsUs.length + 1,
    })),
)

const windows = fc
  .tuple(fc.integer({ min: 0, max: 20_000_000 }), fc.integer({ min: 1, max: 30_000_000 }))
  .map(([startUs, lengthUs]) => ({ startS: startUs / 1e6, endS: (startUs + lengthUs) / 1e6 }))

test('answers told by the number of their tokens have the figures of those told gap by gap', () => {
  const objectives = { ttftMs: 1000, tokensPerSecond: 3 }
  fc.assert(
    fc.property(tokenByToken, windows, (records, window) => {
      const { latency, ...others } = certain(counted(records, { ...window, objectives }))
      const { latency: whole, ...same } = certain(figures(records, { ...window, objectives }))
      expect(others).toEqual(same)
      expect({ ...latency, itlMs: {} }).toEqual({ ...whole, itlMs: {} })
      expect(Object.keys(latency.itlMs)).toEqual(Object.keys(whole.itlMs))
      for (const [key, value] of Object.entries(whole.itlMs)) {
        const off = Math.abs((latency.itlMs[key as 'mean'] ?? 0) - value)
        expect(off).toBeLessThanOrEqual((key === 'mean' ? 1e-12 : 0.0005) * value)
      }
    }),
    { numRuns: 300, seed: 20261202 },
  )
})

test('a window that is closed before its end is reached counts likewise, and so does one that nothing crosses', () => {
  const records = Array.from({ length: 40 }, (_, i) =>
    recordOf({ sentUs: i * 250_000, gapsUs: Array(30).fill(20_000) }),
  )
  const early = createCountedMetrics(2, {})
  early.close(8)
  for (const record of records) early.add({ ...record, gapsUs: [] }, timesOf(record))
  const header = {
    load: { kind: 'rate' as const, value: 4 },
    window: { startS: 2, endS: 8, steady: true, reasons: [] },
  }
  const late = certain(counted(records, { startS: 2, endS: 8 }))
  expect(certain(early.result(header)).tokens).toEqual(late.tokens)
  expect(late.tokens.output).toBe(figures(records, { startS: 2, endS: 8 }).tokens.output)
  expect(certain(counted(records, { startS: 0, endS: ALL_ENDED_S })).tokens.output).toBe(40 * 31)
})

test('how sure a figure is comes out nearly the same, and what changes through the window is seen', () => {
  // Answers come in waves, and half-way through the window they become a third slower.
  const records = Array.from({ length: 3000 }, (_, i) => {
    const sentUs = i * 33_333 + (i % 7) * 4000
    const gapUs = (i < 1500 ? 10_000 : 15_000) + (i % 5) * 200
    return recordOf({ sentUs, gapsUs: Array(40 + (i % 13)).fill(gapUs) })
  })
  const window = { startS: 3, endS: 97 }
  const [few, all] = [counted(records, window), figures(records, window)]
  expect(few.trends?.map(({ figure, kind }) => [figure, kind])).toEqual(
    all.trends?.map(({ figure, kind }) => [figure, kind]),
  )
  expect(few.trends?.length).toBeGreaterThan(0)
  const half = (point: Point): number => {
    const { low = 0, high = 0 } = point.intervals?.outputTokensPerSecond ?? {}
    return (high - low) / 2
  }
  expect(half(few) / half(all)).toBeGreaterThan(0.8)
  expect(half(few) / half(all)).toBeLessThan(1.25)
  expect(few.intervals?.perUser).toEqual(all.intervals?.perUser)
})

test('a window without length is a bug of the caller', () => {
  const metrics = createCountedMetrics(5, {})
  expect(() => metrics.close(5)).toThrow(RangeError)
  expect(() => metrics.close(5.000001)).not.toThrow()
})
