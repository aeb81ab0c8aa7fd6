import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { RequestRecord, TwospeedError } from '../../src/core/index.ts'
import { createClock } from '../../src/load/clock.ts'
import type { Exchange, Seen } from '../../src/load/http/client.ts'
import type { Crew, CrewOptions } from '../../src/load/workers/crew.ts'
import { answerWell, STREAM, type StreamServer, startStreamServer, token } from '../support/stream-server.ts'

// Workers load no TypeScript: they are tested as they are built.
const built = new URL('../../dist/load/workers/crew.js', import.meta.url)
let createCrew: (options: CrewOptions) => Crew
beforeAll(async () => {
  if (!existsSync(built)) throw new Error('dist/ is not built: npm run build')
  const made = (await import(built.href)) as { readonly createCrew: typeof createCrew }
  createCrew = made.createCrew
})

const open: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

async function serverOf(...args: Parameters<typeof startStreamServer>): Promise<StreamServer> {
  const server = await startStreamServer(...args)
  open.push(server)
  return server
}

const crashes: TwospeedError[] = []
function crewOf(origin: string, options: Partial<CrewOptions> = {}, client: Partial<CrewOptions['client']> = {}): Crew {
  crashes.length = 0
  const crew = createCrew({
    client: { origin, path: '/v1/chat/completions', endpoint: 'chat', ...client },
    clock: createClock(),
    secrets: [],
    workers: 2,
    onCrash: (error) => crashes.push(error),
    ...options,
  })
  open.push(crew)
  return crew
}

const ask = (crew: Crew, exchange: Partial<Exchange> = {}): Promise<RequestRecord & { readonly seen: Seen }> =>
  new Promise((resolve) => {
    crew.send({ id: 'r', point: 0, body: '{}', ...exchange }, (record, seen) => resolve({ ...record, seen }))
  })

/** A record without what differs from one time to the next. */
const untimed = ({ sentS, firstByteS, firstTokenS, lastTokenS, endS, connectMs, gapsUs, ...rest }: RequestRecord) => ({
  ...rest,
  gaps: gapsUs.length,
  inOrder: sentS <= (firstTokenS ?? endS) && (lastTokenS ?? sentS) <= endS,
})

const NUMBERS = [0, 1, 2]
const KINDS = new Set(['ok', 'http', 'truncated'])
/** A thread takes its time to start on a machine with much to do. */
const PATIENT = { timeout: 10_000 }

describe('records and counts are the same by any number of workers', () => {
  it('of answers, failures and refusals, each once, under its own id', async () => {
    const server = await serverOf((request, response) => {
      const index = Number(String(request.headers['x-request-id']).slice(2))
      if (index % 5 === 1) response.writeHead(500).end('{"error":{"message":"out of order"}}')
      else if (index % 5 === 2) response.socket?.end()
      else if (index % 5 === 3) response.writeHead(200, STREAM).end(token('only'))
      else answerWell(request, response)
    })
    const told: unknown[] = []
    for (const workers of NUMBERS) {
      const crew = crewOf(server.origin, { workers })
      const records = await Promise.all(
        Array.from({ length: 40 }, (_, i) =>
          ask(crew, { id: `r-${i}`, point: i % 3, scheduledS: i / 8, askedInputTokens: 7, askedOutputTokens: i }),
        ),
      )
      const { events, tokenReads, active } = crew.counters()
      expect(tokenReads).toBeGreaterThan(0)
      expect(tokenReads).toBeLessThanOrEqual(events)
      expect(records.map(({ id }) => id)).toEqual(records.map((_, i) => `r-${i}`))
      expect(new Set(records.map(({ outcome, error }) => error?.kind ?? outcome))).toEqual(KINDS)
      expect(crew.workers()).toBe(workers)
      told.push({ records: records.map(untimed), events, active })
    }
    expect(told[1]).toEqual(told[0])
    expect(told[2]).toEqual(told[0])
    expect(server.requests).toHaveLength(3 * 40)
  })

  it('of what is cancelled, and of what a client closes on', async () => {
    const server = await serverOf((_, response) => response.writeHead(200, STREAM).write(token()))
    for (const workers of NUMBERS) {
      const crew = crewOf(server.origin, { workers })
      const ended: RequestRecord[] = []
      const cancels = Array.from({ length: 6 }, (_, i) =>
        crew.send({ id: `${i}`, point: 0, body: '{}' }, (record) => ended.push(record)),
      )
      await expect.poll(() => crew.counters(), PATIENT).toMatchObject({ active: 6, events: 6 })
      for (const cancel of cancels.slice(0, 2)) cancel()
      await expect.poll(() => ended.map(({ id }) => id).sort(), PATIENT).toEqual(['0', '1'])
      // A second time does nothing.
      cancels[0]?.()
      await crew.close()
      expect(ended.map(({ outcome, outputTokens }) => [outcome, outputTokens])).toEqual(Array(6).fill(['cancelled', 1]))
      expect(crew.counters()).toMatchObject({ active: 0, events: 6 })
    }
    expect(crashes).toEqual([])
  })
})

