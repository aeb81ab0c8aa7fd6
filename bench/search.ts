/**
 * Do `measure --find` and `measure --sweep` find what is right? On the simulated engine that is what its law says; on the real one it is what
 * a fine grid of measurements says, before and after. Writes bench/search.json and the page.
 *
 *   npm run bench:search
 */
import { tellMarks } from './marks.ts'
import { writePage } from './page/page.ts'
import { type Mark, taken, writeResult } from './results.ts'
import { type FoundLoad, outside, type SweptFrontier } from './search/answers.ts'
import { searchLlama } from './search/llama.ts'
import { findSimulated, LAW, sweepSimulated } from './search/simulated.ts'

/** tok/s/user. By the law 193, 96 and 27 users. */
const FLOORS = [25, 40, 70]
const PRECISION = 0.03
const MOST_POINTS = 6

function findMark(engine: string, { floor, found, least, most, tried }: FoundLoad): Mark {
  const right = least === most ? `${least}` : `${least} to ${most}`
  return {
    name: `${engine}: --find --floor ${floor}`,
    value: `${found} users, in ${tried.length} points`,
    limit: `${right} ± 3 %, in ${MOST_POINTS}`,
    pass: tried.length <= MOST_POINTS && outside(found, least, most) <= PRECISION,
  }
}

function sweepMark(engine: string, { paces, tried, upTo, known }: SweptFrontier): Mark {
  const off = paces.map(({ foretold, least, most }) => outside(foretold, least, most))
  const within = off.filter((each) => each <= PRECISION).length
  return {
    name: `${engine}: --sweep, the pace at every load that is known`,
    value: `${within} of ${off.length} within 3 %, the worst ${(100 * Math.max(...off)).toFixed(1)} %; ${tried.length} points up to ${upTo} users${known ? '' : ', not known to 3 % by its own account'}`,
    limit: 'all',
    pass: off.length > 0 && within === off.length,
  }
}

const startMs = performance.now()
const finds: FoundLoad[] = []
for (const floor of FLOORS) finds.push(await findSimulated(floor))
const simulated = { law: LAW, finds, sweep: await sweepSimulated() }
const real = await searchLlama()
const marks = [
  ...simulated.finds.map((found) => findMark('Simulated engine', found)),
  sweepMark('Simulated engine', simulated.sweep),
  ...real.finds.map((found) => findMark('llama.cpp', found)),
  sweepMark('llama.cpp', real.sweep),
]
writeResult('search', {
  ...taken(startMs, marks),
  simulated,
  real,
})
writePage()
tellMarks(marks)
