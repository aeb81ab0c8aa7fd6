/** `twospeed measure` against `twospeed serve --truth`, each a process on a core of its own as a user runs them. */
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Agreement, agreementOf } from './agreement.ts'
import { CLIENT_CORE, runPinned, SERVER_CORE, startPinned, twospeed } from './processes.ts'
import { readPoint } from './runs.ts'
import { parseTruth } from './truth.ts'

/** So many in flight at any time, or requests that come at a rate, per second. */
type KnownLoad = { readonly streams: number } | { readonly rate: number }

export type KnownPlan = KnownLoad & {
  /** Of the simulated engine. */
  readonly law: string
  readonly windowS: number
}

/** How far what was measured and what the server logged agree, and the CPU time of both. */
export async function measureKnown(plan: KnownPlan): Promise<{ readonly agreement: Agreement; readonly cpuS: number }> {
  const { law, windowS } = plan
  const folder = mkdtempSync(join(tmpdir(), 'twospeed-bench-'))
  const truthFile = join(folder, 'truth.jsonl')
  const out = join(folder, 'run')
  const server = startPinned(SERVER_CORE, twospeed('serve', '--law', law, '--port', 0, '--truth', truthFile))
  const url = (await server.firstLine()).replace('listening ', '')
  const load = 'streams' in plan ? ['--concurrency', plan.streams] : ['--rate', `${plan.rate}/s`]
  const lengths = ['--duration', `${windowS}s`, '--input-tokens', 64, '--output-tokens', 100]
  const client = await runPinned(CLIENT_CORE, twospeed('measure', url, ...load, ...lengths, '--json', '--out', out))
  const { cpuS } = await server.stop()
  const { point, records, originNs } = await readPoint(out, client.output)
  const truth = parseTruth(readFileSync(truthFile, 'utf8'))
  return { agreement: agreementOf(point, records, truth, originNs), cpuS: cpuS + client.cpuS }
}
