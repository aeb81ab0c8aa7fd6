import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RequestRecord } from '../../src/core/index.ts'
import { createClock } from '../../src/load/clock.ts'
import { createClient, type Seen } from '../../src/load/http/client.ts'
import { requestBody } from '../../src/wire/index.ts'
import { type WireCase, type WireExpectation, wireCases } from '../support/wire-case.ts'

const FOLDER = new URL('../fixtures/cases/wire/', import.meta.url)
const PATHS = { chat: 'chat/completions', completions: 'completions', responses: 'responses' }

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
  wanted: WireExpectation,
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

/** Asks for a case's answer, with the limits that it names or those given. */
async function play({ id, endpoint, measure = {} }: WireCase, limits = measure): Promise<[RequestRecord, Seen]> {
  const path = `/${id}/v1/${PATHS[endpoint]}`
  const client = createClient({ origin, path, endpoint, clock: createClock(), keepText: true, limits })
  const body = JSON.stringify(requestBody(endpoint, { model: 'wire-model', prompt: 'hello', outputTokens: 64 }))
  const ended = await new Promise<[RequestRecord, Seen]>((resolve) => {
    client.send({ id: `${id}-1`, point: 0, body }, (...both) => resolve(both))
  })
  await client.close()
  return ended
}

// Each case over a real socket, replayed by a process of its own; the record that the client makes of it is judged.
describe('wire cases', () => {
  for (const wire of wireCases) {
    it(`${wire.id} ${wire.title}`, async () => {
      const before = await hitsOf(wire.id)
      const [record, seen] = await play(wire)
      const hit = await hitsOf(wire.id)
      expect(record.id).toBe(`${wire.id}-1`)
      judge(record, seen, wire.expect, { ...hit, requests: hit.requests - before.requests })
    })
  }
})

it('does not take for silence what a busy client was too late to read', async () => {
  const stall = wireCases.find(({ id }) => id === 'W139') as WireCase
  const answer = play(stall, { idleTimeoutMs: 800 })
  await sleep(300)
  // Tokens come at 150 and 850 ms; the second lies in the socket when the limit has passed.
  const until = performance.now() + 800
  while (performance.now() < until);
  const [record] = await answer
  expect(record.outcome).toBe('ok')
  expect(Math.max(...record.gapsUs)).toBeGreaterThan(800_000)
})
