import type { FileHandle } from 'node:fs/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createGzipAppender } from '../../src/store/append-gzip.ts'

/** A disk with so much room; a write takes a part of what is given when it is nearly full, and then none. */
function disk(room: number): { readonly file: FileHandle; bytes(): Buffer; readonly calls: string[] } {
  let bytes = Buffer.alloc(0)
  const calls: string[] = []
  const file = {
    write: async (part: Buffer, offset: number, _: undefined, position: number) => {
      calls.push('write')
      const free = room - position
      if (free <= 0) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
      const written = part.subarray(offset, offset + Math.min(free, part.length - offset))
      bytes = Buffer.concat([bytes.subarray(0, position), written])
      return { bytesWritten: written.length }
    },
    truncate: async (size: number) => {
      calls.push('truncate')
      bytes = bytes.subarray(0, size)
    },
  }
  return { file: file as unknown as FileHandle, bytes: () => bytes, calls }
}

/** Longer than a member each, so that every line is one. */
const lines = Array.from({ length: 4 }, (_, at) => `${at}${'x'.repeat(2 ** 18)}`)

test('a disk that fills up is told once, and what was written stays whole', async () => {
  const { file, bytes, calls } = disk(2.5 * gzipSync(lines[0] ?? '', { level: 3 }).length)
  const errors: unknown[] = []
  const appender = createGzipAppender(file, (error) => errors.push(error))
  for (const line of lines) appender.append(line)
  await appender.close()
  expect(errors).toMatchObject([{ code: 'ENOSPC' }])
  expect(calls.at(-1)).toBe('truncate')
  const kept = gunzipSync(bytes()).toString().trimEnd().split('\n')
  expect(kept).toEqual(lines.slice(0, 2))
})

test('a disk that has room takes all', async () => {
  const { file, bytes, calls } = disk(100_000)
  const errors: unknown[] = []
  const appender = createGzipAppender(file, (error) => errors.push(error))
  for (const line of lines) appender.append(line)
  await appender.close()
  expect(errors).toEqual([])
  expect(calls).not.toContain('truncate')
  expect(gunzipSync(bytes()).toString().trimEnd().split('\n')).toEqual(lines)
})
