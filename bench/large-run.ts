/** A run folder as large as one likes, the same each time, and as a long run against a real server would leave it. */
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRandom, type PointHeader, type RequestRecord, RUN_SCHEMA, type RunHeader } from '../src/core/index.ts'
import { createRunFolder } from '../src/store/index.ts'

export interface LargeRun {
  readonly requests: number
  readonly tokens: number
  /** Users of each point. */
  readonly loads: readonly number[]
}

/** T(B) = 10 ms + 20 µs × B. */
const stepUs = (batch: number): number => 10_000 + 20 * batch
const SCATTER = 0.02
/** One step in so many carries another request's prefill. */
const PREFILL_EVERY = 50
const PREFILL_US = 8000
const FIRST_TOKEN_US = 60_000
/** The store takes records as they come and compresses them meanwhile; so many wait in memory at the most. */
const SHARD = 10_000

/** Writes into the folder, shard after shard, and joins them: gzip members stand one after another. */
export async function writeLargeRun(dir: string, { requests, tokens, loads }: LargeRun): Promise<void> {
  const random = createRandom('large run')
  /** Normal enough: the sum of four uniforms, its deviation 1. */
  const scatter = (): number => (random.next() + random.next() + random.next() + random.next() - 2) * Math.sqrt(3)

  const recordOf = (id: string, point: number, batch: number, sentUs: number): RequestRecord => {
    const gapsUs: number[] = []
    let lastUs = 0
    for (let gap = 1; gap < tokens; gap++) {
      const prefillUs = random.below(PREFILL_EVERY) === 0 ? PREFILL_US : 0
      const gapUs = Math.round(stepUs(batch) * (1 + SCATTER * scatter())) + prefillUs
      gapsUs.push(gapUs)
      lastUs += gapUs
    }
    const firstUs = sentUs + Math.round(FIRST_TOKEN_US * (1 + 0.2 * Math.abs(scatter())))
    lastUs += firstUs
    return {
      id,
      point,
      sentS: sentUs / 1e6,
      firstByteS: (firstUs - 150) / 1e6,
      firstTokenS: firstUs / 1e6,
      lastTokenS: lastUs / 1e6,
      endS: (lastUs + 40 + random.below(60)) / 1e6,
      outcome: 'ok',
      finishReason: 'length',
      askedInputTokens: 512,
      askedOutputTokens: tokens,
      inputTokens: 512,
      outputTokens: tokens,
      tokenSource: 'usage',
      gapsUs,
    }
  }

  const points: PointHeader[] = []
  const header: RunHeader = {
    schema: RUN_SCHEMA,
    createdAt: '2026-12-01T00:00:00.000Z',
    twospeed: '0.1.0',
    target: { url: 'http://127.0.0.1:8000/v1/chat/completions', model: 'large' },
    hardware: { gpus: 1 },
    workload: { inputTokens: 512, outputTokens: tokens },
    points,
  }
  const shardDir = join(dir, 'shard')
  const writeShard = async (records: readonly RequestRecord[]): Promise<void> => {
    const shard = await createRunFolder(shardDir, header)
    for (const record of records) shard.append(record)
    await shard.close()
    appendFileSync(join(dir, 'requests.jsonl.gz'), readFileSync(join(shardDir, 'requests.jsonl.gz')))
    rmSync(shardDir, { recursive: true })
  }

  let waiting: RequestRecord[] = []
  let startUs = 0
  for (const [point, users] of loads.entries()) {
    const freeUs = Array.from({ length: users }, (_, user) => startUs + (user * tokens * stepUs(users)) / users)
    for (let request = 0; request < requests / loads.length; request++) {
      const user = request % users
      const record = recordOf(`4f3a2b-${point}-${request + 1}`, point, users, Math.round(freeUs[user] ?? 0))
      freeUs[user] = record.endS * 1e6 + 100
      waiting.push(record)
      if (waiting.length < SHARD) continue
      await writeShard(waiting)
      waiting = []
    }
    const [firstFreeUs, lastFreeUs] = [Math.min(...freeUs), Math.max(...freeUs)]
    const marginUs = (firstFreeUs - startUs) / 10
    const window = { startS: (startUs + marginUs) / 1e6, endS: (firstFreeUs - marginUs) / 1e6 }
    points.push({ load: { kind: 'concurrency', value: users }, window: { ...window, steady: true, reasons: [] } })
    startUs = lastFreeUs
  }
  await writeShard(waiting)
  writeFileSync(join(dir, 'run.json'), JSON.stringify(header))
}
