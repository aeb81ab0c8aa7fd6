import type { PointHeader, RequestRecord, RunHeader } from '../core/index.ts'

/**
 * Closes the window of a point that was being measured when the run was killed. Requests in flight then have no record, so the end of
 * what is on disk tells too little of the load; the window ends before the first of them can have been sent.
 *
 *     ├──────┤                   longest stay of all
 *        ├────┤  ├────┤
 *             ├──────┤↑          last end: nothing later is known
 *               ├─ ─ ─ ─ ─ ⚡     in flight, lost: sent after (last end − longest stay), or it would have ended
 *     [=======)                  the window
 *
 * Where that leaves nothing, it ends with the last record. Without any record of the point there is no point.
 */
export async function closeOpenWindow(
  header: RunHeader,
  records: () => AsyncIterable<RequestRecord>,
): Promise<RunHeader> {
  const index = header.points.findIndex(({ window }) => window.endS === Number.POSITIVE_INFINITY)
  const open = header.points[index]
  if (open === undefined) return header
  let lastEndS = Number.NEGATIVE_INFINITY
  let longestS = 0
  for await (const { point, sentS, endS } of records()) {
    if (point !== index) continue
    lastEndS = Math.max(lastEndS, endS)
    longestS = Math.max(longestS, endS - sentS)
  }
  const { startS, reasons } = open.window
  const endS = lastEndS - longestS > startS ? lastEndS - longestS : lastEndS
  const closed: PointHeader[] = endS > startS ? [{ ...open, window: { startS, endS, steady: false, reasons } }] : []
  return { ...header, points: header.points.toSpliced(index, 1, ...closed) }
}
