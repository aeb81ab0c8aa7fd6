/**
 * How long does a report of a large run take, and how much memory and disk? Writes such a folder, runs `twospeed report DIR --json` on it
 * as a process of its own, and writes bench/report.json and the page.
 *
 *   npm run bench:report [-- --requests 1000000 --repeats 3]
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Run } from '../src/core/index.ts'
import { undisturbed, watchCircumstances } from './circumstances.ts'
import { writeLargeRun } from './large-run.ts'
import { median, tellMarks } from './marks.ts'
import { writePage } from './page/page.ts'
import { run, twospeed } from './processes.ts'
import { type Mark, type ReportResult, taken, writeResult } from './results.ts'

const MOST_S = 30
const MOST_MB = 1000
const MOST_BYTES = 400

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '1000000' }, repeats: { type: 'string', default: '3' } },
})
const plan = { requests: Number(values.requests), tokens: 100, loads: [1, 4, 16, 64, 256, 512, 1024, 2048] }

async function sample(dir: string): Promise<ReportResult['samples'][number]> {
  const circumstances = watchCircumstances()
  const startMs = performance.now()
  const { output, cpuS, peakRssMB } = await run(twospeed('report', dir, '--json'))
  const seconds = (performance.now() - startMs) / 1000
  const { points } = JSON.parse(output) as Run
  const ok = points.reduce((sum, { requests }) => sum + requests.ok, 0)
  if (points.length !== plan.loads.length || ok < plan.requests / 2) throw new Error(`${ok} requests were reported`)
  return { seconds, cpuS, peakRssMB, circumstances: circumstances(cpuS) }
}

function judge({ bytesPerRequest, samples }: Pick<ReportResult, 'bytesPerRequest' | 'samples'>): readonly Mark[] {
  const within = (name: string, value: number, limit: number, unit: string): Mark => ({
    name,
    value: `${value.toFixed(unit === 's' ? 1 : 0)} ${unit}`,
    limit: `≤ ${limit} ${unit}`,
    pass: value <= limit,
  })
  const requests = `${plan.requests.toLocaleString('en')} requests of ${plan.tokens} tokens`
  return [
    within(`Report of ${requests}: time`, median(samples.map(({ seconds }) => seconds)), MOST_S, 's'),
    within(`Report of ${requests}: memory`, Math.max(...samples.map(({ peakRssMB }) => peakRssMB)), MOST_MB, 'MB'),
    within('A finished request on disk', bytesPerRequest, MOST_BYTES, 'bytes'),
  ]
}

const startMs = performance.now()
const dir = mkdtempSync(join(tmpdir(), 'twospeed-bench-'))
try {
  await writeLargeRun(dir, plan)
  const { size } = statSync(join(dir, 'requests.jsonl.gz'))
  const samples: ReportResult['samples'][number][] = []
  for (let i = 0; i < Number(values.repeats); i++) samples.push(await undisturbed(() => sample(dir)))
  const figures = { bytesPerRequest: size / plan.requests, folderMB: size / 1e6, samples }
  const marks = judge(figures)
  writeResult('report', {
    ...taken(startMs, marks),
    plan,
    ...figures,
  })
  writePage()
  tellMarks(marks)
} finally {
  rmSync(dir, { recursive: true })
}
