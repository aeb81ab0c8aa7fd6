import type { RequestRecord, Run } from '../core/index.ts'

/**
 * A run as its folder alone tells it: every figure recomputed from the records. `gpus` goes before what the run says. Records of a
 * point that the run never came to close, since it was killed, have no window to be measured over; stderr says how many there are.
 */
export async function loadRun(dir: string, gpus?: number): Promise<Run> {
  const { readRecords, readRunHeader } = await import('../store/index.ts')
  const { summarizeRun } = await import('../model/index.ts')
  const header = await readRunHeader(dir)
  const hardware = gpus === undefined ? header.hardware : { ...header.hardware, gpus }
  let astray = 0
  async function* records(): AsyncIterable<RequestRecord> {
    for await (const record of readRecords(dir)) {
      if (record.point >= header.points.length) astray++
      yield record
    }
  }
  const run = await summarizeRun({ ...header, hardware }, records())
  if (astray > 0) {
    process.stderr.write(`${astray} records belong to a point that the run did not live to close; they are left out.\n`)
  }
  return run
}
