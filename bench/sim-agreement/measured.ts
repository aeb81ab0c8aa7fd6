import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Point, RequestRecord } from '../../src/core/index.ts'
import { CLIENT_CORE, runPinned, SERVER_CORE, startPinned, twospeed } from '../processes.ts'
import { readPoint } from '../runs.ts'
import { type AgreementLoad, type AgreementPlan, SEED } from './plan.ts'

export interface Measured {
  readonly point: Point
  /** In order of sending. */
  readonly records: readonly RequestRecord[]
  /** Of client and server. */
  readonly cpuS: number
}

/** `twospeed measure` on `twospeed serve --engine simulated`, each a process on a core of its own. */
export async function measured(plan: AgreementPlan): Promise<Measured> {
  const { law, load, inputTokens, outputTokens, windowS } = plan
  const folder = mkdtempSync(join(tmpdir(), 'twospeed-agreement-'))
  const out = join(folder, 'run')
  const server = startPinned(SERVER_CORE, twospeed('serve', '--law', law, ...limitsOf(plan), '--port', 0))
  try {
    const url = (await server.firstLine()).replace('listening ', '')
    const lengths = ['--input-tokens', inputTokens, '--output-tokens', outputTokens]
    const asked = [...loadOf(load), ...lengths, '--duration', `${windowS}s`, '--seed', SEED, '--out', out]
    const client = await runPinned(CLIENT_CORE, twospeed('measure', url, ...asked, '--json'))
    const { point, records } = await readPoint(out, client.output)
    const { cpuS } = await server.stop()
    return { point, records: records.toSorted((a, b) => a.sentS - b.sentS), cpuS: cpuS + client.cpuS }
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true })
  }
}

function loadOf(load: AgreementLoad): readonly (string | number)[] {
  if (load.kind === 'rate') return ['--rate', `${load.perSecond}/s`]
  const think = load.thinkS === undefined ? [] : ['--think', `exponential:${load.thinkS}s`]
  return ['--concurrency', load.users, ...think]
}

function limitsOf({ maxNumSeqs, maxBatchedTokens, kvTokens }: AgreementPlan): readonly (string | number)[] {
  return [
    ...(maxNumSeqs === undefined ? [] : ['--max-num-seqs', maxNumSeqs]),
    ...(maxBatchedTokens === undefined ? [] : ['--max-batched-tokens', maxBatchedTokens]),
    ...(kvTokens === undefined ? [] : ['--kv-tokens', kvTokens]),
  ]
}
