import type { RequestRecord } from '../core/index.ts'
import { parseRecord, readGapList } from '../record/index.ts'

const GAPS = Buffer.from('"gapsUs":[')

/**
 * One line of the records file. The gaps are nine tenths of a line and are read off its bytes; the rest is JSON, in which a 0 stands for
 * them. Where the line has them otherwise, or more than once, all of it is read as JSON.
 *
 * Throws INVALID_RUN.
 */
export function parseLine(line: Buffer, lineNumber: number): RequestRecord {
  const open = line.indexOf(GAPS)
  const gaps = open === -1 ? undefined : readGapList(line, open + GAPS.length)
  if (gaps === undefined || line.indexOf(GAPS, gaps.end) !== -1) return parseRecord(line.toString('utf8'), lineNumber)
  const rest = `${line.toString('utf8', 0, open + GAPS.length - 1)}0${line.toString('utf8', gaps.end)}`
  return parseRecord(rest, lineNumber, gaps.gapsUs)
}
