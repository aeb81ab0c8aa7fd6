import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { constants, createGunzip } from 'node:zlib'
import { type RequestRecord, type RunHeader, TwospeedError } from '../core/index.ts'
import { parseRecord, parseRunHeader } from '../record/index.ts'
import { codeOf, notReadable, requestsFile, runFile } from './folder.ts'
import { createLineSet } from './line-set.ts'

/** Throws FILE_NOT_READABLE, INVALID_RUN or UNKNOWN_SCHEMA. */
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
  return parseRunHeader(json)
}

/**
 * The records of a run, one by one, in the order they were written; a line that is equal to an earlier one to the byte is skipped (a
 * resumed run, overlapping shards). Of a last gzip member that was cut by a crash, the lines that are whole are given. Memory: about
 * 80 bytes a record, for telling repeated lines.
 *
 * Throws FILE_NOT_READABLE when there is no such file, INVALID_RUN when it is damaged or a line is no record.
 */
export async function* readRecords(dir: string): AsyncGenerator<RequestRecord, void, undefined> {
  const path = requestsFile(dir)
  const seen = createLineSet()
  let number = 0
  try {
    for await (const lines of linesOf(path)) {
      for (const line of lines) {
        number += 1
        if (line.length > 0 && seen.add(line)) yield parseRecord(line.toString('utf8'), number)
      }
    }
  } catch (error) {
    if (error instanceof TwospeedError) throw error
    const isOfZlib = codeOf(error)?.startsWith('Z_') ?? false
    throw isOfZlib ? damaged(path, `it is damaged after line ${number}`) : notReadable(path, error)
  }
}

const NEWLINE = 10

/** The whole lines of a gzip file, as many at a time as one read gives. */
async function* linesOf(path: string): AsyncGenerator<readonly Buffer[], void, undefined> {
  // With a sync flush at its end, a file that was cut gives all that can be decoded instead of an error.
  const text = createGunzip({ chunkSize: 2 ** 18, finishFlush: constants.Z_SYNC_FLUSH })
  // An error of the file destroys `text` with it, and the loop below throws it.
  pipeline(createReadStream(path), text, () => undefined)
  let rest: Buffer[] = []
  for await (const chunk of text as AsyncIterable<Buffer>) {
    const lines: Buffer[] = []
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      const line = chunk.subarray(from, end)
      lines.push(rest.length === 0 ? line : Buffer.concat([...rest, line]))
      rest = []
      from = end + 1
    }
    if (from < chunk.length) rest.push(chunk.subarray(from))
    yield lines
  }
}

const damaged = (path: string, problem: string): TwospeedError =>
  new TwospeedError(
    'INVALID_RUN',
    `${path}: ${problem}.`,
    'A run folder is written by `twospeed measure`; this file was changed or damaged since.',
  )
