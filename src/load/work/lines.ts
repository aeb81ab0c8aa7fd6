import { readFileSync } from 'node:fs'
import { TwospeedError } from '../../core/index.ts'

const NEWLINE = 10

/**
 * The lines of a file, one after the other: as one text, a file may be longer than any text can be.
 *
 * Throws FILE_NOT_READABLE at once.
 */
export function linesOf(path: string): Iterable<string> {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? String(error)
    throw new TwospeedError('FILE_NOT_READABLE', `${path} cannot be read: ${why}.`, 'Name a file that is there.')
  }
  return linesIn(bytes)
}

function* linesIn(bytes: Buffer): Generator<string> {
  for (let from = 0; from < bytes.length; ) {
    const found = bytes.indexOf(NEWLINE, from)
    const end = found === -1 ? bytes.length : found
    yield bytes.toString('utf8', from, end)
    from = end + 1
  }
}
