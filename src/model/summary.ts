import { type RequestRecord, type Run, type RunHeader, TwospeedError } from '../core/index.ts'

/**
 * Everything a run says, computed in one pass from what was asked and the records: each point's metrics, the fitted law, the frontier.
 * The header's points give load and window; all other figures are recomputed.
 */
export async function summarizeRun(
  header: RunHeader,
  records: AsyncIterable<RequestRecord> | Iterable<RequestRecord>,
): Promise<Run> {
  for await (const record of records) void record
  throw new TwospeedError('BUG', `summarizeRun of ${header.points.length} points waits for the metrics`, '')
}
