/**
 * How long does the simulator take? An hour of chat, ten million requests, a frontier in a browser's worker, and how the cost of a request
 * grows; beside Vidur where a checkout of it is given. On one core. Writes bench/sim-speed.json and docs/reference/benchmarks.md.
 *
 *   npm run bench:sim-speed [-- --vidur PATH [--python PYTHON]]
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { parseTrace } from '../src/record/index.ts'
import { hasBrowser, inBrowser } from './browser.ts'
import { type Circumstances, undisturbed, watchCircumstances } from './circumstances.ts'
import { median, tellMarks } from './marks.ts'
import { writePage } from './page/page.ts'
import { CLIENT_CORE, node, runPinned } from './processes.ts'
import { type Mark, readResult, type SimSpeedResult, taken, writeResult } from './results.ts'
import type { Growth, TimedFleet, TimedFrontiers, TimedHour } from './timed-simulator.ts'
import { timeVidur } from './vidur.ts'

const MOST_US_PER_EVENT = 2
/** A request comes, is admitted, gets its first token and ends. */
const EVENTS = 4
const MOST_HOUR_S = 0.3
const MOST_FLEET_S = 120
const MOST_FRONTIER_S = 0.5
/** Each in a process, or a browser, of its own. */
const FRONTIER_TURNS = 3
const LEAST_TIMES_VIDUR = 1000
/** As many as take Vidur a minute. */
const VIDUR_REQUESTS = 4000
/** Ten times as many requests may take so much more memory: what a heap has grown to varies. */
const MOST_GROWTH_MB = 64

const { values: flags } = parseArgs({
  options: { vidur: { type: 'string' }, python: { type: 'string', default: '/usr/bin/python3' } },
})

/** In a process of its own, and again where others were at work meanwhile. */
async function alone<T extends object>(what: string, ...numbers: readonly number[]): Promise<T> {
  const { answer } = await undisturbed(async (): Promise<{ answer: T; circumstances: Circumstances }> => {
    const circumstancesOf = watchCircumstances()
    const { output, cpuS } = await runPinned(CLIENT_CORE, node('sim-process.mjs', what, ...numbers))
    return { answer: JSON.parse(output) as T, circumstances: circumstancesOf(cpuS) }
  })
  process.stderr.write(`${what} ${numbers.join(' ')}: ${JSON.stringify(answer).slice(0, 200)}\n`)
  return answer
}

const IN_WORKER = `new Promise((resolve, reject) => {
  const worker = new Worker('/bench/sim-worker.mjs', { type: 'module' })
  worker.onmessage = ({ data }) => resolve(data)
  worker.onerror = ({ message }) => reject(new Error(message))
  worker.postMessage('frontiers')
})`

async function takeFrontier(): Promise<SimSpeedResult['frontiers']> {
  const inNode = { where: `Node ${process.versions.node}`, ...(await alone<TimedFrontiers>('frontiers')) }
  if (!hasBrowser) return [inNode]
  const inWorker = await inBrowser(async (page, name) => ({
    where: `a worker of ${name}`,
    ...((await page.evaluate(IN_WORKER)) as TimedFrontiers),
  }))
  process.stderr.write(`${inWorker.where}: ${JSON.stringify(inWorker.seconds)}\n`)
  return [inNode, inWorker]
}

/** Node and the browser in turn, so that a slow minute of the machine falls on both. */
async function takeFrontiers(): Promise<SimSpeedResult['frontiers']> {
  const turns: SimSpeedResult['frontiers'][] = []
  for (let turn = 0; turn < FRONTIER_TURNS; turn++) turns.push(await takeFrontier())
  const ofTurns = (at: number): readonly number[] => turns.flatMap((turn) => turn[at]?.seconds ?? [])
  return (turns[0] ?? []).map((first, at) => ({ ...first, seconds: ofTurns(at) }))
}

async function takeVidur(folder: string | undefined): Promise<SimSpeedResult['vidur']> {
  if (folder === undefined) return readResult('sim-speed')?.vidur
  const text = gunzipSync(readFileSync(new URL('data/azure_llm_2023_conv.csv.gz', import.meta.url))).toString()
  const rows = parseTrace(text.trim().split('\n')).rows.slice(0, VIDUR_REQUESTS)
  const { seconds } = await alone<{ seconds: readonly number[] }>('besideVidur', VIDUR_REQUESTS)
  return {
    requests: rows.length,
    outputTokens: rows.reduce((sum, { outputTokens = 0 }) => sum + outputTokens, 0),
    vidurS: await timeVidur({ folder, python: flags.python }, rows),
    seconds,
  }
}

type Figures = Pick<SimSpeedResult, 'frontiers' | 'hour' | 'fleets' | 'vidur'>

function marksOf({ frontiers, hour, fleets, vidur }: Figures): readonly Mark[] {
  const hourS = median(hour.seconds)
  const usPerEvent = (1e6 * hourS) / (EVENTS * hour.requests)
  const [small, large] = fleets
  const count = (value = 0): string => value.toLocaleString('en')
  const grown = (large?.peakRssMB ?? 0) - (small?.peakRssMB ?? 0)
  const faster = vidur === undefined ? 0 : vidur.vidurS / median(vidur.seconds)
  return [
    {
      name: 'An event of a request: it comes, is admitted, gets its first token, ends',
      value: `${usPerEvent.toFixed(2)} µs`,
      limit: `≤ ${MOST_US_PER_EVENT} µs`,
      pass: usPerEvent <= MOST_US_PER_EVENT,
    },
    {
      name: `An hour of chat, ${count(hour.requests)} requests on ${hour.replicas} replicas`,
      value: `${hourS.toFixed(3)} s`,
      limit: `≤ ${MOST_HOUR_S} s`,
      pass: hourS <= MOST_HOUR_S,
    },
    {
      name: `${count(large?.requests)} requests over ${count(large?.replicas)} replicas`,
      value: `${large?.seconds.toFixed(0)} s`,
      limit: `≤ ${MOST_FLEET_S} s`,
      pass: large !== undefined && large.seconds <= MOST_FLEET_S,
    },
    {
      name: `Memory of those, beyond that of ${count(small?.requests)}`,
      value: `${grown.toFixed(0)} MB`,
      limit: `≤ ${MOST_GROWTH_MB} MB`,
      pass: grown <= MOST_GROWTH_MB,
    },
    ...frontiers.map(({ where, loads, requests, seconds }) => ({
      name: `A frontier of ${loads} loads, ${count(requests)} requests each, in ${where}`,
      value: `${median(seconds).toFixed(2)} s`,
      limit: `≤ ${MOST_FRONTIER_S} s`,
      pass: median(seconds) <= MOST_FRONTIER_S,
    })),
    ...(vidur === undefined
      ? []
      : [
          {
            name: 'Faster than Vidur, on the same requests',
            value: `${faster.toFixed(0)} times`,
            limit: `≥ ${LEAST_TIMES_VIDUR} times`,
            pass: faster >= LEAST_TIMES_VIDUR,
          },
        ]),
  ]
}

const startMs = performance.now()
const vidur = await takeVidur(flags.vidur)
const figures = {
  hour: await alone<TimedHour>('hour'),
  fleets: [await alone<TimedFleet>('large', 1000, 1e6), await alone<TimedFleet>('large', 1000, 1e7)],
  frontiers: await takeFrontiers(),
  growth: await alone<readonly Growth[]>('growth'),
  ...(vidur !== undefined && { vidur }),
}
const marks = marksOf(figures)
writeResult('sim-speed', { ...taken(startMs, marks), ...figures })
writePage()
tellMarks(marks)
