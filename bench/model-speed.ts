/**
 * How long do a frontier of 64 loads and a search over ten thousand configurations take? On one core, of this Node and of Debian's
 * chromium where it is installed. Writes bench/model-speed.json and docs/reference/model-accuracy.md.
 *
 *   npm run bench:model-speed
 */
import type { Page } from 'playwright-core'
import { hasBrowser, inBrowser } from './browser.ts'
import { median, tellMarks } from './marks.ts'
import { writeModelPage } from './page/model.ts'
import { type Mark, type ModelSpeedResult, taken, writeResult } from './results.ts'
import { inNode, type TimedModel } from './timed-model.ts'

type Sample = ModelSpeedResult['samples'][number]

const inPage = (page: Page): TimedModel => ({
  timeFrontiers: () => page.evaluate("import('/bench/model-probe.mjs').then((probe) => probe.timeFrontiers())"),
  timeSearch: () => page.evaluate("import('/bench/model-probe.mjs').then((probe) => probe.timeSearch())"),
})

const MOST_FRONTIER_MS = 1
const LEAST_CONSIDERED = 10_000
const MOST_SEARCH_S = 2
const SEARCHES = 3

async function sample(where: string, place: TimedModel): Promise<Sample> {
  const frontiers = await place.timeFrontiers()
  const searches: Awaited<ReturnType<TimedModel['timeSearch']>>[] = []
  for (let i = 0; i < SEARCHES; i++) searches.push(await place.timeSearch())
  return {
    where,
    ...frontiers,
    considered: Math.min(...searches.map(({ considered }) => considered)),
    searchS: searches.map(({ seconds }) => seconds),
  }
}

function marksOf({ where, loads, frontierMs, considered, searchS }: Sample): readonly Mark[] {
  const [frontier, search] = [median(frontierMs), median(searchS)]
  return [
    {
      name: `A frontier of ${loads} loads, in ${where}`,
      value: `${frontier.toFixed(2)} ms`,
      limit: `≤ ${MOST_FRONTIER_MS} ms`,
      pass: frontier <= MOST_FRONTIER_MS,
    },
    {
      name: `A search over ${considered.toLocaleString('en')} configurations, in ${where}`,
      value: `${search.toFixed(2)} s`,
      limit: `≤ ${MOST_SEARCH_S} s, of ${LEAST_CONSIDERED.toLocaleString('en')} or more`,
      pass: considered >= LEAST_CONSIDERED && search <= MOST_SEARCH_S,
    },
  ]
}

const startMs = performance.now()
const samples = [await sample(`Node ${process.versions.node}`, await inNode())]
if (hasBrowser) samples.push(await inBrowser((page, name) => sample(name, inPage(page))))
const marks = samples.flatMap(marksOf)
writeResult('model-speed', {
  ...taken(startMs, marks),
  samples,
})
writeModelPage()
tellMarks(marks)
