import { open, readFile } from 'node:fs/promises'
import { type RequestRecord, type RunHeader, TwospeedError } from '../core/index.ts'
import { parseRecord, parseRunHeader } from '../record/index.ts'
import { ahead } from './ahead.ts'
import { notReadable, requestsFile, runFile } from './folder.ts'
import { DamagedGzip, type GzipPiece, readGzip, type WholePart } from './gzip-reader.ts'
import { createLineSet } from './line-set.ts'
import { closeOpenWindow } from './open-window.ts'

/**
 * What a run folder says of its points. A point that was being measured when the run was killed has a window without an end; it ends with
 * what its records cover, and is left out where there are none.
 *
 * Throws FILE_NOT_READABLE, INVALID_RUN or UNKNOWN_SCHEMA.
 */
export async function readRunHeader(dir: string): Promise<RunHeader> {
  const path = runFile(dir)
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw notReadable(path, error)
  })
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw damaged(path, 'it is not JSON')
  }
  return closeOpenWindow(parseRunHeader(json), () => readRecords(dir))
}

/** What of the records file could not be read. */
export interface Unreadable {
  /** At the end of the file, from where the last whole member ends. */
  readonly bytes: number
}

/**
 * The records of a run, one by one, in the order they were written; a line that is equal to an earlier one to the byte is skipped (a
 * resumed run, overlapping shards). What stands after the last whole gzip member is told to `onUnreadable`: a crash cut it, of which the
 * lines that are whole are given, or something was added. Memory: 24 to 48 bytes a record, for telling repeated lines.
 *
 * Throws FILE_NOT_READABLE when there is no such file, INVALID_RUN when it is damaged before its end or a line is no record.
 */
export async function* readRecords(
  dir: string,
  onUnreadable?: (unreadable: Unreadable) => void,
): AsyncGenerator<RequestRecord, void, undefined> {
  const path = requestsFile(dir)
  const file = await open(path).catch((error: unknown) => {
    throw notReadable(path, error)
  })
  const seen = createLineSet()
  let number = 0
  try {
    for await (const { lines, end } of linesOf(ahead(readGzip(file)))) {
      const isCut = end?.isAll === false
      for (const line of lines) {
        number += 1
        if (line.length === 0 || !seen.add(line)) continue
        const text = line.toString('utf8')
        const record = isCut ? ifAny(() => parseRecord(text, number)) : parseRecord(text, number)
        // No checksum tells that a member was cut rather than changed; what it holds that is no record is not its own.
        if (record === undefined) break
        yield record
      }
      if (isCut) onUnreadable?.({ bytes: (await file.stat()).size - end.endOffset })
    }
  } catch (error) {
    if (error instanceof TwospeedError) throw error
    throw error instanceof DamagedGzip ? damaged(path, whereDamaged(number)) : notReadable(path, error)
  } finally {
    await file.close()
  }
}

function ifAny<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof TwospeedError) return undefined
    throw error
  }
}

const whereDamaged = (lines: number): string =>
  lines === 0 ? 'it is damaged, or no gzip file' : `it is damaged after line ${lines}`

const NEWLINE = 10

interface Lines {
  readonly lines: readonly Buffer[]
  readonly end?: WholePart
}

/** The lines of a text, as many at a time as one piece gives. The last line of a whole file may lack its end. */
async function* linesOf(pieces: AsyncIterable<GzipPiece>): AsyncGenerator<Lines, void, undefined> {
  let rest: Buffer[] = []
  for await (const { text, end } of pieces) {
    const lines: Buffer[] = []
    for (const chunk of text) {
      let from = 0
      for (let to = chunk.indexOf(NEWLINE); to !== -1; to = chunk.indexOf(NEWLINE, from)) {
        const line = chunk.subarray(from, to)
        lines.push(rest.length === 0 ? line : Buffer.concat([...rest, line]))
        rest = []
        from = to + 1
      }
      if (from < chunk.length) rest.push(chunk.subarray(from))
    }
    if (end?.isAll === true && rest.length > 0) lines.push(Buffer.concat(rest))
    yield { lines, ...(end !== undefined && { end }) }
  }
}

const damaged = (path: string, problem: string): TwospeedError =>
  new TwospeedError(
    'INVALID_RUN',
    `${path}: ${problem}.`,
    'A run folder is written by `twospeed measure`; this file was changed or damaged since.',
  )
