import type { ErrorSummary } from '../agreement.ts'
import type { AccuracyResult } from '../results.ts'
import { marksTable, spread, table, whereAndWhen } from './markdown.ts'

const percent = (values: readonly number[]): string =>
  spread(
    values.map((value) => value * 100),
    2,
  )

export function accuracySection({ plan, samples, loads, machine, takenAt, seconds, marks }: AccuracyResult): string {
  const errors = (name: string, of: (sample: (typeof samples)[number]) => ErrorSummary): readonly string[] => [
    name,
    ...(['p50', 'p99', 'max'] as const).map((key) =>
      spread(
        samples.map((sample) => of(sample)[key]),
        3,
      ),
    ),
  ]
  return `## Against the server's own log

\`npm run bench:accuracy\` (${seconds} s). ${whereAndWhen(machine, takenAt)}

\`twospeed serve --engine simulated --law ${plan.law} --truth FILE\` and \`twospeed measure --concurrency ${plan.streams}\`, on two cores as the system places them, a window of ${plan.windowS} s, ${samples.length} times
(${samples.map(({ requests }) => requests).join(', ')} requests). The server logs when it had read a request's head and when it wrote each token; the records are joined with that log by request id. Both sides are Node
processes, so what is compared holds the server's own delay between its stamp and its write as well as the client's.

${marksTable(marks)}

${table(
  ['difference, ms', 'p50', 'p99', 'max'],
  [
    errors('TTFT, a request', (s) => s.ttftMs),
    errors('TPOT, a request', (s) => s.tpotMs),
    errors('arrival − writing, a token', (s) => s.tokenMs),
  ],
)}

Measured against true: output tok/s ${percent(samples.map((s) => s.throughput))} %, in flight ${percent(samples.map((s) => s.inFlight))} %, λ·W ${percent(samples.map((s) => s.lambdaW))} %.
What others used of the machine meanwhile: ${spread(
    samples.map((s) => s.circumstances.othersCores),
    2,
  )} cores.

Other loads, once each, closed (streams) and open (requests/s, Poisson). The pace is what one core of Node can write: 50 tok/s a stream up to 256, 20 at 1 024, 5 at 4 096.

${table(
  [
    'load',
    'law',
    'requests',
    'TTFT p50 / p99 ms',
    'TPOT p50 / p99 ms',
    'token p50 / p99 ms',
    'X %',
    'L %',
    'λ·W %',
    'client',
  ],
  loads.map(({ load, law, requests, ttftMs, tpotMs, tokenMs, throughput, inFlight, lambdaW, saturated }) => [
    load,
    law,
    String(requests),
    ...[ttftMs, tpotMs, tokenMs].map(({ p50, p99 }) => `${p50.toFixed(2)} / ${p99.toFixed(2)}`),
    ...[throughput, inFlight, lambdaW].map((value) => (100 * value).toFixed(2)),
    saturated.length > 0 ? `saturated: ${saturated.join(', ')}` : 'not saturated',
  ]),
)}`
}
