import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { RequestRecord } from '../../src/core/index.ts'
import { readRunHeader } from '../../src/store/index.ts'
import { recordOf } from '../core/records.ts'
import { header } from './header.ts'
import { temporaryFolder } from './temporary.ts'

const closed = {
  load: { kind: 'concurrency', value: 1 },
  window: { startS: 1, endS: 5, steady: true, reasons: [] },
} as const
const open = {
  load: { kind: 'concurrency', value: 4 },
  window: { startS: 10, steady: false, reasons: ['interrupted'] },
} as const

async function pointsOf(records: readonly RequestRecord[], last: object = open) {
  const dir = temporaryFolder()
  writeFileSync(join(dir, 'run.json'), JSON.stringify({ ...header, points: [closed, last] }))
  writeFileSync(
    join(dir, 'requests.jsonl.gz'),
    gzipSync(records.map((record) => `${JSON.stringify(record)}\n`).join('')),
  )
  return (await readRunHeader(dir)).points
}

const lasting = (sentS: number, endS: number, point = 1): RequestRecord => ({
  ...recordOf({ sentUs: sentS * 1e6, gapsUs: [], tailUs: (endS - sentS) * 1e6 - 100_000 }),
  point,
})

test('ends before the first request that is lost can have been sent', async () => {
  const records = [lasting(2, 4, 0), lasting(9, 12), lasting(12, 14), lasting(14, 17), lasting(30, 60, 0)]
  expect(await pointsOf(records)).toEqual([closed, { ...open, window: { ...open.window, endS: 14 } }])
})

test('ends there too where the disk was full, and never later than it did', async () => {
  const full = { startS: 10, steady: false, reasons: ['recordsNotWritten'] }
  const records = [lasting(9, 12), lasting(14, 17)]
  const endOf = async (endS: number) =>
    (await pointsOf(records, { ...open, window: { ...full, endS } }))[1]?.window.endS
  expect(await endOf(30)).toBe(14)
  expect(await endOf(13)).toBe(13)
  const whole = { startS: 10, endS: 30, steady: false, reasons: ['interrupted'] }
  expect((await pointsOf(records, { ...open, window: whole }))[1]?.window.endS).toBe(30)
})

test('ends with the last record where that leaves nothing', async () => {
  expect(await pointsOf([lasting(8, 11)])).toEqual([closed, { ...open, window: { ...open.window, endS: 11 } }])
})

test('is no point where nothing of it ended', async () => {
  expect(await pointsOf([lasting(2, 4, 0)])).toEqual([closed])
  expect(await pointsOf([lasting(8, 9)])).toEqual([closed])
})

test('a window without an end is refused unless it was interrupted', async () => {
  const dir = temporaryFolder()
  const points = [{ load: open.load, window: { startS: 10 } }]
  writeFileSync(join(dir, 'run.json'), JSON.stringify({ ...header, points }))
  await expect(readRunHeader(dir)).rejects.toMatchObject({
    code: 'INVALID_RUN',
    message: expect.stringContaining('points[0].window.endS'),
  })
})
