import type { SimAgreementResult } from '../results.ts'
import { marksTable, spread, table, whereAndWhen } from './markdown.ts'

const percent = (off: number): string => (100 * off).toFixed(2)

export function simAgreementSection({ samples, machine, takenAt, seconds, marks }: SimAgreementResult): string {
  const figures = samples[0]?.differences.map(({ figure }) => figure) ?? []
  const laws = [...new Set(samples.map(({ plan }) => plan.law))].map((law) => `\`${law}\``).join(' and ')
  const windows = [...new Set(samples.map(({ plan }) => plan.windowS))].sort((a, b) => a - b).join(' or ')
  return `## The simulator against our own measured engine

\`npm run bench:sim-agreement\` (${seconds} s). ${whereAndWhen(machine, takenAt)}

\`twospeed serve --engine simulated\` on one core, \`twospeed measure\` on the other, ${laws}, windows of ${windows} s; then the simulator with the same law, limits, load and seed, so that both drew the same
lengths, arrivals and pauses, its figures taken over the stretch that was measured. Simulated ÷ measured − 1, in %:

${marksTable(marks)}

${table(
  ['load', 'requests', ...figures],
  samples.map(({ plan, requests, differences }) => [
    plan.name,
    String(requests),
    ...differences.map(({ off }) => percent(off)),
  ]),
)}

What a real client and server add: about 0.2 ms from the end of an answer to the arrival of the next request, which therefore waits for the step that has begun; and up to a millisecond in which a process of Node hands out
the tokens of one step, those of newcomers last. What others used of the machine meanwhile: ${spread(
    samples.map(({ circumstances }) => circumstances.othersCores),
    2,
  )} cores.`
}
