import { createCells } from './cells.ts'
import { createGrowingCells } from './growing-cells.ts'
import { type Span, toMicros } from './instants.ts'
import { createPointMeters } from './point-meters.ts'
import type { RequestRecord } from './record.ts'
import type { Hardware, Objectives, Point, PointHeader } from './run.ts'
import { countedInside, createCountedStreams, streamOf, type TokenTimes, tokensInside } from './stream.ts'

/** Turns the records of one point into its figures. */
export interface PointMetrics {
  /** Takes one record of this point, in any order; keeps numbers of it, not the record. */
  add(record: RequestRecord): void
  /** The figures of all records so far; may be asked again later. */
  result(): Point
}

/**
 * Every figure of a point, from its records and its window alone. Who counts where:
 *
 *     began inside (sent in the window), ok or cancelled    TTFT, TPOT, pace, gaps, held share
 *     began inside, ok                                      end-to-end time and speed
 *     began or was due inside, not cancelled                goodput
 *     any request, whenever it began and however it ended   tokens by arrival, in flight, those that left
 *     dropped                                               its own count, goodput as a miss; never in flight
 *
 * Throws a RangeError for a window without length. Memory: about 150 bytes a request, up to some 150 MB (beyond a million requests percentiles
 * are told from bins of 0.05 %), and a few megabytes for the gaps.
 */
export function createPointMetrics(header: PointHeader, hardware: Hardware, objectives?: Objectives): PointMetrics {
  const window: Span = { startUs: toMicros(header.window.startS), endUs: toMicros(header.window.endS) }
  needLength(window)
  const meters = createPointMeters(window, hardware, objectives, header.simulation !== undefined)
  const cells = createCells(window)
  return {
    add: (record) => {
      const stream = streamOf(record)
      if (record.outcome !== 'dropped') cells.add(record, stream)
      meters.add(record, stream, tokensInside(stream, window))
    },
    result: () => meters.result(header, cells),
  }
}

/**
 * The same figures from answers whose tokens are told by their number, over a window whose end need not be known yet. What an answer costs
 * does not grow with its length, unless a pace is to be held: then its gaps are asked for. Gaps are told apart, of all requests that begin
 * inside, in bins of 0.05 %.
 */
export interface CountedMetrics {
  /** A record without gaps, of a request that has ended; in order of ends until the window is closed. Returns its tokens inside. */
  add(record: RequestRecord, times: TokenTimes | undefined): number
  /** A record with its gaps, where they are not told apart. */
  addWhole(record: RequestRecord): number
  addGap(gapUs: number, count: number): void
  /** So many tokens of any answers, none of them its first, came in a stretch that is over: only how sure figures are hangs on it. */
  addDecoded(fromUs: number, toUs: number, tokens: number): void
  /** The window ends at this instant, which lies after all that was added. */
  close(endS: number): void
  /** `header` with the window as it was found. */
  result(header: PointHeader): Point
}

export function createCountedMetrics(startS: number, hardware: Hardware, objectives?: Objectives): CountedMetrics {
  const window = { startUs: toMicros(startS), endUs: Number.POSITIVE_INFINITY }
  const meters = createPointMeters(window, hardware, objectives, true)
  const cells = createGrowingCells(window.startUs)
  const countedStreamOf = createCountedStreams()
  return {
    add: (record, times) => {
      const stream = countedStreamOf(record)
      const inside = countedInside(stream, window, times)
      cells.add(record, stream)
      meters.add(record, stream, inside, times)
      return inside.all
    },
    addWhole: (record) => {
      const stream = streamOf(record)
      cells.add(record, stream)
      const inside = tokensInside(stream, window)
      meters.add(record, stream, inside)
      return inside.all
    },
    addGap: meters.gaps.addCounted,
    addDecoded: (fromUs, toUs, tokens) => {
      if (fromUs < window.endUs) cells.addDecoded(fromUs, toUs, tokens)
    },
    close: (endS) => {
      window.endUs = toMicros(endS)
      needLength(window)
    },
    result: (header) => meters.result(header, cells.within(window)),
  }
}

function needLength({ startUs, endUs }: Span): void {
  if (!(endUs > startUs)) throw new RangeError(`A window must have length, not ${(endUs - startUs) / 1e6} s`)
}
