import type { Trace, TraceRow } from '../core/index.ts'
import { createLineFaults, numberedLines } from './line-faults.ts'
import { type FormatReader, formatOf } from './trace-formats.ts'

const HINT =
  'It takes an Azure trace (TIMESTAMP,ContextTokens,GeneratedTokens), a CSV of arrival_s,input_toks,output_toks, a Mooncake trace (timestamp, input_length, output_length, ' +
  'hash_ids and, where blocks have not 512 tokens, block_size) or lines such as {"atS":0.25,"inputTokens":512,"outputTokens":128}, in order of time.'

/** A silence so long, and so many times the mean gap, is told before it is waited for. */
const LONG_SILENCE_S = 60
const SILENT_GAPS = 20
/** Ten years: no trace is so long. */
const LONGEST_S = 10 * 365 * 86_400

/**
 * The requests of a trace and when they come, `speedup` times as fast as they once did. The first line says which format it is.
 *
 * Throws INVALID_WORK with every problem: lengths that are none, times that are none, negative or out of order, or in another unit than
 * the format's. A unit can be told only by its consequences; the rules stand beside each format.
 */
export function parseTrace(lines: Iterable<string>, speedup = 1): Trace {
  const faults = createLineFaults('The trace file', HINT)
  const rows: TraceRow[] = []
  let reader: FormatReader | undefined
  let firstS = 0
  let lastS = Number.NEGATIVE_INFINITY
  let areWhole = true
  let silence = { lengthS: 0, afterLine: 0 }
  let lineBefore = 0
  for (const { number, text } of numberedLines(lines)) {
    if (reader === undefined) {
      reader = formatOf(text, number, faults)
      if (reader === undefined) break
      if (reader.startsBelow) continue
    }
    const row = reader.read(text, number, faults)
    if (row === undefined) continue
    const timeS = row.atS
    if (rows.length === 0) firstS = timeS
    if (timeS < lastS) {
      faults.add(
        `line ${number}, ${reader.timeField}`,
        `it is earlier than line ${lineBefore}: the lines must be in order`,
      )
      continue
    }
    if (timeS - firstS > LONGEST_S) {
      faults.add(`line ${number}, ${reader.timeField}`, 'it is more than ten years after the first')
      continue
    }
    const lengthS = (timeS - lastS) / speedup
    if (rows.length > 0 && lengthS > silence.lengthS) silence = { lengthS, afterLine: lineBefore }
    areWhole &&= Number.isInteger(timeS)
    lastS = timeS
    lineBefore = number
    // Of what was written to the microsecond, subtraction leaves a digit or two of its own.
    row.atS = Math.round((timeS - firstS) * 1e6) / 1e6 / speedup
    rows.push(row)
  }
  const blockTokens = reader?.blockTokens?.(faults)
  if (!faults.any() && rows.length === 0) faults.add('the file', 'it has no request')
  if (!faults.any() && reader !== undefined) {
    const problem = reader.unitProblem({ rows: rows.length, spanS: lastS - firstS, areWhole, speedup })
    if (problem !== undefined) faults.add(`the file, ${reader.timeField}`, problem)
  }
  faults.settle()
  const meanGapS = (rows.at(-1)?.atS ?? 0) / Math.max(1, rows.length - 1)
  const isLong = silence.lengthS > LONG_SILENCE_S && silence.lengthS > SILENT_GAPS * meanGapS
  return {
    rows,
    ...(blockTokens !== undefined && { blockTokens }),
    notes: isLong
      ? [`the trace is silent for ${Math.round(silence.lengthS)} s after its line ${silence.afterLine}`]
      : [],
  }
}
