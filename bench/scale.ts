/**
 * How much can `twospeed measure` take, and for how long? 4 096 streams on all cores, the mock's included, with a profile where the
 * client says that it is at its limit; and ten minutes at 1 024 streams, with the memory that it holds. Writes bench/scale.json and the page.
 *
 *   npm run bench:scale [-- --soak 600]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Run } from '../src/core/index.ts'
import { undisturbed } from './circumstances.ts'
import { median, tellMarks } from './marks.ts'
import { startMock } from './mock.ts'
import { writePage } from './page/page.ts'
import { run } from './processes.ts'
import { topOfProfiles } from './profile.ts'
import { type Mark, type ScaleResult, taken, writeResult } from './results.ts'
import { GAP_MS, measureMock, sampleMeasure, TTFT_MS } from './sample.ts'

const STREAMS = 4096
const GAPS_MS = [50, 20]
const WINDOW_S = 10
const MOST_ITL_MS = 10

const SOAK_STREAMS = 1024
/** The memory of the last minute against that of the second: the first fills what is kept for the whole run. */
const MOST_GROWTH = 1.1
const { values } = parseArgs({ options: { soak: { type: 'string', default: '600' } } })
const soakS = Number(values.soak)

const scratch = mkdtempSync(join(tmpdir(), 'twospeed-bench-'))
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }))

async function full(gapMs: number): Promise<ScaleResult['full'][number]> {
  const sample = await undisturbed(() => sampleMeasure(STREAMS, WINDOW_S, { anywhere: true, gapMs }))
  process.stderr.write(
    `${STREAMS} streams of ${1000 / gapMs} tok/s: ITL p99 error ${sample.itlErrorP99Ms.toFixed(1)} ms, ${sample.saturated ? `saturated: ${sample.why.join(', ')}` : 'not saturated'}\n`,
  )
  return { gapMs, sample, ...(sample.saturated && { profile: await profiled(gapMs) }) }
}

/** The same once more under V8's profiler, whose cost is in no other figure. */
async function profiled(gapMs: number): Promise<ReturnType<typeof topOfProfiles>> {
  const folder = join(scratch, `profile-${gapMs}`)
  const mock = await startMock({ ttftMs: TTFT_MS, gapMs, anywhere: true, keepTruth: false })
  const [program = '', ...args] = measureMock(mock.url, join(scratch, `profiled-${gapMs}`), STREAMS, WINDOW_S / 2)
  await run([program, '--cpu-prof', `--cpu-prof-dir=${folder}`, ...args])
  await mock.stop()
  return topOfProfiles(folder)
}

async function soak(): Promise<ScaleResult['soak']> {
  const mock = await startMock({ ttftMs: TTFT_MS, gapMs: GAP_MS, keepTruth: false, anywhere: true })
  const ended = await run(measureMock(mock.url, join(scratch, 'soak'), SOAK_STREAMS, soakS))
  const { report } = await mock.stop()
  const { points } = JSON.parse(ended.output) as Run
  const [point] = points
  if (point === undefined) throw new Error('the soak measured nothing')
  const perMinute: number[] = []
  const samplesPerMinute = 240
  for (let i = 0; i < ended.rssMB.length; i += samplesPerMinute) {
    perMinute.push(median(ended.rssMB.slice(i, i + samplesPerMinute)))
  }
  const { requests, outputTokensPerSecond, window, generator } = point
  return {
    streams: SOAK_STREAMS,
    seconds: soakS,
    requests: requests.ok,
    failed: requests.failed,
    outputTokensPerSecond,
    steady: window.steady,
    reasons: window.reasons,
    saturated: generator.saturated === true,
    rssMBPerMinute: perMinute,
    peakRssMB: ended.peakRssMB,
    cores: ended.cpuS / report.seconds,
    mockLateP99Ms: report.lateMs.p99,
  }
}

function judge({ full, soak }: Pick<ScaleResult, 'full' | 'soak'>): readonly Mark[] {
  const atFull = full.map(({ gapMs, sample, profile }): Mark => {
    const exact = sample.itlErrorP99Ms <= MOST_ITL_MS
    return {
      name: `${STREAMS} streams of ${1000 / gapMs} tok/s on all cores: ITL p99 error`,
      value: `${sample.itlErrorP99Ms.toFixed(1)} ms${sample.saturated ? `, marked saturated: ${sample.why.join(', ')}` : ''}`,
      limit: `≤ ${MOST_ITL_MS} ms, or marked with the reason and a profile`,
      pass: exact || (sample.saturated && sample.why.length > 0 && (profile?.length ?? 0) > 0),
    }
  })
  const [, second = Number.NaN] = soak.rssMBPerMinute
  // The last, whole minute: what follows is the end of the run.
  const last = soak.rssMBPerMinute.at(-2) ?? Number.NaN
  return [
    ...atFull,
    {
      name: `${soak.seconds} s at ${soak.streams} streams of ${1000 / GAP_MS} tok/s: memory of the last minute against the second`,
      value: `${last.toFixed(0)} MB against ${second.toFixed(0)} MB`,
      limit: `≤ ${MOST_GROWTH} times`,
      pass: last <= MOST_GROWTH * second,
    },
    {
      name: 'The same: every request answered',
      value: `${soak.failed} of ${soak.requests + soak.failed} failed`,
      limit: '0',
      pass: soak.failed === 0 && soak.requests > 0,
    },
  ]
}

const startMs = performance.now()
const loads: ScaleResult['full'][number][] = []
for (const gapMs of GAPS_MS) loads.push(await full(gapMs))
const figures = { full: loads, soak: await soak() }
const marks = judge(figures)
writeResult('scale', {
  ...taken(startMs, marks),
  ...figures,
})
writePage()
tellMarks(marks)
