import { type Span, toMicros } from './instants.ts'
import type { RequestRecord } from './record.ts'
import type { Stream } from './stream.ts'

/** A window in cells of equal length: many divisors, so that they join into 30, 20, 15, 12 or 10 batches. */
export const CELLS = 60
/** Tokens are counted in millionths: whole numbers add up the same in any order, also where tokens are spread over events. */
const PER_TOKEN = 1e6

/** What went on in each cell of a window, in order of time. */
export interface CellCounts {
  /** Answers that had a token inside the window. */
  answers(): number
  /** The cell of an instant inside the window. */
  cellOf(instantUs: number): number
  /** Microseconds. */
  readonly length: Float64Array
  /** Millionths of tokens (or tokens: only their shares are asked for) that arrived, of any request. */
  readonly tokens: Float64Array
  /** Of those, without the first event of each answer: what decode made. */
  readonly decoded: Float64Array
  /** Request-microseconds between sent and end. */
  readonly present: Float64Array
  /** Stream-microseconds between first and last token. */
  readonly decoding: Float64Array
}

/** Memory does not grow with the records. */
export interface Cells extends CellCounts {
  /** A request that was sent. */
  add(record: RequestRecord, stream: Stream | undefined): void
}

export function createCells({ startUs, endUs }: Span): Cells {
  const lengthUs = endUs - startUs
  // Whole microseconds, so that every sum of times is exact.
  const edges = Float64Array.from({ length: CELLS + 1 }, (_, at) => startUs + Math.round((at * lengthUs) / CELLS))
  const edge = (at: number): number => edges[at] ?? endUs
  const zeros = (): Float64Array => new Float64Array(CELLS)
  const [tokens, decoded, present, decoding] = [zeros(), zeros(), zeros(), zeros()]
  let answers = 0

  const cellOf = (instantUs: number): number => {
    let cell = Math.min(CELLS - 1, Math.floor(((instantUs - startUs) * CELLS) / lengthUs))
    while (cell > 0 && instantUs < edge(cell)) cell -= 1
    while (cell < CELLS - 1 && instantUs >= edge(cell + 1)) cell += 1
    return cell
  }

  const addTime = (cells: Float64Array, fromUs: number, toUs: number): void => {
    const untilUs = Math.min(toUs, endUs)
    let atUs = Math.max(fromUs, startUs)
    if (atUs >= untilUs) return
    for (let cell = cellOf(atUs); atUs < untilUs; cell++) {
      const leavesUs = Math.min(untilUs, edge(cell + 1))
      cells[cell] = (cells[cell] ?? 0) + leavesUs - atUs
      atUs = leavesUs
    }
  }

  const addTo = (cell: number, first: number, later: number): void => {
    if (cell < 0) return
    const made = Math.round(later * PER_TOKEN)
    decoded[cell] = (decoded[cell] ?? 0) + made
    tokens[cell] = (tokens[cell] ?? 0) + made + Math.round(first * PER_TOKEN)
  }

  const addTokens = ({ firstUs, lastUs, events, weight, told, scale, record }: Stream): void => {
    if (lastUs < startUs || firstUs >= endUs) return
    answers += 1
    // Before the window's start stands cell −1, which keeps nothing.
    let cell = firstUs < startUs ? -1 : cellOf(firstUs)
    let leavesUs = edge(cell + 1)
    let first = cell < 0 ? 0 : weight(0)
    if (cell >= 0 && lastUs < leavesUs) {
      addTo(cell, first * scale, (told - first) * scale)
      return
    }
    let later = 0
    let atUs = firstUs
    for (let event = 1; event < events; event++) {
      atUs += record.gapsUs[event - 1] ?? 0
      if (atUs >= leavesUs) {
        addTo(cell, first * scale, later * scale)
        if (atUs >= endUs) return
        first = 0
        later = 0
        cell = cellOf(atUs)
        leavesUs = edge(cell + 1)
      }
      later += weight(event)
    }
    addTo(cell, first * scale, later * scale)
  }

  return {
    add: (record, stream) => {
      addTime(present, toMicros(record.sentS), toMicros(record.endS))
      if (stream === undefined) return
      addTime(decoding, stream.firstUs, stream.lastUs)
      addTokens(stream)
    },
    answers: () => answers,
    cellOf,
    length: Float64Array.from({ length: CELLS }, (_, at) => edge(at + 1) - edge(at)),
    tokens,
    decoded,
    present,
    decoding,
  }
}
