import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { RequestRecord } from '../../src/core/index.ts'
import { readRecords } from '../../src/store/index.ts'
import { recordOf } from '../core/records.ts'
import { collect, temporaryFolder } from './temporary.ts'

const lineOf = (record: RequestRecord): string => `${JSON.stringify(record)}\n`
const records = Array.from({ length: 9 }, (_, at) => recordOf({ sentUs: at * 7919, gapsUs: [at, 2 * at, 3 * at] }))
const members = [records.slice(0, 2), records.slice(2, 5), records.slice(5)].map((part) =>
  gzipSync(part.map(lineOf).join('')),
)
const whole = Buffer.concat(members)

function folderOf(bytes: Buffer): string {
  const dir = temporaryFolder()
  writeFileSync(join(dir, 'requests.jsonl.gz'), bytes)
  return dir
}

test('cut at any byte, a file gives the records before the cut, and every one of the members that are whole', async () => {
  const dir = folderOf(whole)
  const ends = members.map((_, at) => Buffer.concat(members.slice(0, at + 1)).length)
  for (let size = 0; size <= whole.length; size++) {
    writeFileSync(join(dir, 'requests.jsonl.gz'), whole.subarray(0, size))
    const read = await collect(readRecords(dir))
    const sound = [2, 5, 9].filter((_, at) => size >= (ends[at] ?? 0)).at(-1) ?? 0
    expect(read.length, `cut at ${size}`).toBeGreaterThanOrEqual(sound)
    expect(read, `cut at ${size}`).toEqual(records.slice(0, read.length))
  }
})

test('the lines that are whole in a cut member are given too', async () => {
  const many = Array.from({ length: 2000 }, (_, at) => recordOf({ sentUs: at * 7919, gapsUs: [at * 31, at * 17] }))
  const member = gzipSync(many.map(lineOf).join(''))
  const read = await collect(readRecords(folderOf(member.subarray(0, Math.floor(member.length / 2)))))
  expect(read.length).toBeGreaterThan(800)
  expect(read).toEqual(many.slice(0, read.length))
})

test('a byte that was changed before the last member is never read as another record', async () => {
  const dir = folderOf(whole)
  const last = whole.length - (members.at(-1)?.length ?? 0)
  let refused = 0
  for (let at = 0; at < last; at++) {
    for (const flip of [0x01, 0x80, 0xff]) {
      const bytes = Buffer.from(whole)
      bytes[at] = (bytes[at] ?? 0) ^ flip
      writeFileSync(join(dir, 'requests.jsonl.gz'), bytes)
      const outcome = await collect(readRecords(dir)).catch((error: { readonly code: string }) => error.code)
      if (outcome === 'INVALID_RUN') refused += 1
      // Some bytes of a gzip header say nothing that matters here: the time, the system.
      else expect(outcome, `byte ${at}`).toEqual(records)
    }
  }
  expect(refused).toBeGreaterThan(2.8 * last)
})

test('a line that is there twice, byte for byte, counts once; one that differs by a blank counts', async () => {
  const [first, second] = records.map(lineOf)
  const twice = gzipSync(`${first}${second}${first}`)
  expect(await collect(readRecords(folderOf(Buffer.concat([twice, twice]))))).toEqual(records.slice(0, 2))
  const almost = gzipSync(`${first}${first?.replace('{', '{ ')}`)
  expect(await collect(readRecords(folderOf(almost)))).toHaveLength(2)
})

test('blank lines say nothing; a line that is no record is refused with its number', async () => {
  expect(await collect(readRecords(folderOf(gzipSync(`\n${lineOf(recordOf({}))}\n`))))).toHaveLength(1)
  const bad = folderOf(gzipSync(`${lineOf(recordOf({}))}{"id":1}\n`))
  await expect(collect(readRecords(bad))).rejects.toMatchObject({
    code: 'INVALID_RUN',
    message: expect.stringContaining('Line 2'),
  })
})

test('a file that is no gzip is refused', async () => {
  await expect(collect(readRecords(folderOf(Buffer.from(lineOf(recordOf({}))))))).rejects.toMatchObject({
    code: 'INVALID_RUN',
  })
})

test('a reader that stops early leaves nothing open', async () => {
  for await (const { id } of readRecords(folderOf(whole))) {
    expect(id).toBe(records[0]?.id)
    break
  }
})
