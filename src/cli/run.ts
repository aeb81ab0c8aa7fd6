import type { Run } from '../core/index.ts'

/** A run as its folder alone tells it: every figure recomputed from the records. `gpus` goes before what the run says. */
export async function loadRun(dir: string, gpus?: number): Promise<Run> {
  const { readRecords, readRunHeader } = await import('../store/index.ts')
  const { summarizeRun } = await import('../model/index.ts')
  const header = await readRunHeader(dir)
  const hardware = gpus === undefined ? header.hardware : { ...header.hardware, gpus }
  return summarizeRun({ ...header, hardware }, readRecords(dir))
}
