import { describe, expect, it } from 'vitest'
import type { RequestRecord } from '../../../src/core/index.ts'
import { createCounterHere } from '../../../src/load/counting/answer-counter.ts'
import { countingClient } from '../../../src/load/counting/token-counter.ts'
import type { Client, Exchange, OnEnd, Seen } from '../../../src/load/http/client.ts'

const record = (more: Partial<RequestRecord> = {}): RequestRecord => ({
  id: 'a',
  point: 0,
  sentS: 1,
  endS: 2,
  outcome: 'ok',
  outputTokens: 3,
  tokenSource: 'events',
  gapsUs: [1, 1],
  ...more,
})

/** A client whose answers are those given; what it was asked. */
function answering(answer: RequestRecord, seen: Seen) {
  const asked: Exchange[] = []
  const client = {
    send(exchange: Exchange, onEnd: OnEnd) {
      asked.push(exchange)
      onEnd(answer, seen)
      return () => {}
    },
  } as unknown as Client
  return { asked, client }
}

const letters = (text: string): number => text.length

async function ended(
  answer: RequestRecord,
  seen: Seen,
): Promise<{ record: RequestRecord; seen: Seen; asked: Exchange[] }> {
  const { client, asked } = answering(answer, seen)
  return new Promise((resolve) => {
    countingClient(client, createCounterHere(letters)).send({ id: 'a', point: 0, body: '{}' }, (record, seen) =>
      resolve({ record, seen, asked }),
    )
  })
}

describe('an answer whose tokens nobody counts', () => {
  const seen = { events: 3, text: 'abcd', reasoningText: 'ef', otherText: 'g' }

  it('has its text kept, and its tokens counted in text of every kind', async () => {
    const result = await ended(record(), seen)
    expect(result.asked).toEqual([{ id: 'a', point: 0, body: '{}', keepText: true }])
    expect(result.record).toEqual({ ...record(), outputTokens: 7, tokenSource: 'tokenizer' })
    expect(result.seen).toBe(seen)
  })

  it('is counted as far as it came, where it failed or was cancelled', async () => {
    for (const outcome of ['failed', 'cancelled'] as const) {
      expect((await ended(record({ outcome }), seen)).record).toMatchObject({
        outputTokens: 7,
        tokenSource: 'tokenizer',
      })
    }
  })

  it('keeps the count of the server, of several choices, and of an answer without text', async () => {
    const usage = record({ tokenSource: 'usage', outputTokens: 5 })
    expect((await ended(usage, seen)).record).toBe(usage)
    const several = record({ choices: 2 })
    expect((await ended(several, seen)).record).toBe(several)
    const empty = record({ outputTokens: 0 })
    expect((await ended(empty, { events: 0, text: '', reasoningText: '', otherText: '' })).record).toBe(empty)
  })

  it('is counted after the turn in which it ended', async () => {
    const { client } = answering(record(), seen)
    let isCounted = false
    const done = new Promise<void>((resolve) => {
      const count = (text: string): number => {
        isCounted = true
        return text.length
      }
      countingClient(client, createCounterHere(count)).send({ id: 'a', point: 0, body: '{}' }, () => resolve())
    })
    await Promise.resolve()
    expect(isCounted).toBe(false)
    await done
    expect(isCounted).toBe(true)
  })
})
