/** `twospeed measure` against `twospeed serve --truth`, two processes that the system places as it does for a user. */
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Agreement, agreementOf } from './agreement.ts'
import { run, startAnywhere, twospeed } from './processes.ts'
import { readPoint } from './runs.ts'
import { parseTruth } from './truth.ts'

/** So many in flight at any time, or requests that come at a rate, per second. */
type KnownLoad = { readonly streams: number } | { readonly rate: number }

export type KnownPlan = KnownLoad & {
  /** Of the simulated engine. */
  readonly law: string
  readonly windowS: number
  /** Of an answer; default 100. */
  readonly outputTokens?: number
}

export interface Known {
  /** How far what was measured and what the server logged agree. */
  readonly agreement: Agreement
  /** What the point says of its client, where that was at its limit. */
  readonly saturated: readonly string[]
  /** Of client and server. */
  readonly cpuS: number
}

export async function measureKnown(plan: KnownPlan): Promise<Known> {
  const { law, windowS, outputTokens = 100 } = plan
  const folder = mkdtempSync(join(tmpdir(), 'twospeed-bench-'))
  const truthFile = join(folder, 'truth.jsonl')
  const out = join(folder, 'run')
  const server = startAnywhere(twospeed('serve', '--law', law, '--port', 0, '--truth', truthFile))
  const url = (await server.firstLine()).replace('listening ', '')
  const load = 'streams' in plan ? ['--concurrency', plan.streams] : ['--rate', `${plan.rate}/s`]
  const lengths = ['--duration', `${windowS}s`, '--input-tokens', 64, '--output-tokens', outputTokens]
  const client = await run(twospeed('measure', url, ...load, ...lengths, '--json', '--out', out))
  const { cpuS } = await server.stop()
  const { point, records, originNs } = await readPoint(out, client.output)
  const truth = parseTruth(readFileSync(truthFile, 'utf8'))
  return {
    agreement: agreementOf(point, records, truth, originNs),
    saturated: point.generator.saturated === true ? (point.generator.why ?? []) : [],
    cpuS: cpuS + client.cpuS,
  }
}