describe('to its workers a client hands', () => {
  it('limits, headers, the path and what must not be kept', async () => {
    const server = await serverOf((request, response) => {
      if (request.headers['x-request-id'] === 'slow') return
      response.writeHead(401).end('{"error":{"message":"no such key: sk-secret-0123456789abcdef"}}')
    })
    const crew = crewOf(
      server.origin,
      { secrets: ['sk-secret-0123456789abcdef'] },
      { path: '/x?y=1', headers: { authorization: 'Bearer k' }, limits: { firstTokenTimeoutMs: 60 } },
    )
    const [refused, slow] = await Promise.all([ask(crew, { id: 'refused' }), ask(crew, { id: 'slow' })])
    expect(refused?.error).toMatchObject({ kind: 'http', status: 401, message: expect.stringContaining('[redacted]') })
    expect(slow?.error).toMatchObject({ kind: 'timeout', message: 'No token came within 60 ms.' })
    expect(server.requests.map(({ url, headers }) => [url, headers.authorization])).toEqual(
      Array(2).fill(['/x?y=1', 'Bearer k']),
    )
  })

  it('the wish for an answer’s text, of all requests or of one', async () => {
    const server = await serverOf(answerWell)
    expect((await ask(crewOf(server.origin))).seen).toEqual({ events: 2 })
    expect((await ask(crewOf(server.origin), { keepText: true })).seen).toMatchObject({ text: 'ab', events: 2 })
    expect((await ask(crewOf(server.origin, {}, { keepText: true }))).seen).toMatchObject({ text: 'ab' })
  })

  it('its clock: a worker’s times lie between those of the one that asks', async () => {
    const server = await serverOf(answerWell)
    const clock = createClock()
    const crew = crewOf(server.origin, { clock })
    const beforeS = clock.nowS()
    const { sentS, firstTokenS = 0, endS } = await ask(crew)
    const afterS = clock.nowS()
    expect([beforeS, sentS, firstTokenS, endS, afterS]).toEqual(
      [beforeS, sentS, firstTokenS, endS, afterS].toSorted((a, b) => a - b),
    )
  })
})

describe('users', () => {
  it('are split evenly, and each stays where its connection is', async () => {
    const server = await serverOf((request, response) => void sleep(5).then(() => answerWell(request, response)))
    const crew = crewOf(server.origin, { workers: 3 })
    const user = async (turns: number): Promise<void> => {
      for (let i = 0; i < turns; i++) expect((await ask(crew)).outcome).toBe('ok')
    }
    await Promise.all(Array.from({ length: 12 }, () => user(6)))
    expect(server.requests).toHaveLength(72)
    expect(server.sockets).toHaveLength(12)
    expect(crew.threads().map((thread) => thread.lateReads().length)).toEqual(Array(3).fill(crew.lateReads().length))
    expect(crew.threads().every((thread) => thread.loop().active > 0)).toBe(true)
  })

  it('get more workers as they grow in number, and lose none', async () => {
    const server = await serverOf(answerWell)
    const asked: number[] = []
    const crew = crewOf(server.origin, {
      workers: ({ streams }) => {
        asked.push(streams)
        return streams > 4 ? 2 : 0
      },
    })
    await ask(crew)
    expect(crew.workers()).toBe(0)
    const records = await Promise.all(Array.from({ length: 8 }, (_, i) => ask(crew, { id: `${i}` })))
    expect(crew.workers()).toBe(2)
    expect(records.map(({ id, outcome }) => [id, outcome])).toEqual(records.map((_, i) => [`${i}`, 'ok']))
    expect(asked).toEqual([1, 1, 2, 3, 4, 5, 6, 7, 8])
    expect(crew.counters()).toMatchObject({ events: 18, active: 0 })
  })
})

it('a worker that ends by itself is told of; what it had in flight ends as cancelled, and the others go on', async () => {
  const server = await serverOf((request, response) => {
    if (request.headers['x-request-id'] === 'waits') response.writeHead(200, STREAM).write(token())
    else answerWell(request, response)
  })
  const crew = crewOf(server.origin)
  const waits = ask(crew, { id: 'waits', point: 4, askedOutputTokens: 9 })
  const other = ask(crew, { id: 'other' })
  expect((await other).outcome).toBe('ok')
  await ask(crew, { id: 'second' })
  // One in flight there, none here: of three, each worker gets one at least.
  const broken = ['a', 'b', 'c'].map((id) => ask(crew, { id, body: null as never }))
  expect(await waits).toMatchObject({ id: 'waits', point: 4, outcome: 'cancelled', askedOutputTokens: 9, gapsUs: [] })
  for (const one of broken) expect((await one).outcome).toBe('cancelled')
  expect(crashes.map(({ code }) => code)).toEqual(['BUG', 'BUG'])
  expect(crashes[0]?.message).toMatch(/^A thread of the load generator \(worker [12]\) ended by itself: /)
  // With no worker left this thread reads.
  expect((await ask(crew)).outcome).toBe('ok')
})

describe('a thread with more to send than it can', () => {
  it('hears a cancel before the last is sent, and what was not sent ends at once', async () => {
    const server = await serverOf(() => {})
    const crew = crewOf(server.origin, { workers: 1 })
    const many = 3000
    const outcomes: string[] = []
    const cancels = Array.from({ length: many }, (_, i) =>
      crew.send({ id: `r${i}`, point: 0, body: '{}' }, ({ outcome }) => outcomes.push(outcome)),
    )
    await sleep(1)
    for (const cancel of cancels) cancel()
    await expect.poll(() => outcomes.length, PATIENT).toBe(many)
    expect(new Set(outcomes)).toEqual(new Set(['cancelled']))
    expect(server.sockets.length).toBeLessThan(many)
  })
})
