import type { ScaleResult } from '../results.ts'
import { marksTable, table, whereAndWhen } from './markdown.ts'

export function scaleSection({ full, soak, machine, takenAt, seconds, marks }: ScaleResult): string {
  const f = (value: number, digits = 1): string => value.toFixed(digits)
  const profiles = full.flatMap(({ gapMs, profile }) => (profile === undefined ? [] : [{ gapMs, profile }]))
  return `## Many streams, and for long

\`npm run bench:scale\` (${seconds} s). ${whereAndWhen(machine, takenAt)}

The whole of \`twospeed measure\` against the mock in C, both on whatever cores they like. Errors are against the mock's log, gap by gap.

${marksTable(marks)}

${table(
  [
    'tok/s a stream',
    'ITL p50 error, ms',
    'p99',
    'TTFT error p50, ms',
    'events/s',
    'threads that read',
    'cores',
    'mock late p99, ms',
    'saturated',
  ],
  full.map(({ gapMs, sample }) => [
    String(1000 / gapMs),
    f(sample.itlErrorP50Ms, 2),
    f(sample.itlErrorP99Ms),
    f(sample.ttftErrorP50Ms),
    f(sample.eventsPerSecond, 0),
    String(Math.max(1, sample.workers)),
    f(sample.cores, 2),
    f(sample.mock.lateMs.p99),
    sample.saturated ? sample.why.join(', ') : 'no',
  ]),
)}

${profiles
  .map(
    ({
      gapMs,
      profile,
    }) => `Where the client's time goes at ${1000 / gapMs} tok/s a stream (V8's profiler, all threads together, in a run of its own):

${table(
  ['function', 'share, %'],
  profile.map(({ name, share }) => [`\`${name}\``, f(100 * share)]),
)}`,
  )
  .join('\n\n')}

${soak.seconds} s at ${soak.streams} streams: ${soak.requests.toLocaleString('en')} requests, ${f(soak.outputTokensPerSecond, 0)} tok/s, ${f(soak.cores, 2)} cores; ${
    soak.steady ? 'steady' : `not steady (${soak.reasons.join(', ')})`
  }, ${soak.saturated ? 'marked saturated' : 'not saturated'}. Memory held, the median of each minute, in MB: ${soak.rssMBPerMinute
    .map((value) => f(value, 0))
    .join(', ')}; ${f(soak.peakRssMB, 0)} at the most.`
}
