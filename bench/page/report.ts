import type { ReportResult } from '../results.ts'
import { marksTable, spread, whereAndWhen } from './markdown.ts'

export function reportSection(result: ReportResult): string {
  const { plan, samples, bytesPerRequest, folderMB, machine, takenAt, seconds, marks } = result
  const requests = plan.requests.toLocaleString('en')
  return `## Reporting a large run

\`npm run bench:report\` (${seconds} s). ${whereAndWhen(machine, takenAt)}

A run folder of ${requests} requests of ${plan.tokens} tokens at ${plan.loads.length} loads (${plan.loads.join(', ')}), written by the store that \`measure\` writes with: closed loops on a step-time law, every gap with a
scatter of 2 % and a prefill in one of fifty, to the microsecond. \`twospeed report DIR --json\` reads all of it and computes every figure anew; the process is timed from its start to its end, on whatever cores it likes.

${marksTable(marks)}

The records take ${folderMB.toFixed(0)} MB, ${bytesPerRequest.toFixed(0)} bytes a request. Each report, of ${samples.length}: ${spread(
    samples.map((sample) => sample.seconds),
    1,
  )} s, ${spread(
    samples.map(({ cpuS }) => cpuS),
    1,
  )} s of CPU time, ${spread(
    samples.map(({ peakRssMB }) => peakRssMB),
    0,
  )} MB at the most. Others used ${spread(
    samples.map(({ circumstances }) => circumstances.othersCores),
    2,
  )} cores meanwhile.`
}
