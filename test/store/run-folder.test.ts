import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import type { RequestRecord } from '../../src/core/index.ts'
import { createRunFolder, readRecords, readRunHeader } from '../../src/store/index.ts'
import { recordOf } from '../core/records.ts'
import { header } from './header.ts'
import { collect, temporaryFolder } from './temporary.ts'

const record = (at: number, rest: Partial<RequestRecord> = {}): RequestRecord =>
  recordOf({ sentUs: at * 1000, id: `r${at}`, ...rest })

const fresh = (): string => join(temporaryFolder(), 'parent', 'run')

test('records come back as they were appended, in order', async () => {
  const dir = fresh()
  const writer = await createRunFolder(dir, header)
  const records = Array.from({ length: 5000 }, (_, at) => record(at, { finishReason: 'stöp\n"✓"' }))
  for (const one of records) writer.append(one)
  await writer.close()
  expect(await collect(readRecords(dir))).toEqual(records)
})

test('the header is there from the start, and an update replaces it whole', async () => {
  const dir = fresh()
  const writer = await createRunFolder(dir, header)
  expect(await readRunHeader(dir)).toEqual(header)
  expect(await collect(readRecords(dir))).toEqual([])
  const points = [1, 2, 3].map((value) => ({
    load: { kind: 'concurrency' as const, value },
    window: { startS: 0, endS: value, steady: true, reasons: [] },
  }))
  await Promise.all(points.map((_, at) => writer.update({ ...header, points: points.slice(0, at + 1) })))
  expect(await readRunHeader(dir)).toEqual({ ...header, points })
  await writer.close()
  expect(readdirSync(dir).sort()).toEqual(['requests.jsonl.gz', 'run.json'])
})

test('a window that opened is there at once, without an end, until the point is updated', async () => {
  const dir = fresh()
  const writer = await createRunFolder(dir, header)
  const load = { kind: 'concurrency', value: 2 } as const
  writer.windowOpened(load, 5)
  const closed = { load, window: { startS: 5, endS: 9, steady: true, reasons: [] } }
  await writer.update({ ...header, points: [closed] })
  writer.windowOpened({ ...load, value: 4 }, 10)
  await writer.close()
  const { points } = JSON.parse(readFileSync(join(dir, 'run.json'), 'utf8'))
  const open = { load: { ...load, value: 4 }, window: { startS: 10, steady: false, reasons: ['interrupted'] } }
  expect(points).toEqual([closed, open])
})

test('a folder that is there already is never written into', async () => {
  const dir = fresh()
  mkdirSync(dir, { recursive: true })
  await expect(createRunFolder(dir, header)).rejects.toMatchObject({ code: 'OUT_EXISTS' })
  expect(readdirSync(dir)).toEqual([])
  const file = join(dir, 'file')
  writeFileSync(file, '')
  await expect(createRunFolder(file, header)).rejects.toMatchObject({ code: 'OUT_EXISTS' })
  await expect(createRunFolder(join(file, 'run'), header)).rejects.toMatchObject({ code: 'FILE_NOT_WRITABLE' })
})

test.skipIf(process.platform !== 'linux')(
  'a file system that lets nothing be made is refused, not waited for',
  async () => {
    await expect(createRunFolder('/proc/nowhere/run', header)).rejects.toMatchObject({ code: 'FILE_NOT_WRITABLE' })
  },
)

test.skipIf(process.getuid?.() === 0)('a folder that may not be made is refused', async () => {
  const parent = temporaryFolder()
  chmodSync(parent, 0o500)
  await expect(createRunFolder(join(parent, 'run'), header)).rejects.toMatchObject({ code: 'FILE_NOT_WRITABLE' })
})

test('records reach the disk while the run goes on, and what was appended after is not lost', async () => {
  const dir = fresh()
  const writer = await createRunFolder(dir, header)
  writer.append(record(1))
  await vi.waitFor(async () => expect(await collect(readRecords(dir))).toEqual([record(1)]), { timeout: 5000 })
  writer.append(record(2))
  await writer.close()
  expect(await collect(readRecords(dir))).toEqual([record(1), record(2)])
})

test('finished records leave the memory by size, long before the second is over', async () => {
  const dir = fresh()
  const writer = await createRunFolder(dir, header)
  const gapsUs = Array.from({ length: 100 }, (_, at) => 20_000 + at)
  for (let at = 0; at < 2000; at++) writer.append(record(at, { gapsUs }))
  await sleep(300)
  expect((await collect(readRecords(dir))).length).toBeGreaterThan(1000)
  await writer.close()
  expect(await collect(readRecords(dir))).toHaveLength(2000)
})

test('a record of a hundred tokens takes less than 400 bytes', async () => {
  const dir = fresh()
  const writer = await createRunFolder(dir, header)
  // Jitter of a millisecond each way, from the fractional parts of multiples of the golden ratio.
  const jitter = (n: number): number => Math.round(2000 * ((n * 0.618_033_988_75) % 1)) - 1000
  for (let at = 0; at < 1000; at++) {
    const gapsUs = Array.from({ length: 99 }, (_, gap) => 20_000 + jitter(100 * at + gap))
    const asked = { askedInputTokens: 512, askedOutputTokens: 100, inputTokens: 512 }
    writer.append(record(at, { ttftUs: 100_000 + jitter(at), gapsUs, ...asked, tokenSource: 'usage' } as never))
  }
  await writer.close()
  expect(statSync(join(dir, 'requests.jsonl.gz')).size / 1000).toBeLessThan(400)
})

test('a folder without a run, or with something else in its place, is told as that', async () => {
  const dir = temporaryFolder()
  await expect(readRunHeader(dir)).rejects.toMatchObject({ code: 'FILE_NOT_READABLE' })
  await expect(collect(readRecords(dir))).rejects.toMatchObject({ code: 'FILE_NOT_READABLE' })
  writeFileSync(join(dir, 'run.json'), '{')
  await expect(readRunHeader(dir)).rejects.toMatchObject({ code: 'INVALID_RUN' })
  writeFileSync(join(dir, 'run.json'), '{"schema":"twospeed/run@2"}')
  await expect(readRunHeader(dir)).rejects.toMatchObject({ code: 'UNKNOWN_SCHEMA' })
})

test('a failed update is told and does not stop the next one', async () => {
  const dir = fresh()
  const writer = await createRunFolder(dir, header)
  mkdirSync(join(dir, 'run.json.tmp'))
  await expect(writer.update(header)).rejects.toMatchObject({ code: 'FILE_NOT_WRITABLE' })
  expect(await readRunHeader(dir)).toEqual(header)
  rmSync(join(dir, 'run.json.tmp'), { recursive: true })
  // A place that cannot be replaced stands in for a disk that fills up while the new one is written.
  renameSync(join(dir, 'run.json'), join(dir, 'kept'))
  mkdirSync(join(dir, 'run.json'))
  await expect(writer.update(header)).rejects.toMatchObject({ code: 'FILE_NOT_WRITABLE' })
  expect(readdirSync(dir).sort()).toEqual(['kept', 'requests.jsonl.gz', 'run.json'])
  rmSync(join(dir, 'run.json'), { recursive: true })
  renameSync(join(dir, 'kept'), join(dir, 'run.json'))
  await writer.update({ ...header, hardware: { gpus: 2 } })
  expect((await readRunHeader(dir)).hardware).toEqual({ gpus: 2 })
  await writer.close()
  expect(existsSync(join(dir, 'run.json.tmp'))).toBe(false)
  expect(readFileSync(join(dir, 'run.json'), 'utf8')).toMatch(/\}\n$/)
})
