import type { ModelSpeedResult } from '../results.ts'
import { marksTable, spread, table, whereAndWhen } from './markdown.ts'

export function modelSpeedSection({ samples, machine, takenAt, seconds, marks }: ModelSpeedResult): string {
  return `## How long it takes

\`npm run bench:model-speed\` (${seconds} s). ${whereAndWhen(machine, takenAt)}

The same files in both places, on one core: a frontier from the specifications on, of the slower of a dense model and one with experts; a search over the ways to lay that one out over a budget of GPUs, colocated and split.

${marksTable(marks)}

${table(
  ['', 'frontier, ms', 'the first one, ms', 'search, s', 'configurations'],
  samples.map(({ where, frontierMs, firstFrontierMs, searchS, considered }) => [
    where,
    spread(frontierMs, 2),
    firstFrontierMs.toFixed(1),
    spread(searchS, 2),
    considered.toLocaleString('en'),
  ]),
)}`
}
