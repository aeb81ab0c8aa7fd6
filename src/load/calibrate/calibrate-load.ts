import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RequestRecord, RUN_SCHEMA, type RunHeader, type TwospeedError } from '../../core/index.ts'
import { createRunFolder } from '../../store/index.ts'
import { createClock } from '../clock.ts'
import { createHealth } from '../point/health.ts'
import { createCrew } from '../workers/crew.ts'
import { type Borne, judgeLoad, type LoadPlan, type MockTruth } from './calibrate-truth.ts'

/** A server in a process of its own that writes tokens on the beat and logs when. */
export interface Mock {
  readonly origin: string
  /** From now on a token to each stream in steps of `gapMs`; what was logged is forgotten. */
  pace(gapMs: number): Promise<void>
  truth(): Promise<MockTruth>
}

const SETTLE_MS = 200
/** The length of an answer, in time and at least in tokens. */
const ANSWER_S = 1
const LEAST_TOKENS = 20
const TICK_MS = 2

/** One load, a few seconds long, against what the server knows of it. */
export async function calibrateLoad(plan: LoadPlan, mock: Mock): Promise<ReturnType<typeof judgeLoad>> {
  await mock.pace(1000 / plan.tokensPerSecond)
  // Records are written as in a run: compressing them is part of the work.
  const folder = mkdtempSync(join(tmpdir(), 'twospeed-calibrate-'))
  try {
    const borne = await bear(plan, mock.origin, join(folder, 'run'))
    return judgeLoad(plan, borne, await mock.truth())
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A closed loop of so many users, a window after its ramp, and then an end to everything. */
async function bear(plan: LoadPlan, origin: string, dir: string): Promise<Borne> {
  const { workers, streams, tokensPerSecond, windowS } = plan
  const clock = createClock()
  let crash: TwospeedError | undefined
  const crew = createCrew({
    client: { origin, path: '/v1/chat/completions', endpoint: 'chat' },
    clock,
    secrets: [],
    workers,
    onCrash: (error) => {
      crash = error
    },
  })
  const health = createHealth(clock, crew)
  const writer = await createRunFolder(dir, headerOf(clock.wallIso))
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
  try {
    await Promise.all(Array.from({ length: Math.max(1, workers) }, first))
    await ramp(streams, tokens / tokensPerSecond, next)
    await sleep(SETTLE_MS)
    health.begin()
    const startUs = clock.nowUs()
    await sleep(1000 * windowS)
    const generator = health.end()
    const endUs = clock.nowUs()
    isOpen = false
    await crew.close()
    if (crash !== undefined) throw crash
    return { records, startUs, endUs, originNs: Number(clock.originNs), generator }
  } finally {
    isOpen = false
    await crew.close()
    await writer.close()
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
