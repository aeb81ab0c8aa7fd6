import type { SearchResult } from '../results.ts'
import { type FoundLoad, SHARE, type SweptFrontier } from '../search/answers.ts'
import { MOST_SEQUENCES } from '../search/llama.ts'
import { marksTable, table, whereAndWhen } from './markdown.ts'

const either = (least: number, most: number, digits = 0): string =>
  least === most ? least.toFixed(digits) : `${least.toFixed(digits)} to ${most.toFixed(digits)}`

const findsTable = (right: string, finds: readonly FoundLoad[]): string =>
  table(
    ['floor, tok/s/user', 'users found', right, 'loads measured'],
    finds.map(({ floor, found, least, most, tried }) => [
      String(floor),
      String(found),
      either(least, most),
      tried.join(', '),
    ]),
  )

const told = ({ tried, upTo, endedBy }: SweptFrontier): string =>
  `measured ${tried.join(', ')} and knows the frontier up to ${upTo} users (ended by: ${endedBy})`

/** Where its own verdict is that it does not know. */
const UNKNOWN = ` (By its own account it does not know this frontier to ± 3 %: not every load is foretold so well by the others, for the engine's
steps do not grow evenly with the batch, as the rounds below show.)`

export function searchSection({ simulated, real, machine, takenAt, seconds, marks }: SearchResult): string {
  return `## Searches for a load

\`npm run bench:search\` (${seconds} s). ${whereAndWhen(machine, takenAt)}

${marksTable(marks)}

\`twospeed serve --law ${simulated.law}\`, answers of 100 tokens: the law itself says what \`--find --floor F --share ${SHARE}\` must find.

${findsTable('by the law', simulated.finds)}

\`--sweep\` ${told(simulated.sweep)}.

\`twospeed serve --engine llama --threads 1 --max-num-seqs ${MOST_SEQUENCES}\`: a round over all loads from 1 to ${real.rounds[0]?.length} before and after each search, each load for a few seconds, says
what must be found; where the machine's own speed changed between the two, anything between them is right.

${findsTable('by the grid before and after', real.finds)}

\`--sweep\` ${told(real.sweep)}; tok/s/user:${real.sweep.known ? '' : UNKNOWN}

${table(
  ['users', 'by the sweep', 'by the grid before and after'],
  real.sweep.paces.map(({ load, foretold, least, most }) => [
    String(load),
    foretold.toFixed(1),
    either(least, most, 1),
  ]),
)}

Pace that nine in ten requests had at least, by round (it shows how far one measurement repeats):

${table(
  ['users', ...real.rounds.map((_, i) => `round ${i + 1}`)],
  (real.rounds[0] ?? []).map(({ load }, i) => [
    String(load),
    ...real.rounds.map((round) => (round[i]?.slow ?? Number.NaN).toFixed(1)),
  ]),
)}`
}
