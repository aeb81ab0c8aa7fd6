import { expect, test } from 'vitest'
import { hasBrowser, inBrowser } from '../../bench/browser.ts'
import type * as model from '../../src/model/index.ts'
import type * as sim from '../../src/sim/index.ts'

/** Without a browser this test is left out, except where TWOSPEED_BROWSER says that there must be one. */
const without = !hasBrowser && process.env.TWOSPEED_BROWSER !== 'required'

/** A fleet under two lanes, timed by a roofline. Its text is sent to the worker, so it may use nothing but what it is given. */
function answers(s: typeof sim, m: typeof model): string {
  const configuration = m.createConfiguration({
    model: m.findModel('gpt-oss-120b'),
    gpu: m.findAccelerator('h100'),
    tp: 2,
  })
  const pool = {
    name: 'all',
    role: 'both',
    replicas: 3,
    dataParallel: 2,
    gpusPerReplica: 2,
    policy: s.enginePolicy({
      maxNumSeqs: 32,
      maxBatchedTokens: 1024,
      kvTokens: 40_000,
      admission: 'priority',
    }),
    stepTime: s.modelStepTime(m.createStepModel(configuration)),
  } as const
  const work = {
    input: { kind: 'uniform', least: 200, most: 2000 },
    output: { kind: 'uniform', least: 20, most: 300 },
  } as const
  const people = s.createSource({ arrivals: { kind: 'users', users: 24 }, work, seed: 1 })
  const batch = s.createSource({ arrivals: { kind: 'rate', rate: 20, process: { kind: 'poisson' } }, work, seed: 2 })
  const point = s.simulate({
    fleet: { pools: [pool], routing: 'leastInFlight' },
    lanes: [
      { name: 'people', source: people, priority: 0, users: 24 },
      { name: 'batch', source: batch, priority: 1 },
    ],
    load: { kind: 'concurrency', value: 24 },
    requests: 800,
  })
  // The last digits of a logarithm and a power are each engine's own.
  const nineDigits = (_: string, value: unknown): unknown =>
    typeof value === 'number' ? Number(value.toPrecision(9)) : value
  return JSON.stringify(point, nineDigits, 1)
}

const IN_WORKER = `Promise.all(['sim', 'model'].map((path) => import(origin + '/dist/' + path + '/index.js')))
  .then(([sim, model]) => postMessage((${answers})(sim, model)))`

const built = (path: string): string => new URL(`../../dist/${path}/index.js`, import.meta.url).href

test.skipIf(without)(
  "the built simulator says in a browser's worker what it says in Node",
  async () => {
    const [s, m] = (await Promise.all([
      import(/* @vite-ignore */ built('sim')),
      import(/* @vite-ignore */ built('model')),
    ])) as [typeof sim, typeof model]
    const inNode = answers(s, m)
    const inWorker = await inBrowser(async (page) => {
      const complaints: string[] = []
      page.on('console', (message) => complaints.push(message.text()))
      page.on('pageerror', (error) => complaints.push(error.message))
      const said: unknown = await page.evaluate(`new Promise((resolve, reject) => {
        const text = 'const origin = "' + location.origin + '";' + ${JSON.stringify(IN_WORKER)}
        const worker = new Worker(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })), { type: 'module' })
        worker.onmessage = ({ data }) => resolve(data)
        worker.onerror = ({ message }) => reject(new Error(message))
      })`)
      expect(complaints).toEqual([])
      return said
    })
    expect(inWorker).toBe(inNode)
    expect(JSON.parse(inNode)).toMatchObject({ simulation: { lanes: [{ name: 'people' }, { name: 'batch' }] } })
  },
  60_000,
)
