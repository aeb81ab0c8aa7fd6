import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RequestRecord } from '../../src/core/index.ts'
import { createClient, type Seen } from '../../src/load/client.ts'
import { createClock } from '../../src/load/clock.ts'
import { requestBody } from '../../src/wire/index.ts'

/** Each wire case over a real socket, replayed by a process of its own; the record that the client makes of it is judged. */
interface Expectation {
  readonly outcome?: string
  readonly errorKind?: string | readonly string[]
  readonly status?: number
  readonly ttftMs?: number
  readonly lastTokenMs?: number
  readonly tolMs?: number
  readonly ttftTolMs?: number
  readonly tpotMs?: number | null
  readonly gapsMs?: readonly number[]
  readonly events?: number
  readonly outputTokens?: number
  readonly tokenSource?: string
  readonly inputTokens?: number
  readonly tokensPerEvent?: readonly number[]
  readonly finishReason?: string
  readonly text?: string
  readonly reasoningText?: string
  readonly textLength?: number
  readonly endMs?: number
  readonly endTolMs?: number
  readonly requests?: number
  readonly errorIncludes?: string
}

interface WireCase {
  readonly id: string
  readonly title: string
  readonly endpoint: 'chat' | 'completions' | 'responses'
  readonly measure?: Readonly<Record<string, number>>
  readonly expect: Expectation
}

const FOLDER = new URL('../fixtures/cases/wire/', import.meta.url)
const PATHS = { chat: 'chat/completions', completions: 'completions', responses: 'responses' }
const cases = readdirSync(FOLDER)
  .sort()
  .map((name): WireCase => JSON.parse(readFileSync(new URL(`${name}/case.json`, FOLDER), 'utf8')))

let server: ChildProcess
let origin = ''

beforeAll(async () => {
  const program = new URL('../support/replay-server.mjs', import.meta.url).pathname
  server = spawn(process.execPath, [program, FOLDER.pathname], { stdio: ['ignore', 'pipe', 'inherit'] })
  origin = await new Promise((resolve) => {
    server.stdout?.once('data', (line: Buffer) => resolve(line.toString().trim().replace('listening ', '')))
  })
})

afterAll(() => {
  server.kill()
})

async function hitsOf(id: string): Promise<{ requests: number; lateMs: number }> {
  const hits = (await (await fetch(`${origin}/hits`)).json()) as Record<string, { requests: number; lateMs: number }>
  return hits[id] ?? { requests: 0, lateMs: 0 }
}

const near = (actual: number | undefined, expected: number, tolerance: number, what: string): void => {
  expect(actual, what).toBeDefined()
  expect(Math.abs((actual ?? 0) - expected), `${what}: ${actual} against ${expected}`).toBeLessThanOrEqual(tolerance)
}

function judge(
  record: RequestRecord,
  seen: Seen,
  wanted: Expectation,
  hit: { requests: number; lateMs: number },
): void {
  const tolMs = (wanted.tolMs ?? 5) + hit.lateMs
  const sinceSent = (s: number | undefined): number | undefined => s && (s - record.sentS) * 1e3
  if (wanted.outcome !== undefined) expect(record.outcome).toBe(wanted.outcome)
  if (wanted.errorKind !== undefined) expect([wanted.errorKind].flat()).toContain(record.error?.kind)
  if (wanted.outcome === 'ok') expect(record.error).toBeUndefined()
  if (wanted.status !== undefined) expect(record.error?.status).toBe(wanted.status)
  if (wanted.errorIncludes !== undefined) expect(record.error?.message).toContain(wanted.errorIncludes)
  for (const key of ['outputTokens', 'tokenSource', 'inputTokens', 'tokensPerEvent', 'finishReason'] as const) {
    if (wanted[key] !== undefined) expect(record[key], key).toEqual(wanted[key])
  }
  for (const key of ['events', 'text', 'reasoningText'] as const) {
    if (wanted[key] !== undefined) expect(seen[key], key).toEqual(wanted[key])
  }
  if (wanted.textLength !== undefined) expect(seen.text).toHaveLength(wanted.textLength)
  if (wanted.requests !== undefined) expect(hit.requests).toBe(wanted.requests)

  if (wanted.ttftMs === undefined) {
    if (wanted.outcome === 'failed') expect(record.firstTokenS).toBeUndefined()
  } else {
    near(sinceSent(record.firstTokenS), wanted.ttftMs, (wanted.ttftTolMs ?? wanted.tolMs ?? 5) + hit.lateMs, 'TTFT')
  }
  if (wanted.lastTokenMs !== undefined) near(sinceSent(record.lastTokenS), wanted.lastTokenMs, tolMs, 'last token')
  const decodeMs = record.gapsUs.reduce((sum, gap) => sum + gap, 0) / 1e3
  if (wanted.tpotMs === null) expect(decodeMs).toBe(0)
  if (typeof wanted.tpotMs === 'number') near(decodeMs / (record.outputTokens - 1), wanted.tpotMs, tolMs, 'TPOT')
  if (wanted.gapsMs !== undefined) {
    expect(record.gapsUs).toHaveLength(wanted.gapsMs.length)
    for (const [i, gap] of wanted.gapsMs.entries()) near((record.gapsUs[i] ?? 0) / 1e3, gap, 2 * tolMs, `gap ${i}`)
  }
  if (wanted.endMs !== undefined)
    near(sinceSent(record.endS), wanted.endMs, (wanted.endTolMs ?? tolMs) + hit.lateMs, 'end')
}

describe('wire cases', () => {
  for (const { id, title, endpoint, measure, expect: wanted } of cases) {
    it(`${id} ${title}`, async () => {
      const before = await hitsOf(id)
      const client = createClient({
        origin,
        path: `/${id}/v1/${PATHS[endpoint]}`,
        endpoint,
        clock: createClock(),
        keepText: true,
        ...(measure !== undefined && { limits: measure }),
      })
      const [record, seen] = await new Promise<[RequestRecord, Seen]>((resolve) => {
        const body = JSON.stringify(requestBody(endpoint, { model: 'wire-model', prompt: 'hello', outputTokens: 64 }))
        client.send({ id: `${id}-1`, point: 0, body }, (...ended) => resolve(ended))
      })
      await client.close()
      const hit = await hitsOf(id)
      expect(record.id).toBe(`${id}-1`)
      judge(record, seen, wanted, { ...hit, requests: hit.requests - before.requests })
    })
  }
})
