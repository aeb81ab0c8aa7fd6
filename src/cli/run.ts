import type { Run } from '../core/index.ts'

/** A run as its folder alone tells it: every figure recomputed from the records. */
export async function loadRun(dir: string): Promise<Run> {
  const { readRecords, readRunHeader } = await import('../store/index.ts')
  const { summarizeRun } = await import('../model/index.ts')
  return summarizeRun(await readRunHeader(dir), readRecords(dir))
}
