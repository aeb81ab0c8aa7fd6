import type { PointHeader, RequestRecord, RunHeader, Window } from '../core/index.ts'

/** The window was being measured when the run was killed, or when its records could not be written any more. */
const lacksRecords = ({ endS, reasons }: Window): boolean =>
  endS === Number.POSITIVE_INFINITY || reasons.includes('recordsNotWritten')

/**
 * Ends the window of the point in which a run was killed, or its disk was full, where its records end. Requests in flight then have no
 * record, so the end of what is on disk tells too little of the load; the window ends before the first of them can have been sent.
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
  const index = header.points.findIndex(({ window }) => lacksRecords(window))
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
  const coveredS = lastEndS - longestS > startS ? lastEndS - longestS : lastEndS
  const endS = Math.min(open.window.endS, coveredS)
  const closed: PointHeader[] = endS > startS ? [{ ...open, window: { startS, endS, steady: false, reasons } }] : []
  return { ...header, points: header.points.toSpliced(index, 1, ...closed) }
}
