import { afterEach, beforeEach, expect, it } from 'vitest'
import type { RequestRecord } from '../../src/core/index.ts'
import { createClock } from '../../src/load/clock.ts'
import { type Client, createClient } from '../../src/load/http/client.ts'
import { type PaceMock, startPaceMock } from '../../src/serve/mock.ts'

const clock = createClock()
let mock: PaceMock
let client: Client
beforeEach(async () => {
  mock = await startPaceMock()
  client = createClient({
    origin: `http://127.0.0.1:${mock.port}`,
    path: '/v1/chat/completions',
    endpoint: 'chat',
    clock,
  })
})
afterEach(async () => {
  await client.close()
  mock.close()
})

const ask = (id: string, tokens: number): Promise<RequestRecord> =>
  new Promise((resolve) => {
    client.send({ id, point: 0, body: JSON.stringify({ max_tokens: tokens }) }, resolve)
  })

it('logs the moment before each token is written, one for each that a client sees', async () => {
  mock.pace(5)
  const records = await Promise.all(['a', 'b', 'c'].map((id, i) => ask(id, 10 + i)))
  const { tokenNs, lateMs } = mock.truth()
  expect(lateMs).toBeGreaterThanOrEqual(0)
  for (const [i, { id, outcome, outputTokens, tokenSource, gapsUs, firstTokenS = 0 }] of records.entries()) {
    expect({ outcome, outputTokens, tokenSource }).toEqual({
      outcome: 'ok',
      outputTokens: 10 + i,
      tokenSource: 'usage',
    })
    expect(gapsUs).toHaveLength(9 + i)
    let seenS = firstTokenS
    for (const [at, ns] of [...(tokenNs.get(id) ?? [])].entries()) {
      seenS += (gapsUs[at - 1] ?? 0) / 1e6
      expect(seenS).toBeGreaterThan((ns - Number(clock.originNs)) / 1e9 - 2e-6)
    }
    expect(tokenNs.get(id)).toEqual(tokenNs.get(id)?.toSorted())
  }
  // No step before its time: ten tokens take nine gaps at least, but for what the first came late.
  const [first = 0, ...later] = tokenNs.get('a') ?? []
  expect((later.at(-1) ?? 0) - first).toBeGreaterThan((9 * 5 - lateMs - 1) * 1e6)
})

it('steps at the pace that it was told last, and forgets what was before', async () => {
  mock.pace(1)
  await ask('before', 3)
  mock.pace(30)
  await ask('after', 4)
  const { tokenNs } = mock.truth()
  expect([...tokenNs.keys()]).toEqual(['after'])
  const [first = 0, , , last = 0] = tokenNs.get('after') ?? []
  expect(last - first).toBeGreaterThan(60e6)
})

it('writes no more to who has gone', async () => {
  mock.pace(5)
  const left = new Promise<RequestRecord>((resolve) => {
    const cancel = client.send({ id: 'left', point: 0, body: '{"max_tokens":100000}' }, resolve)
    setTimeout(cancel, 60)
  })
  expect((await left).outcome).toBe('cancelled')
  await ask('other', 3)
  const count = () =>
    mock
      .truth()
      .tokenNs.get('left')
      ?.filter((ns) => ns > 0).length
  const before = count()
  await ask('another', 3)
  expect(count()).toBe(before)
})
