import type { Objectives, RequestRecord, Run } from '../core/index.ts'

/**
 * A run as its folder alone tells it: every figure recomputed from the records. `gpus` and `objectives` go before what the run says. stderr says what was
 * lost: bytes at the end of the records that cannot be read, and records of a point that has no window, since the run was killed before
 * one opened.
 */
export async function loadRun(dir: string, gpus?: number, objectives?: Objectives): Promise<Run> {
  const { readRecords, readRunHeader } = await import('../store/index.ts')
  const { summarizeRun } = await import('../model/index.ts')
  const header = await readRunHeader(dir)
  const hardware = gpus === undefined ? header.hardware : { ...header.hardware, gpus }
  let astray = 0
  let unreadableBytes = 0
  async function* records(): AsyncIterable<RequestRecord> {
    for await (const record of readRecords(dir, ({ bytes }) => (unreadableBytes = bytes))) {
      if (record.point >= header.points.length) astray++
      yield record
    }
  }
  const run = await summarizeRun({ ...header, hardware, ...(objectives && { objectives }) }, records())
  if (astray > 0) {
    process.stderr.write(`${astray} records belong to a point whose window never opened; they are left out.\n`)
  }
  if (unreadableBytes === 0) return run
  process.stderr.write(
    `The last ${unreadableBytes} bytes of ${dir}/requests.jsonl.gz are no whole part of it: cut by a crash or a full disk, or added since. What is whole was read.\n`,
  )
  return { ...run, unreadableBytes }
}
