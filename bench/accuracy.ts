/**
 * Is what `measure` says true? `twospeed serve --engine simulated` keeps a log of when it received each request and wrote each token;
 * `twospeed measure` knows nothing of it. Both as a user runs them, joined afterwards. Writes bench/accuracy.json and the page.
 *
 *   npm run bench:accuracy
 */
import type { Agreement } from './agreement.ts'
import { undisturbed, watchCircumstances } from './circumstances.ts'
import { type KnownPlan, measureKnown } from './known.ts'
import { median, tellMarks } from './marks.ts'
import { writePage } from './page/page.ts'
import { type AccuracyResult, type Mark, taken, writeResult } from './results.ts'

const STREAMS = 64
/** 10 ms + 64 × 0.15625 ms = 20 ms a step: 50 tok/s a stream. */
const LAW = 'a=10ms,b=0.15625ms'
const WINDOW_S = 10
const REPEATS = 2

/** What else is asked: few and many streams, of a pace that one core of Node can write, and requests that come at a rate. */
const LOADS: readonly KnownPlan[] = [
  { streams: 1, law: 'a=19ms,b=1ms', windowS: WINDOW_S },
  { streams: 256, law: 'a=10ms,b=0.0390625ms', windowS: WINDOW_S },
  { streams: 1024, law: 'a=20ms,b=0.029296875ms', windowS: WINDOW_S },
  { streams: 4096, law: 'a=100ms,b=0.0244140625ms', windowS: 2 * WINDOW_S, outputTokens: 50 },
  { rate: 2, law: 'a=19ms,b=1ms', windowS: WINDOW_S },
  { rate: 30, law: LAW, windowS: WINDOW_S },
  { rate: 120, law: 'a=10ms,b=0.0390625ms', windowS: WINDOW_S },
  { rate: 200, law: 'a=20ms,b=0.029296875ms', windowS: WINDOW_S },
  { rate: 380, law: 'a=100ms,b=0.0244140625ms', windowS: 2 * WINDOW_S, outputTokens: 50 },
]

type Sample = AccuracyResult['samples'][number]
type LoadSample = AccuracyResult['loads'][number]

async function sample(): Promise<Sample> {
  const circumstances = watchCircumstances()
  const { agreement, cpuS } = await measureKnown({ streams: STREAMS, law: LAW, windowS: WINDOW_S })
  return { ...agreement, circumstances: circumstances(cpuS) }
}

async function sampleLoad(plan: KnownPlan): Promise<LoadSample> {
  const circumstances = watchCircumstances()
  const { agreement, saturated, cpuS } = await measureKnown(plan)
  const load = 'streams' in plan ? `${plan.streams} streams` : `${plan.rate} requests/s`
  const { ttftMs, tokenMs } = agreement
  process.stderr.write(
    `${load}: TTFT ${ttftMs.p50.toFixed(2)}/${ttftMs.p99.toFixed(2)} ms, token ${tokenMs.p50.toFixed(2)}/${tokenMs.p99.toFixed(2)} ms${saturated.length > 0 ? ', saturated' : ''}\n`,
  )
  return { load, law: plan.law, ...agreement, saturated, circumstances: circumstances(cpuS) }
}

function judge(samples: readonly Agreement[]): readonly Mark[] {
  const within = (name: string, values: readonly number[], limit: number, unit: 'ms' | '%'): Mark => {
    const value = median(values.map(Math.abs))
    const shown = unit === '%' ? `${(value * 100).toFixed(2)} %` : `${value.toFixed(2)} ms`
    return { name, value: shown, limit: `≤ ${unit === '%' ? limit * 100 : limit} ${unit}`, pass: value <= limit }
  }
  const errors = (['ttftMs', 'tpotMs', 'tokenMs'] as const).flatMap((figure) => [
    within(
      `${NAMES[figure]}: median error`,
      samples.map((s) => s[figure].p50),
      0.3,
      'ms',
    ),
    within(
      `${NAMES[figure]}: p99 error`,
      samples.map((s) => s[figure].p99),
      2,
      'ms',
    ),
  ])
  const totals = (['throughput', 'inFlight', 'lambdaW'] as const).map((figure) =>
    within(
      `${NAMES[figure]}: difference`,
      samples.map((s) => s[figure]),
      0.01,
      '%',
    ),
  )
  const unmatched = samples.reduce((sum, s) => sum + s.unmatched, 0)
  const known = {
    name: "Requests that are not the server's",
    value: String(unmatched),
    limit: '0',
    pass: unmatched === 0,
  }
  return [...errors, ...totals, known]
}

const NAMES = {
  ttftMs: 'TTFT of a request',
  tpotMs: 'TPOT of a request',
  tokenMs: 'Arrival of a token',
  throughput: 'Output tok/s',
  inFlight: 'In flight L',
  lambdaW: 'λ·W',
} as const

const startMs = performance.now()
const samples: Sample[] = []
for (let i = 0; i < REPEATS; i++) samples.push(await undisturbed(sample))
const loads: LoadSample[] = []
for (const plan of LOADS) loads.push(await undisturbed(() => sampleLoad(plan)))
const marks = judge(samples)
writeResult('accuracy', {
  ...taken(startMs, marks),
  plan: { streams: STREAMS, law: LAW, windowS: WINDOW_S },
  samples,
  loads,
})
writePage()
tellMarks(marks)
