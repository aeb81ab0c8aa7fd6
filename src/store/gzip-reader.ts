import type { FileHandle } from 'node:fs/promises'
import { createFileWindow, type FileWindow } from './file-window.ts'
import { type MemberPiece, readMember } from './gzip-member.ts'

/** So much text of a member waits until its checksum has been found right; longer members, which are not our own, are given as they come. */
const HELD = 2 ** 21

/** Where the whole members end, and whether the file ends there too. */
export interface WholePart {
  readonly endOffset: number
  readonly isAll: boolean
}

/** Text, and with the last piece where the readable part ends. */
export interface GzipPiece {
  readonly text: readonly Buffer[]
  readonly end?: WholePart
}

/** Something is not what was written, and what comes after it is: the file is damaged, rather than cut or added to. */
export class DamagedGzip extends Error {}

/**
 * The text of a file of gzip members.
 *
 *     [ whole ][ whole ][ whole ][ cut      the text of all four, as far as it goes
 *     [ whole ][ whole ] no member          the text of both; so many bytes at the end are not readable
 *     [ whole ] no member [ whole ]         DamagedGzip
 *
 * Throws DamagedGzip, also where nothing of it is gzip.
 */
export async function* readGzip(file: FileHandle): AsyncGenerator<GzipPiece, void, undefined> {
  const window = createFileWindow(file)
  let endOffset = 0
  for (;;) {
    const known = window.from(endOffset)
    if ((known instanceof Buffer ? known : await known).length === 0) {
      return yield { text: [], end: { endOffset, isAll: true } }
    }
    for await (const { text, end } of checked(window, endOffset)) {
      if (end?.kind === 'broken') {
        if (endOffset === 0 || (await holdsMember(window, endOffset + 1))) throw new DamagedGzip()
        return yield { text: [], end: { endOffset, isAll: false } }
      }
      if (end?.kind === 'cut') return yield { text, end: { endOffset, isAll: false } }
      yield { text }
      if (end?.kind === 'whole') endOffset = end.endOffset
    }
  }
}

/** A member, its text given when it is known to be good; of a long one as it comes, and then it must be. */
async function* checked(window: FileWindow, offset: number): AsyncGenerator<MemberPiece, void, undefined> {
  const held: Buffer[] = []
  let size = 0
  for await (const { text, end } of readMember(window, offset)) {
    for (const chunk of text) {
      held.push(chunk)
      size += chunk.length
    }
    if (end?.kind === 'broken' && size > HELD) throw new DamagedGzip()
    if (end !== undefined) yield { text: held, end }
    else if (size > HELD) yield { text: held.splice(0) }
  }
}

const MAGIC = Buffer.from([0x1f, 0x8b, 8])

/** Whether a whole member begins anywhere from here on. */
async function holdsMember(window: FileWindow, offset: number): Promise<boolean> {
  for (let at = offset; ; ) {
    const bytes = await window.from(at)
    const found = bytes.indexOf(MAGIC)
    if (found !== -1) {
      if (await isMember(window, at + found)) return true
      at += found + 1
    } else if (bytes.length <= MAGIC.length) return false
    else at += bytes.length - MAGIC.length + 1
  }
}

async function isMember(window: FileWindow, offset: number): Promise<boolean> {
  for await (const { end } of readMember(window, offset)) {
    if (end !== undefined) return end.kind === 'whole'
  }
  return false
}
