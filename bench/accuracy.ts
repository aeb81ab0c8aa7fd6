/**
 * Is what `measure` says true? `twospeed serve --engine simulated` keeps a log of when it received each request and wrote each token;
 * `twospeed measure` knows nothing of it. Both as a user runs them, joined afterwards. Writes bench/accuracy.json and the page.
 *
 *   npm run bench:accuracy
 */
import type { Agreement } from './agreement.ts'
import { undisturbed, watchCircumstances } from './circumstances.ts'
import { measureKnown } from './known.ts'
import { describeMachine } from './machine.ts'
import { median, tellMarks } from './marks.ts'
import { writePage } from './page/page.ts'
import { type AccuracyResult, type Mark, writeResult } from './results.ts'

const STREAMS = 64
/** 10 ms + 64 × 0.15625 ms = 20 ms a step: 50 tok/s a stream. */
const LAW = 'a=10ms,b=0.15625ms'
const WINDOW_S = 10
const REPEATS = 2

type Sample = AccuracyResult['samples'][number]

async function sample(): Promise<Sample> {
  const circumstances = watchCircumstances()
  const { agreement, cpuS } = await measureKnown({ streams: STREAMS, law: LAW, windowS: WINDOW_S })
  return { ...agreement, circumstances: circumstances(cpuS) }
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
const marks = judge(samples)
writeResult('accuracy', {
  takenAt: new Date().toISOString(),
  seconds: Math.round((performance.now() - startMs) / 1000),
  machine: describeMachine(),
  marks,
  plan: { streams: STREAMS, law: LAW, windowS: WINDOW_S },
  samples,
})
writePage()
tellMarks(marks)
