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

interface Read {
  readonly records: readonly RequestRecord[]
  readonly unreadable: number | undefined
}

async function read(bytes: Buffer): Promise<Read> {
  let unreadable: number | undefined
  const all = await collect(readRecords(folderOf(bytes), ({ bytes: count }) => (unreadable = count)))
  return { records: all, unreadable }
}

test('of a whole file nothing is said to be unreadable', async () => {
  expect(await read(whole)).toEqual({ records, unreadable: undefined })
})

test.each([
  ['a text', Buffer.from('{"id":"x"}\n')],
  ['blocks of zeros', Buffer.alloc(8192)],
  ['one byte', Buffer.from([0x1f])],
  ['what looks like a member', Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9])],
  ['a member whose checksum is wrong', Buffer.concat([gzipSync('{"id":1}\n').subarray(0, -8), Buffer.alloc(8)])],
  ['far more than it holds', Buffer.alloc(5_000_000, 'noise')],
])('%s after the last member costs no record, and is told', async (_, added) => {
  expect(await read(Buffer.concat([whole, added]))).toEqual({ records, unreadable: added.length })
})

test('of a last member that was changed nothing is read that was not written, and the others stay', async () => {
  const last = members.at(-1)?.length ?? 0
  let left = 0
  for (let at = whole.length - last; at < whole.length; at++) {
    const bytes = Buffer.from(whole)
    bytes[at] = (bytes[at] ?? 0) ^ 0xff
    const { records: found, unreadable } = await read(bytes)
    if (unreadable === undefined) expect(found, `byte ${at}`).toEqual(records)
    else {
      left += 1
      expect(unreadable, `byte ${at}`).toBe(last)
      expect(found.length, `byte ${at}`).toBeGreaterThanOrEqual(5)
      expect(found, `byte ${at}`).toEqual(records.slice(0, found.length))
    }
  }
  expect(left).toBeGreaterThan(0.9 * last)
})

test('what is cut off is told from the end of the last whole member', async () => {
  const cut = 40
  const { records: found, unreadable } = await read(whole.subarray(0, whole.length - cut))
  expect(unreadable).toBe((members.at(-1)?.length ?? 0) - cut)
  expect(found).toEqual(records.slice(0, found.length))
  expect(found.length).toBeGreaterThanOrEqual(5)
})

test('a change between members that are whole is no end, and is refused', async () => {
  const between = Buffer.concat([members[0] ?? whole, Buffer.from('noise'), members[1] ?? whole])
  await expect(read(between)).rejects.toMatchObject({ code: 'INVALID_RUN', message: expect.stringContaining('line 2') })
})

test('what a cut member holds that is no record ends it', async () => {
  const noise = gzipSync(`${lineOf(recordOf({ sentUs: 5 }))}noise\n${lineOf(recordOf({ sentUs: 6 }))}`).subarray(0, -8)
  const { records: found, unreadable } = await read(Buffer.concat([whole, noise]))
  expect(unreadable).toBe(noise.length)
  expect(found).toEqual([...records, recordOf({ sentUs: 5 })])
})

/** Some 10 MB of text, as another program may write it: all in one member. */
const long = Array.from({ length: 2000 }, (_, at) =>
  recordOf({ sentUs: at * 7919, gapsUs: Array.from({ length: 900 }, (_, gap) => (at * 31 + gap * 17) % 9973) }),
)

test('a long member is read as it comes; where it was cut what is whole, where it was changed nothing is believed', async () => {
  const member = gzipSync(long.map(lineOf).join(''))
  expect(await read(member)).toEqual({ records: long, unreadable: undefined })
  const half = await read(member.subarray(0, Math.floor(member.length / 2)))
  expect(half.unreadable).toBe(Math.floor(member.length / 2))
  expect(half.records.length).toBeGreaterThan(800)
  expect(half.records).toEqual(long.slice(0, half.records.length))
  const changed = Buffer.from(member)
  changed[member.length - 6] = (changed[member.length - 6] ?? 0) ^ 1
  await expect(read(changed)).rejects.toMatchObject({ code: 'INVALID_RUN' })
})

test('members with a name, a comment, extra bytes and a checksum of their head are read; lines may run across members', async () => {
  const text = records.map(lineOf).join('')
  const dressed = (part: string): Buffer => {
    const member = gzipSync(part)
    const head = Buffer.from(member.subarray(0, 10))
    head[3] = 2 | 4 | 8 | 16
    const extras = Buffer.concat([Buffer.from([3, 0, 7, 0, 7]), Buffer.from('name\0comment\0'), Buffer.from([1, 2])])
    return Buffer.concat([head, extras, member.subarray(10)])
  }
  const parts = [text.slice(0, 100), text.slice(100, 1001), text.slice(1001)]
  expect(await read(Buffer.concat(parts.map(dressed)))).toEqual({ records, unreadable: undefined })
})

test('the last line of a whole file may lack its end', async () => {
  expect((await read(gzipSync(records.map(lineOf).join('').trimEnd()))).records).toEqual(records)
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
