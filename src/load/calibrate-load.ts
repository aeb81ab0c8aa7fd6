import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { percentile, type RequestRecord, RUN_SCHEMA, type RunHeader, type TwospeedError } from '../core/index.ts'
import { createRunFolder } from '../store/index.ts'
import type { CalibrationLoad, Spread } from './calibration.ts'
import { createClock } from './clock.ts'
import { createHealth } from './health.ts'
import { createCrew } from './workers/crew.ts'

/** A server in a process of its own that writes tokens on the beat and logs when. */
export interface Mock {
  readonly origin: string
  /** From now on a token to each stream in steps of `gapMs`; what was logged is forgotten. */
  pace(gapMs: number): Promise<void>
  truth(): Promise<MockTruth>
}

export interface MockTruth {
  /** Of each request, when each token was handed to its socket: `process.hrtime`, in ns. */
  readonly tokenNs: ReadonlyMap<string, Float64Array>
  /** p99 of how late it came to its steps. */
  readonly lateMs: number
}

export interface LoadPlan {
  readonly workers: number
  readonly streams: number
  readonly tokensPerSecond: number
  readonly windowS: number
}

/** Worse than this, one time in a hundred, and a load is not borne: half of a gap at 50 tok/s. */
const MAX_ERROR_P99_MS = 10
/** A server that came so late to its steps, in gaps, was at its own limit. */
const SERVER_BUSY = 0.5
/** What may be missing of the events that were asked for: users that begin again wait for the next step. */
const LEAST_SHARE = 0.85
const SETTLE_MS = 200
/** The length of an answer, in time and at least in tokens. */
const ANSWER_S = 1
const LEAST_TOKENS = 20
const TICK_MS = 2

