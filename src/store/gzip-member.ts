import { crc32, createInflateRaw } from 'node:zlib'
import type { FileWindow } from './file-window.ts'

/** RFC 1952. A member is a head, deflated bytes, and the CRC and the length of its text. */
const MAGIC = [0x1f, 0x8b, 8] as const
const FIXED_HEAD = 10
const TRAILER = 8
const FLAG = { headCrc: 2, extra: 4, name: 8, comment: 16, reserved: 0xe0 } as const

/** What inflate is given at once; its text mostly fits into one buffer of `TEXT`, so that a call is one trip to another thread. */
const INPUT = 2 ** 17
const TEXT = 2 ** 19

/**
 * How a member ends: `whole`, with the offset after it; `cut`, where the file ends first: what came is the beginning of it; `broken`, where
 * it is no member or not what was written: what came may be anything.
 */
export type MemberEnd = { readonly kind: 'whole'; readonly endOffset: number } | { readonly kind: 'cut' | 'broken' }

/** Text, and of the last piece how the member ends. */
export interface MemberPiece {
  readonly text: readonly Buffer[]
  readonly end?: MemberEnd
}

/** The member at this offset, piece by piece. */
export async function* readMember(window: FileWindow, offset: number): AsyncGenerator<MemberPiece, void, undefined> {
  const known = window.from(offset)
  const length = headLength(known instanceof Buffer ? known : await known)
  if (typeof length !== 'number') return yield { text: [], end: { kind: length } }
  const inflater = createInflater()
  let at = offset + length
  let crc = 0
  let size = 0
  try {
    for (;;) {
      const there = window.from(at)
      const input = (there instanceof Buffer ? there : await there).subarray(0, INPUT)
      if (input.length === 0) return yield { text: [], end: { kind: 'cut' } }
      const { text, taken } = await inflater.take(input)
      at += taken
      for (const chunk of text) {
        crc = crc32(chunk, crc)
        size += chunk.length
      }
      if (taken < input.length) return yield { text, end: await endAt(window, at, crc, size) }
      yield { text }
    }
  } catch (error) {
    if (!isOfZlib(error)) throw error
    yield { text: [], end: { kind: 'broken' } }
  } finally {
    inflater.close()
  }
}

/** What the trailer says of the text before it. */
async function endAt(window: FileWindow, offset: number, crc: number, size: number): Promise<MemberEnd> {
  const trailer = await window.from(offset)
  if (trailer.length < TRAILER) return { kind: 'cut' }
  const isWhole = trailer.readUInt32LE(0) === crc && trailer.readUInt32LE(4) === size % 2 ** 32
  return isWhole ? { kind: 'whole', endOffset: offset + TRAILER } : { kind: 'broken' }
}

const isOfZlib = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('Z_')

/** How long the head of a gzip member is; `cut` where the bytes end within it, `broken` where they are none. */
function headLength(bytes: Buffer): number | 'cut' | 'broken' {
  if (MAGIC.some((byte, at) => at < bytes.length && bytes[at] !== byte)) return 'broken'
  if (bytes.length < FIXED_HEAD) return 'cut'
  const flags = bytes[3] ?? 0
  if ((flags & FLAG.reserved) !== 0) return 'broken'
  let at = FIXED_HEAD
  if ((flags & FLAG.extra) !== 0) at += 2 + (bytes[at] ?? 0) + 256 * (bytes[at + 1] ?? 0)
  for (const text of [FLAG.name, FLAG.comment]) {
    if ((flags & text) === 0) continue
    const end = bytes.indexOf(0, at)
    if (end === -1) return 'cut'
    at = end + 1
  }
  if ((flags & FLAG.headCrc) !== 0) at += 2
  return at > bytes.length ? 'cut' : at
}

interface Inflater {
  /** The text of these bytes, and how many of them were taken: fewer than given where the deflated part ends among them, or before. */
  take(input: Buffer): Promise<{ readonly text: readonly Buffer[]; readonly taken: number }>
  close(): void
}

function createInflater(): Inflater {
  const engine = createInflateRaw({ chunkSize: TEXT })
  let text: Buffer[] = []
  let fail: (error: Error) => void = () => undefined
  engine.on('data', (chunk: Buffer) => text.push(chunk))
  engine.on('error', (error) => fail(error))
  return {
    take: (input) =>
      new Promise((resolve, reject) => {
        const before = engine.bytesWritten
        fail = reject
        engine.write(input, (error) => {
          // The error event tells it.
          if (error) return
          resolve({ text, taken: engine.bytesWritten - before })
          text = []
        })
      }),
    close: () => engine.close(),
  }
}
