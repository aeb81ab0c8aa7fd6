import { describe, expect, it } from 'vitest'
import { type Answer, createAnswerReader, createShapes, type Ending } from '../../src/wire/index.ts'
import { bytesOf, type WireCase, wireCases } from '../support/wire-case.ts'

const ENDINGS: Readonly<Record<WireCase['end'], Ending>> = { end: 'end', reset: 'reset', close: 'closed', hang: 'left' }
/** Those whose answer the bytes alone decide. */
const answered = wireCases.filter(({ http, measure }) => http.status === 200 && measure === undefined)

interface Read {
  readonly atUs: number
  readonly bytes: Uint8Array
}

function read(wire: WireCase, reads: readonly Read[], options: Partial<Parameters<typeof createAnswerReader>[0]> = {}) {
  const reader = createAnswerReader({ endpoint: wire.endpoint, ...options })
  const completed = reads.map(({ bytes, atUs }) => reader.feed(bytes, atUs))
  return { answer: reader.end(ENDINGS[wire.end]), completed }
}

const inOrder = (answer: Answer): string => JSON.stringify(Object.entries(answer).sort())

describe('an answer', () => {
  for (const wire of answered) {
    const { expect: wanted, chunks } = wire
    const reads = chunks.map((chunk) => ({ atUs: chunk.atMs * 1e3, bytes: bytesOf(chunk) }))

    it(`${wire.id} ${wire.title}`, () => {
      const { answer } = read(wire, reads, { keepText: true })
      const kinds = [wanted.errorKind ?? []].flat()
      if (wanted.outcome === 'ok') expect(answer.fault).toBeUndefined()
      else expect(kinds).toContain(answer.fault?.kind)
      if (wanted.errorIncludes !== undefined) expect(answer.fault?.message).toContain(wanted.errorIncludes)
      const keys = [
        'events',
        'outputTokens',
        'tokenSource',
        'inputTokens',
        'tokensPerEvent',
        'finishReason',
        'text',
        'reasoningText',
      ] as const
      for (const key of keys) if (wanted[key] !== undefined) expect(answer[key], key).toEqual(wanted[key])
      expect(answer.firstTokenUs).toBe(wanted.ttftMs && wanted.ttftMs * 1e3)
      expect(answer.lastTokenUs).toBe(wanted.lastTokenMs === undefined ? answer.firstTokenUs : wanted.lastTokenMs * 1e3)
      if (wanted.gapsMs !== undefined) expect(answer.gapsUs).toEqual(wanted.gapsMs.map((ms) => ms * 1e3))
      if (wanted.textLength !== undefined) expect(answer.text).toHaveLength(wanted.textLength)
    })

    const bytes = Buffer.concat(reads.map((one) => one.bytes))
    if (bytes.length > 20_000) continue

    it(`${wire.id} is the same cut at any byte, skimmed or not`, () => {
      const eachByte = [...bytes].map((byte, atUs) => ({ atUs, bytes: Uint8Array.of(byte) }))
      const { answer: whole, completed } = read(wire, eachByte)
      const { endpoint } = wire
      const readers = [
        createAnswerReader({ endpoint }),
        createAnswerReader({ endpoint, shapes: createShapes(endpoint) }),
      ]
      let early = 0
      for (let cut = 0; cut <= bytes.length; cut++) {
        const halves = [
          { atUs: 1, bytes: bytes.subarray(0, cut) },
          { atUs: 2, bytes: bytes.subarray(cut) },
        ]
        if (cut > 0) early += completed[cut - 1] ?? 0
        const times = Array.from({ length: whole.events }, (_, i) => (i < early ? 1 : 2))
        const timed: Answer = {
          ...whole,
          gapsUs: times.slice(1).map((at, i) => at - (times[i] ?? 0)),
          ...(times.length > 0 && { firstTokenUs: times[0] ?? 0, lastTokenUs: times.at(-1) ?? 0 }),
        }
        for (const reader of readers) {
          reader.reset()
          for (const half of halves) reader.feed(half.bytes, half.atUs)
          const answer = reader.end(ENDINGS[wire.end])
          // toEqual for the failure's sake alone: it takes a hundred times as long.
          if (inOrder(answer) !== inOrder(timed)) expect(answer, `cut at ${cut}`).toEqual(timed)
        }
      }
    })
  }
})

