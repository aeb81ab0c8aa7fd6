import type { Trace } from '../../core/index.ts'

/** A trace that is quick to play, and the replicas that it is played on. */
export interface Slice {
  readonly trace: Trace
  readonly replicas: number
}

/** Requests that are played at most: from the first on. */
const MOST_ROWS = 4000
/** A fleet is sliced to no fewer. */
const LEAST_REPLICAS = 16
/** A beginning that more than this share of all requests have is in every cache, and ties nobody to anybody. */
const COMMON = 0.01

/**
 * Of a long trace on many replicas so many that the trace is played as long as may be, with their share of what comes. Requests that begin
 * alike stay together, told apart by the first block of theirs that is not everybody's: else a slice would hold less that comes again.
 */
export function sliceOf(trace: Trace, replicas: number): Slice {
  const { rows } = trace
  if (rows.length <= MOST_ROWS) return { trace, replicas }
  const kept = Math.min(replicas, Math.max(LEAST_REPLICAS, Math.ceil((replicas * MOST_ROWS) / rows.length)))
  const isIn = kept === replicas ? () => true : belongsTo(trace, kept / replicas)
  return { trace: { ...trace, rows: rows.filter(isIn).slice(0, MOST_ROWS) }, replicas: kept }
}

function belongsTo({ rows }: Trace, share: number): (row: Trace['rows'][number], index: number) => boolean {
  const counts = new Map<number, number>()
  for (const { blocks = [] } of rows) for (const block of blocks) counts.set(block, (counts.get(block) ?? 0) + 1)
  const most = COMMON * rows.length
  return ({ blocks = [] }, index) => {
    const own = blocks.find((block) => (counts.get(block) ?? 0) <= most)
    return scattered(own === undefined ? -1 - index : own) < share
  }
}

/** A number from 0 to 1, always the same of the same number and as if by chance of another: Knuth's multiplication by 2³²/φ, twice stirred. */
function scattered(value: number): number {
  const first = Math.imul(value ^ (value >>> 16), 0x9e3779b1)
  const second = Math.imul(first ^ (first >>> 15), 0x9e3779b1)
  return ((second ^ (second >>> 13)) >>> 0) / 2 ** 32
}
