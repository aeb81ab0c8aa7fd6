import type { RequestRecord, RunHeader } from '../../src/core/index.ts'
import { simulatedRun } from './simulated-run.ts'

/**
 * Loads 4, 8, 16 and 32 of a server without noise. Of the requests of the last, 9 in 100 have a slow stream and another 9 in 100 a late
 * first token: each by itself is had by 91 %, both by 82 %.
 */
export function crossedRun(): { readonly header: RunHeader; readonly records: readonly RequestRecord[] } {
  const { header, records } = simulatedRun(
    { stepS: (batch, prefill) => 0.005 + 0.00025 * batch + 2e-6 * prefill },
    { loads: [4, 8, 16, 32] },
  )
  let at = 0
  const crossed = records.map((record): RequestRecord => {
    if (record.point !== 3) return record
    const turn = at++ % 100
    if (turn % 11 === 0 && turn < 99) return slowed(record)
    return turn % 11 === 5 && turn < 99 ? { ...record, sentS: record.sentS - 0.1 } : record
  })
  return { header, records: crossed }
}

function slowed(record: RequestRecord): RequestRecord {
  const gapsUs = (record.gapsUs ?? []).map((gap) => 2 * gap)
  const lastTokenS = (record.firstTokenS ?? 0) + gapsUs.reduce((sum, gap) => sum + gap, 0) / 1e6
  return { ...record, gapsUs, lastTokenS, endS: lastTokenS }
}