const chunk = (choice: object, more: object = {}): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }], ...more })}\n\n`
const token = (text: string, more: object = {}): string => chunk({ delta: { content: text } }, more)
const FINISH = chunk({ delta: {}, finish_reason: 'stop' })

function answerOf(body: string, how: Ending = 'end', endpoint: WireCase['endpoint'] = 'chat'): Answer {
  const reader = createAnswerReader({ endpoint, keepText: true })
  reader.feed(new TextEncoder().encode(body), 5)
  return reader.end(how)
}

describe('what an answer counts', () => {
  it('adds reasoning only where the total gives it away as left out', () => {
    const usage = (completion: number, reasoning: number, total: number): string =>
      `data: ${JSON.stringify({
        choices: [],
        usage: {
          prompt_tokens: 10,
          completion_tokens: completion,
          total_tokens: total,
          completion_tokens_details: { reasoning_tokens: reasoning },
        },
      })}\n\n`
    expect(answerOf(token('a') + usage(5, 3, 18)).outputTokens).toBe(8)
    expect(answerOf(token('a') + usage(5, 3, 15)).outputTokens).toBe(5)
    expect(answerOf(token('a') + usage(5, 0, 15)).outputTokens).toBe(5)
  })

  it('tells the tokens of each event only where each told the count so far, and the count never fell', () => {
    const counted = (text: string, tokens: number): string => token(text, { usage: { completion_tokens: tokens } })
    expect(answerOf(counted('a', 2) + counted('b', 3) + FINISH).tokensPerEvent).toEqual([2, 1])
    expect(answerOf(counted('a', 2) + token('b') + counted('c', 5) + FINISH).tokensPerEvent).toBeUndefined()
    expect(answerOf(counted('a', 2) + counted('b', 1) + FINISH).tokensPerEvent).toBeUndefined()
    // Tokens whose text is still empty come with the next text.
    expect(answerOf(counted('a', 1) + counted('', 2) + counted('é', 3) + FINISH).tokensPerEvent).toEqual([1, 2])
  })

  it('takes no count that is not a whole number for one', () => {
    for (const odd of [null, -1, 2.5, '7', {}, Number.MAX_VALUE]) {
      const { outputTokens, tokenSource } = answerOf(token('a', { usage: { completion_tokens: odd } }) + FINISH)
      expect([outputTokens, tokenSource], JSON.stringify(odd)).toEqual([1, 'events'])
    }
  })

  it('reads names, arguments, refusals and reasoning as tokens; ids, roles and unknown parts not', () => {
    const deltas: readonly (readonly [object, number])[] = [
      [{ function_call: { name: 'f' } }, 1],
      [{ function_call: { arguments: '{' } }, 1],
      [{ function_call: { name: '', arguments: '' } }, 0],
      [{ tool_calls: [{ id: 'x', type: 'function', function: {} }] }, 0],
      [{ tool_calls: null, refusal: '', role: 'assistant' }, 0],
      [{ reasoning: ' ' }, 1],
      [{ content: [{ type: 'image', text: 'x' }, 'y', null, 3] }, 0],
      [{ content: [{ type: 'thinking', thinking: 'x' }] }, 1],
      [{ content: 5 }, 0],
      [{ audio: { data: 'x' } }, 0],
    ]
    for (const [delta, events] of deltas) expect(answerOf(chunk({ delta })).events, JSON.stringify(delta)).toBe(events)
  })

  it('joins reasoning that comes in two different texts', () => {
    expect(answerOf(chunk({ delta: { reasoning: 'b', reasoning_content: 'a' } })).reasoningText).toBe('ab')
  })
})

describe('how an answer ends', () => {
  const kindOf = (body: string, how: Ending = 'end'): string | undefined => answerOf(body, how).fault?.kind

  it('is complete with a finish reason, a usage in a chunk without choices, or [DONE]', () => {
    const usage = 'data: {"choices":[],"usage":{"completion_tokens":1}}\n\n'
    for (const last of [FINISH, usage, 'data: {"usage":{}}\n\n', 'data: [DONE]\n\n', 'data:  [DONE] \n\n']) {
      for (const how of ['end', 'closed', 'reset'] as const)
        expect(kindOf(token('a') + last, how), last).toBeUndefined()
      expect(kindOf(last), last).toBe('empty')
    }
    const counted = token('a', { usage: { completion_tokens: 1 } })
    expect(kindOf(counted)).toBe('truncated')
    expect(kindOf(token('a'), 'closed')).toBe('truncated')
    expect(kindOf(token('a'), 'reset')).toBe('reset')
  })

  it('has nothing undone after [DONE]', () => {
    const body = `${token('a')}data: [DONE]\n\n{"error": {}}\n\ndata: x\n\nevent: error\ndata: y\n\n`
    expect(answerOf(body, 'reset')).toMatchObject({ events: 1, text: 'a' })
    expect(kindOf(body, 'reset')).toBeUndefined()
  })

  it('takes the first kind that applies, whichever came first', () => {
    const malformed = 'data: oops\n\n'
    const server = 'data: {"error": "out of memory"}\n\n'
    expect(kindOf(malformed + token('a') + FINISH)).toBe('malformed')
    expect(kindOf(malformed + server)).toBe('server')
    expect(kindOf(server + malformed)).toBe('server')
    expect(kindOf(malformed, 'reset')).toBe('malformed')
  })

  it('tells an error of the server in each of its forms, in its own words', () => {
    const forms: readonly (readonly [string, string])[] = [
      ['data: {"error":{"message":"m1"}}\n\n', 'm1'],
      ['data: {"error":"m2"}\n\n', 'm2'],
      ['data: {"object":"error","message":"m3","code":500}\n\n', 'm3'],
      ['event: error\ndata: {"message":"m4"}\n\n', 'm4'],
      ['event: error\ndata: m5\n\n', 'm5'],
      ['data: {"error":{"code":7}}\n\n', '{"code":7}'],
      ['{"error":{"message":"m6"}}', 'm6'],
      ['\n  {"object":"error","message":"m7"}\n', 'm7'],
    ]
    for (const [body, message] of forms) expect(answerOf(body).fault, body).toEqual({ kind: 'server', message })
    const none = [null, false, 0, '']
    for (const error of none) expect(kindOf(token('a', { error }) + FINISH), String(error)).toBeUndefined()
  })

  it('knows a body that is no event stream by the body', () => {
    for (const body of [
      '{"choices":[]}',
      '{"a":1}\n{"b":2}\n',
      '<!doctype html><p>Hello</p>',
      'null',
      '{"error":null}',
    ]) {
      expect(kindOf(body), body).toBe('notStreaming')
      expect(kindOf(body, 'reset'), body).toBe('notStreaming')
    }
    expect(kindOf('')).toBe('empty')
    expect(kindOf('', 'closed')).toBe('truncated')
    expect(kindOf('\n\n')).toBe('truncated')
    expect(kindOf(': ping\n\n')).toBe('truncated')
    expect(kindOf('dat', 'reset')).toBe('reset')
  })

  it('uses an unterminated last event only at a proper end, and only if it is whole', () => {
    const last = token('b').trimEnd()
    expect(answerOf(token('a') + last).events).toBe(2)
    expect(answerOf(token('a') + last, 'closed').events).toBe(1)
    expect(answerOf(token('a') + last.slice(0, -1)).events).toBe(1)
    expect(kindOf(token('a') + FINISH + last.slice(0, -1))).toBeUndefined()
    expect(kindOf(`${token('a')}data: [DONE]`)).toBeUndefined()
  })

  it('is not changed by pings and blank events, whatever they hold', () => {
    expect(kindOf(`event: ping\ndata: now\n\ndata:  \n\n${token('a')}${FINISH}`)).toBeUndefined()
  })

  it('refuses an event that is too large', () => {
    const reader = createAnswerReader({ endpoint: 'chat' })
    const megabyte = new Uint8Array(2 ** 20).fill(120)
    reader.feed(new TextEncoder().encode('data: '), 0)
    for (let i = 0; i < 63; i++) reader.feed(megabyte, i)
    expect(reader.isOver()).toBe(false)
    for (let i = 63; i < 65; i++) reader.feed(megabyte, i)
    expect(reader.isOver()).toBe(true)
    expect(reader.end('end').fault?.kind).toBe('malformed')
  })
})

describe('a response', () => {
  const event = (type: string, rest: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`
  const delta = event('response.output_text.delta', { delta: 'a' })

  it('ends with its last state', () => {
    const incomplete = event('response.incomplete', {
      response: { incomplete_details: { reason: 'max_output_tokens' } },
    })
    expect(answerOf(delta + incomplete + delta, 'reset', 'responses')).toMatchObject({
      events: 1,
      finishReason: 'max_output_tokens',
    })
    expect(answerOf(delta + incomplete, 'reset', 'responses').fault).toBeUndefined()
    expect(answerOf(delta, 'end', 'responses').fault?.kind).toBe('truncated')
  })

  it('fails with an error event', () => {
    const failed = answerOf(delta + event('error', { code: 'x', message: 'overloaded' }), 'end', 'responses')
    expect(failed.fault).toEqual({ kind: 'server', message: 'overloaded' })
  })

  it('bears tokens in deltas of every kind', () => {
    const kinds = ['refusal', 'function_call_arguments', 'reasoning_summary_text', 'reasoning_text']
    const body = kinds.map((kind) => event(`response.${kind}.delta`, { delta: kind.slice(0, 1) })).join('')
    expect(answerOf(body, 'end', 'responses')).toMatchObject({ events: 4, text: '', reasoningText: 'rr' })
    expect(answerOf(event('response.output_text.delta', { delta: '' }), 'end', 'responses').events).toBe(0)
  })
})

describe('a reader', () => {
  it('serves one body after another', () => {
    const reader = createAnswerReader({ endpoint: 'chat', keepText: true })
    const fresh = (body: string): void => {
      reader.reset()
      reader.feed(new TextEncoder().encode(body), 5)
      expect(reader.end('end')).toEqual(answerOf(body))
    }
    fresh(
      `${token('a', { usage: { prompt_tokens: 3, completion_tokens: 9 } })}${chunk({ index: 1, finish_reason: 'x' })}`,
    )
    fresh('data: {"error":"x"}\n\n')
    fresh('data: oops\n\n')
    fresh('<html>')
    fresh(`${token('b').repeat(700)}${FINISH}data: [DONE]\n\n`)
    fresh(token('c'))
    fresh('')
  })

  it('rounds arrivals, and takes gaps between what was rounded', () => {
    const reader = createAnswerReader({ endpoint: 'chat' })
    const bytes = new TextEncoder().encode(token('a'))
    for (const us of [0.4, 0.6, 2.4, 3.7]) reader.feed(bytes, us)
    expect(reader.lastTokenUs()).toBe(4)
    expect(reader.end('end')).toMatchObject({ firstTokenUs: 0, lastTokenUs: 4, gapsUs: [1, 1, 2] })
  })
})
