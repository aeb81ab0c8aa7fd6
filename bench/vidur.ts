/** Another simulator of serving fleets on the same requests: Vidur (https://github.com/microsoft/vidur), an event and Python code for every step. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TraceRow } from '../src/core/index.ts'
import { CLIENT_CORE, runPinned } from './processes.ts'

export interface Vidur {
  /** A checkout. */
  readonly folder: string
  /** A Python that has numpy, pandas, scikit-learn, yaml, tqdm, matplotlib and fasteners. */
  readonly python: string
}

/** CPU seconds of its simulation alone: what it reads and trains before does not count. */
export async function timeVidur({ folder, python }: Vidur, rows: readonly TraceRow[]): Promise<number> {
  const scratch = mkdtempSync(join(tmpdir(), 'twospeed-bench-'))
  const trace = join(scratch, 'asked.csv')
  const lines = rows.map(({ atS, inputTokens = 1, outputTokens = 1 }) => `${atS},${inputTokens},${outputTokens}`)
  writeFileSync(trace, `at,prompt,answer\n${lines.join('\n')}\n`)
  const script = fileURLToPath(new URL('peers/vidur/run.py', import.meta.url))
  const { output } = await runPinned(CLIENT_CORE, [python, script, folder, trace, String(rows.length), scratch])
  const last = output.trim().split('\n').at(-1) ?? ''
  return (JSON.parse(last) as { readonly seconds: number }).seconds
}