/** One load, a few seconds long, and by how much the records differ from what the server knows. `serverBusy`: more it cannot write. */
export async function calibrateLoad(
  plan: LoadPlan,
  mock: Mock,
): Promise<{ readonly load: CalibrationLoad; readonly serverBusy: boolean }> {
  const { workers, streams, tokensPerSecond, windowS } = plan
  const gapMs = 1000 / tokensPerSecond
  await mock.pace(gapMs)
  const clock = createClock()
  let crash: TwospeedError | undefined
  const crew = createCrew({
    client: { origin: mock.origin, path: '/v1/chat/completions', endpoint: 'chat' },
    clock,
    secrets: [],
    workers,
    onCrash: (error) => {
      crash = error
    },
  })
  const health = createHealth(clock, crew)
  // Records are written as in a run: compressing them is part of the work.
  const folder = mkdtempSync(join(tmpdir(), 'twospeed-calibrate-'))
  try {
    const writer = await createRunFolder(join(folder, 'run'), headerOf(clock.wallIso))
    const records: RequestRecord[] = []
    const tokens = Math.max(LEAST_TOKENS, Math.round(ANSWER_S * tokensPerSecond))
    const [body, short] = [bodyOf(tokens), bodyOf(1)]
    let isOpen = true
    let sent = 0
    const next = (): void => {
      if (!isOpen) return
      crew.send({ id: `${sent++}`, point: 0, body, askedOutputTokens: tokens }, (record) => {
        records.push(record)
        writer.append(record)
        if (record.outcome === 'ok') next()
      })
    }
    // A thread takes a while to start. One request each, and they are there.
    const first = (_: unknown, i: number): Promise<void> =>
      new Promise((resolve) => void crew.send({ id: `first-${i}`, point: 0, body: short }, () => resolve()))
    await Promise.all(Array.from({ length: Math.max(1, workers) }, first))
    await ramp(streams, (tokens * gapMs) / 1000, next)
    await sleep(SETTLE_MS)
    health.begin()
    const startUs = clock.nowUs()
    await sleep(1000 * windowS)
    const { saturated = false, why = [], cpu = Number.NaN } = health.end()
    const endUs = clock.nowUs()
    isOpen = false
    await crew.close()
    await writer.close()
    if (crash !== undefined) throw crash
    const truth = await mock.truth()
    const found = compare(records, truth, { startUs, endUs }, Number(clock.originNs))
    const eventsPerSecond = (found.events / (endUs - startUs)) * 1e6
    const serverBusy = truth.lateMs > SERVER_BUSY * gapMs
    const failed = records.filter(({ outcome }) => outcome === 'failed').length
    const ttftErrorMs = spreadOf(found.ttftMs, 1000 * windowS)
    const itlErrorMs = spreadOf(found.itlMs, 1000 * windowS)
    const complaints = [
      ...(saturated ? why : []),
      failed > 0 && `${failed} requests failed: ${records.find(({ error }) => error)?.error?.message}`,
      found.unknown > 0 && `${found.unknown} answers are not what the server wrote`,
      ttftErrorMs.p99 > MAX_ERROR_P99_MS && 'first tokens were told too late',
      itlErrorMs.p99 > MAX_ERROR_P99_MS && 'gaps were told wrong',
      !serverBusy && eventsPerSecond < LEAST_SHARE * streams * tokensPerSecond && 'less came than was asked for',
    ].filter((text) => text !== false)
    const load = {
      workers,
      streams,
      tokensPerSecond,
      eventsPerSecond,
      ttftErrorMs,
      itlErrorMs,
      cpu,
      serverLateMs: truth.lateMs,
      trusted: complaints.length === 0,
      ...(complaints.length > 0 && { why: complaints }),
    }
    return { load, serverBusy }
  } finally {
    await crew.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Users begin one after the other over the time of one answer: together they would stay together. */
async function ramp(streams: number, overS: number, begin: () => void): Promise<void> {
  const startMs = performance.now()
  for (let begun = 0; begun < streams; ) {
    const due = Math.ceil(((performance.now() - startMs) / (1000 * overS)) * streams)
    while (begun < Math.min(due, streams)) {
      begin()
      begun++
    }
    await sleep(TICK_MS)
  }
}

interface Found {
  readonly events: number
  /** Answers with more tokens than the server wrote, or that it does not know. */
  readonly unknown: number
  readonly ttftMs: readonly number[]
  readonly itlMs: readonly number[]
}

/** Event i of a record is token i of the server's log, whether or not the answer was read to its end. */
function compare(
  records: readonly RequestRecord[],
  { tokenNs }: MockTruth,
  { startUs, endUs }: { readonly startUs: number; readonly endUs: number },
  originNs: number,
): Found {
  let events = 0
  let unknown = 0
  const ttftMs: number[] = []
  const ttftBeforeMs: number[] = []
  const itlMs: number[] = []
  for (const { id, firstTokenS, gapsUs } of records) {
    if (firstTokenS === undefined) continue
    const wroteUs = tokenNs.get(id)?.map((ns) => (ns - originNs) / 1e3)
    if (wroteUs === undefined || wroteUs.length <= gapsUs.length) {
      unknown++
      continue
    }
    let atUs = firstTokenS * 1e6
    for (let i = 0; i <= gapsUs.length; i++) {
      const gapUs = gapsUs[i - 1] ?? 0
      atUs += gapUs
      const trueUs = wroteUs[i] ?? Number.NaN
      if (i === 0 && atUs < startUs) ttftBeforeMs.push((atUs - trueUs) / 1e3)
      if (atUs < startUs || atUs >= endUs) continue
      events++
      if (i === 0) ttftMs.push((atUs - trueUs) / 1e3)
      else itlMs.push(Math.abs(gapUs - (trueUs - (wroteUs[i - 1] ?? Number.NaN))) / 1e3)
    }
  }
  // In a short window of few streams nobody begins again: then those of the ramp are all there are.
  return { events, unknown, ttftMs: ttftMs.length > 0 ? ttftMs : ttftBeforeMs, itlMs }
}

/** Where nothing came at all, it was late by the whole window at least. */
function spreadOf(values: readonly number[], windowMs: number): Spread {
  const sorted = Float64Array.from(values).sort()
  const at = (p: number): number => percentile(sorted, p) ?? windowMs
  return { p50: at(50), p99: at(99) }
}

const PROMPT = [{ role: 'user', content: 'the quick brown fox jumps over the lazy dog '.repeat(40) }]
const bodyOf = (tokens: number): string =>
  JSON.stringify({ model: 'mock', messages: PROMPT, max_tokens: tokens, stream: true })

const headerOf = (wallIso: string): RunHeader => ({
  schema: RUN_SCHEMA,
  createdAt: wallIso,
  twospeed: '',
  target: { url: 'mock', model: 'mock' },
  hardware: {},
  workload: {},
  points: [],
})
