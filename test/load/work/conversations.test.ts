import { describe, expect, it } from 'vitest'
import type { RequestRecord } from '../../../src/core/index.ts'
import type { SyntheticSource, WorkSource } from '../../../src/load/work/source.ts'
import { bodyOf, messagesOf, type Said, workOf } from './plan.ts'

const record = (more: Partial<RequestRecord> = {}): RequestRecord => ({
  id: 'r',
  point: 0,
  sentS: 0,
  endS: 1,
  outcome: 'ok',
  outputTokens: 20,
  tokenSource: 'usage',
  gapsUs: [],
  ...more,
})

const source: SyntheticSource = {
  kind: 'synthetic',
  input: { kind: 'fixed', tokens: 50 },
  output: { kind: 'fixed', tokens: 20 },
  turns: 4,
}

/** So many requests of one user, each answered: the messages of each. */
function talked(given: WorkSource, user: number, count: number, endpoint: 'chat' | 'completions' = 'chat') {
  const work = workOf({ source: given, endpoint })
  return Array.from({ length: count }, (_, index) => {
    const ask = work.next(user)
    work.answered?.(user, record(), `answer ${index}`)
    return ask
  })
}

describe('a conversation', () => {
  // User 3 of 4 turns begins with a whole one.
  const asks = talked(source, 3, 5)
  const said = asks.map(messagesOf)

  it('takes all that was said along, the answers too, and then begins anew', () => {
    expect(said.map((messages) => messages.length)).toEqual([1, 3, 5, 7, 1])
    for (const turn of [1, 2, 3]) expect(said[turn]?.slice(0, 2 * turn - 1)).toEqual(said[turn - 1])
    expect(said[3]?.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ])
    expect(said[3]?.filter(({ role }) => role === 'assistant').map(({ content }) => content)).toEqual([
      'answer 0',
      'answer 1',
      'answer 2',
    ])
    expect(said[4]?.[0]?.content).not.toBe(said[0]?.[0]?.content)
  })

  it('is asked for in tokens of all that was said: 50, and 20 + 50 a turn', () => {
    expect(asks.map(({ askedInputTokens }) => askedInputTokens)).toEqual([50, 120, 190, 260, 50])
    expect(asks.every(({ askedOutputTokens, keepText }) => askedOutputTokens === 20 && keepText === true)).toBe(true)
  })

  it('lands on its lengths once the template around a turn is known, by the server’s own count', () => {
    const work = workOf({ source, counting: { overhead: 11, perWord: 1 } })
    // Eleven tokens around a prompt, and four more around each message after the first.
    const count = (messages: readonly Said[]): number =>
      7 + messages.reduce((sum, { content }) => sum + 4 + content.trim().split(' ').length, 0)
    const off = Array.from({ length: 12 }, () => {
      const ask = work.next(3)
      const inputTokens = count(messagesOf(ask))
      const answer = Array.from({ length: 20 }, () => 'word').join(' ')
      work.answered?.(3, record({ inputTokens, outputTokens: 20 }), answer)
      return inputTokens - (ask.askedInputTokens ?? 0)
    })
    expect(off).toEqual([0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
  })

  it('ends where a request fails or is cancelled', () => {
    for (const outcome of ['failed', 'cancelled'] as const) {
      const work = workOf({ source })
      work.next(3)
      work.answered?.(3, record({ outcome }), 'half an ans')
      expect(messagesOf(work.next(3)), outcome).toHaveLength(1)
    }
  })

  it('is each user’s own, and they are not all at the same turn', () => {
    const work = workOf({ source })
    const turns = [0, 1, 2, 3].map((user) => {
      const counts: number[] = []
      for (let i = 0; i < 4; i++) {
        counts.push(messagesOf(work.next(user)).length)
        work.answered?.(user, record(), `to ${user}`)
      }
      return counts
    })
    expect(turns).toEqual([
      [1, 1, 3, 5],
      [1, 3, 1, 3],
      [1, 3, 5, 1],
      [1, 3, 5, 7],
    ])
  })

  it('of a completion is one text', () => {
    const [, second] = talked(source, 3, 2, 'completions')
    const prompt = String(second && bodyOf(second).prompt)
    expect(prompt.split('\n\n')).toHaveLength(3)
    expect(prompt.split('\n\n')[1]).toBe('answer 0')
  })
})

describe('a recorded conversation', () => {
  const own = (turns: number): WorkSource => ({
    kind: 'own',
    prompts: [
      { kind: 'talk', system: 'be short', says: ['one', 'two', 'three'] },
      { kind: 'talk', says: ['other'] },
    ],
    turns,
  })

  it('says what the user said, and hears this server’s answers', () => {
    // The first conversation of user 1 is two turns long.
    const [, second, third, fourth] = talked(own(3), 1, 4)
    expect(second && messagesOf(second)).toEqual([
      { role: 'system', content: 'be short' },
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'answer 0' },
      { role: 'user', content: 'two' },
    ])
    expect(third && messagesOf(third)).toEqual([{ role: 'user', content: 'other' }])
    expect(fourth && messagesOf(fourth)).toHaveLength(2)
  })

  it('is its first turn where no turns are asked for', () => {
    const [first, second] = talked(own(1), 0, 2)
    expect(first && messagesOf(first)).toEqual([
      { role: 'system', content: 'be short' },
      { role: 'user', content: 'one' },
    ])
    expect(second && messagesOf(second)).toEqual([{ role: 'user', content: 'other' }])
  })

  it('has no limit of its own: answers end where the model ends them', () => {
    const [first] = talked(own(1), 0, 1)
    expect(first && Object.keys(bodyOf(first)).sort()).toEqual(['messages', 'model', 'stream', 'stream_options'])
  })
})
