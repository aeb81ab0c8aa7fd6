/**
 * One client on one core against the mock, as a process of its own, so that it can be pinned and its CPU time and memory are its own.
 * A closed loop of `--streams`, their starts spread over one request time, held until the last request that began inside the window has
 * ended. Prints one JSON line about the run; the records go to `--out`, one JSON line each, for the join with the truth.
 *
 *   node bench/client.mjs --kind undici|socket|twospeed --url URL --streams C --tokens N --request-s S --window-s W [--out FILE | --flood]
 */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createProbes } from './probe.mjs'
import { createTwospeed } from './twospeed.mjs'

const text = { type: 'string', default: '' }
const { values: flags } = parseArgs({
  options: {
    kind: text,
    url: text,
    streams: text,
    tokens: text,
    'request-s': text,
    'window-s': text,
    out: text,
    flood: { type: 'boolean', default: false },
  },
})
const streams = Number(flags.streams)
const tokens = Number(flags.tokens)
const windowMs = Number(flags['window-s']) * 1000
const spreadMs = flags.flood ? 200 : Number(flags['request-s']) * 1000
// Two rounds, so that what ends a request has run before it counts.
const rampMs = (flags.flood ? 1 : 2) * spreadMs + 300

const body = JSON.stringify({
  model: 'mock',
  messages: [{ role: 'user', content: 'the quick brown fox jumps over the lazy dog '.repeat(8) }],
  max_tokens: tokens,
  ignore_eos: true,
  stream: true,
  stream_options: { include_usage: true },
})

const cpuSeconds = ({ user, system }) => (user + system) / 1e6

const client = flags.kind === 'twospeed' ? createTwospeed(flags, body) : createProbes(flags, body)
const startMs = client.nowMs()
const windowStartMs = startMs + rampMs
const windowEndMs = windowStartMs + windowMs
const inWindow = (ms) => ms >= windowStartMs && ms < windowEndMs

const records = []
let failed = 0
let flooded = 0 // tokens of answers that ended inside the window; a flooded answer is short against it
let sent = 0
let measuring = 0 // requests in flight that began inside the window
let cpuS = 0
let reported = false

function next(stream) {
  const measured = inWindow(client.nowMs())
  if (measured) measuring++
  client.send(stream, `${flags.kind}-${sent++}`, tokens, (record) => {
    const now = client.nowMs()
    if (record.outcome !== 'ok') {
      if (failed++ === 0) process.stderr.write(`first failure: ${JSON.stringify(record).slice(0, 500)}\n`)
    }
    if (!flags.flood) records.push(record)
    else if (inWindow(now)) flooded += record.outputTokens
    if (measured) measuring--
    if (now < windowEndMs || measuring > 0) next(stream)
    else report()
  })
}

function report() {
  if (reported) return
  reported = true
  const summary = {
    originNs: client.originNs(),
    windowS: [windowStartMs / 1000, windowEndMs / 1000],
    failed,
    flooded,
    cpuS,
    totalCpuS: cpuSeconds(process.cpuUsage()),
    peakRssMB: process.resourceUsage().maxRSS / 1024,
  }
  if (flags.out !== '') writeFileSync(flags.out, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  process.stdout.write(`${JSON.stringify(summary)}\n`, () => process.exit(0))
}

setTimeout(() => {
  const atOpen = process.cpuUsage()
  setTimeout(() => {
    cpuS = cpuSeconds(process.cpuUsage(atOpen))
  }, windowEndMs - client.nowMs())
}, rampMs)

// A start every spread/streams on an absolute schedule: a burst of connects would be measured as the server's TTFT.
let started = 0
const starter = setInterval(() => {
  const due = Math.min(streams, Math.ceil(((client.nowMs() - startMs) / spreadMs) * streams))
  while (started < due) next(started++)
  if (started === streams) clearInterval(starter)
}, 2)
