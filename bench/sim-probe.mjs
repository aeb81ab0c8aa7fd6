/** What is timed of the simulator, in Node and in a browser's worker alike: it knows neither. Types are in timed-simulator.ts. */
import { createConfiguration, createStepModel, findAccelerator, findModel, parseLaw } from '../dist/model/index.js'
import { createSource, enginePolicy, lawStepTime, modelStepTime, simulate } from '../dist/sim/index.js'

/** A model of 8 billion parameters on a good accelerator, about. */
const LAW = lawStepTime(parseLaw('a=6ms,b=0.02ms,c=0.004ms,d=0.03ms'))
const POLICY = enginePolicy({
  maxNumSeqs: 1024,
  kvTokens: 500_000,
})
/** Chat: as long in the mean as the Azure trace's, 1 100 and 207 tokens. */
const CHAT = {
  input: { kind: 'lognormal', median: 800, sigma: 0.8 },
  output: { kind: 'lognormal', median: 150, sigma: 0.8 },
}

const pool = (replicas, policy = {}, stepTime = LAW) => ({
  name: 'all',
  role: 'both',
  replicas,
  dataParallel: 1,
  policy: { ...POLICY, ...policy },
  stepTime,
})

const fleet = (replicas, policy, stepTime) => ({
  pools: [pool(replicas, policy, stepTime)],
  routing: 'leastInFlight',
})

/** A source, and how many have been taken of it. */
class Counted {
  taken = 0
  #source

  constructor(source) {
    this.#source = source
  }

  get nextS() {
    return this.#source.nextS
  }

  take() {
    this.taken++
    return this.#source.take()
  }

  ended(arrival, endS) {
    this.#source.ended(arrival, endS)
  }
}

/** The simulation of one lane, and how many requests it took: more than are asked for, since the load is held on until the last has ended. */
function timed(ofFleet, plan, options, users) {
  const startMs = performance.now()
  const source = new Counted(createSource(plan))
  const lane = { name: 'chat', source, priority: 0, ...(users !== undefined && { users }) }
  simulate({ fleet: ofFleet, lanes: [lane], ...options })
  return { seconds: (performance.now() - startMs) / 1000, requests: source.taken }
}

const closed = (users, requests, work, policy = {}) =>
  timed(
    fleet(1, policy),
    { arrivals: { kind: 'users', users }, work, seed: users },
    { load: { kind: 'concurrency', value: users }, requests },
    users,
  )

const open = (replicas, ratePerReplica, requests) => {
  const rate = replicas * ratePerReplica
  const plan = { arrivals: { kind: 'rate', rate, process: { kind: 'poisson' } }, work: CHAT, seed: 1 }
  return timed(fleet(replicas), plan, { load: { kind: 'rate', value: rate }, requests })
}

const played = (rows, ofFleet) =>
  timed(
    ofFleet,
    { arrivals: { kind: 'trace', trace: { rows, notes: [] } } },
    { load: { kind: 'trace', value: rows.length }, requests: rows.length },
  )

const times = (repeats, run) => Array.from({ length: repeats }, run)

/** A frontier of 64 loads, again and again: the first one before anything is compiled. */
export function frontiers(repeats = 5) {
  const loads = Array.from({ length: 64 }, (_, i) => 4 * (i + 1))
  const startMs = () => performance.now()
  return {
    loads: loads.length,
    requests: 2000,
    seconds: times(repeats, () => {
      const fromMs = startMs()
      for (const users of loads) closed(users, 2000, CHAT)
      return (startMs() - fromMs) / 1000
    }),
  }
}

/** An hour of chat, on 8 replicas. */
export function hour(rows, repeats = 5) {
  const runs = times(repeats, () => played(rows, fleet(8)))
  return { requests: rows.length, replicas: 8, seconds: runs.map(({ seconds }) => seconds) }
}

/** The same requests, policies and model as bench/peers/vidur.py runs. */
export function besideVidur(rows, repeats = 15) {
  const model = findModel('Llama-3.1-8B')
  const stepTime = modelStepTime(createStepModel(createConfiguration({ model, gpu: findAccelerator('a100-80gb') })))
  const policy = { maxNumSeqs: 128, maxBatchedTokens: 512, kvTokens: 400_000 }
  const runs = times(repeats, () => played(rows, { ...fleet(8, policy, stepTime), routing: 'roundRobin' }))
  return { seconds: runs.map(({ seconds }) => seconds) }
}

/** Very many requests over very many replicas, 10 a second each. */
export function large(replicas, requests) {
  return { replicas, ...open(replicas, 10, requests) }
}

const fixed = (inputTokens, outputTokens) => ({
  input: { kind: 'uniform', least: Math.ceil(0.8 * inputTokens), most: inputTokens },
  output: { kind: 'uniform', least: Math.ceil(0.8 * outputTokens), most: outputTokens },
})
const UNLIMITED = { kvTokens: Number.POSITIVE_INFINITY }

/** Microseconds of a request: the best of three, of which the first warms up. */
const best = (value, run) => {
  const each = times(3, () => run(value)).map(({ seconds, requests }) => (1e6 * seconds) / requests)
  return { value, usPerRequest: Math.min(...each) }
}

/** Requests whose answers are so long, 32 at a time. */
export const answersOf = (tokens) => best(tokens, () => closed(32, 5000, fixed(500, tokens), UNLIMITED))

/** The cost of a request against what might make it dearer. */
export function growth() {
  const series = (what, values, run) => ({ what, points: values.map((value) => best(value, run)) })
  const withPrefix = (tokens) => ({ ...fixed(tokens, 100), prefix: { share: 0.9, count: 8 } })
  return [
    series('replicas, 10 requests/s each', [1, 10, 100, 1000], (replicas) => open(replicas, 10, 100_000)),
    series('requests in flight of one replica', [1, 8, 64, 512], (users) => closed(users, 20_000, CHAT, UNLIMITED)),
    { what: 'tokens of an answer', points: [16, 128, 1024, 8192].map(answersOf) },
    series('tokens of a prompt, 8 192 a step', [128, 1024, 8192, 65_536], (tokens) =>
      closed(32, 5000, fixed(tokens, 100), UNLIMITED),
    ),
    series('tokens of a prompt, 9 in 10 of them in the prefix cache', [128, 1024, 8192, 65_536], (tokens) =>
      closed(32, 2000, withPrefix(tokens), { prefixCache: true, kvTokens: 8_000_000 }),
    ),
  ]
}
