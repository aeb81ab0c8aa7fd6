import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Answer, createAnswerReader, createShapes, type Ending, type Endpoint } from '../../src/wire/index.ts'

const utf8 = new TextEncoder()
const chat = (delta: unknown, choice: object = {}, more: object = {}): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_764_600_000,
  model: 'm',
  choices: [{ index: 0, delta, logprobs: null, finish_reason: null, ...choice }],
  ...more,
})
const event = (value: object): string => `data: ${JSON.stringify(value)}\n\n`

/** How many of these events are skimmed once their shape is known: the point of it all, which equality alone would not show. */
function skimmed(endpoint: Endpoint, events: readonly string[]): number {
  const shapes = createShapes(endpoint)
  let count = 0
  const skimmer = shapes.createSkimmer()
  const counting: typeof shapes = {
    learn: (span, chunk) => shapes.learn(span, chunk),
    createSkimmer: () => ({
      said: skimmer.said,
      skim(bytes, from, end) {
        const to = skimmer.skim(bytes, from, end)
        if (to > from) count++
        return to
      },
    }),
  }
  const reader = createAnswerReader({ endpoint, shapes: counting })
  for (const one of events) reader.feed(utf8.encode(one), 0)
  return count
}

function answerOf(events: readonly string[], shapes?: ReturnType<typeof createShapes>): Answer {
  const reader = createAnswerReader({ endpoint: 'chat', ...(shapes !== undefined && { shapes }) })
  for (const one of events) reader.feed(utf8.encode(one), 0)
  return reader.end('end')
}

describe('events of a known shape', () => {
  it('are skimmed, whatever the values that mean nothing', () => {
    const one = (i: number): object => ({
      ...chat({ content: `t${i} "\\\n\u2028🧁` }, { logprobs: { content: [{ token: `t${i}`, logprob: -0.5 / i }] } }),
      id: `id-${i}`,
      created: i,
      obfuscation: 'x'.repeat(i),
      nested: { list: [i, `${i}`, null, true, { deep: -1e-7 * i }] },
    })
    expect(skimmed('chat', [1, 2, 3, 4, 5].map(one).map(event))).toBe(4)
  })

  it('are skimmed with counts on each', () => {
    const one = (i: number): object =>
      chat({ content: 'x' }, {}, { usage: { prompt_tokens: 7, completion_tokens: i, total_tokens: 7 + i } })
    expect(skimmed('chat', [1, 2, 3].map(one).map(event))).toBe(2)
  })

  it('are skimmed in every dialect and layout', () => {
    const spaced = (text: string): string =>
      `data:  ${JSON.stringify(chat({ content: text }), null, 1).replaceAll('\n', ' ')} \r\n\r\n`
    const completion = (text: string): string => event({ id: text, choices: [{ text, index: 0, finish_reason: null }] })
    const called = (text: string): string =>
      event(chat({ tool_calls: [{ index: 0, id: text, function: { arguments: text } }] }))
    const response = (text: string): string => {
      const type = 'response.output_text.delta'
      return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: text.length, delta: text })}\n\n`
    }
    for (const [endpoint, one] of [
      ['chat', spaced],
      ['chat', called],
      ['completions', completion],
      ['responses', response],
    ] as const) {
      expect(skimmed(endpoint, ['a', 'bb', 'ccc'].map(one)), one('a')).toBe(2)
    }
  })

  it('are several in one stream', () => {
    const events = [
      chat({ role: 'assistant', content: 'a' }),
      chat({ reasoning: 'b', reasoning_content: 'b' }),
      chat({ content: 'c' }),
      chat({ content: 'd' }, { index: 1 }),
    ].map(event)
    expect(skimmed('chat', [...events, ...events, ...events])).toBe(8)
  })

  it('are not learnt from what means more, and none is taken for another', () => {
    const plain = event(chat({ content: 'x' }))
    for (const other of [
      chat({ content: '' }),
      chat({ content: null }),
      chat({ content: ['x'] }),
      chat({ content: 'x' }, { finish_reason: 'stop' }),
      chat({ content: 'x' }, {}, { error: 'x' }),
      { ...chat({ content: 'x' }), object: 'error' },
    ].map(event)) {
      expect(skimmed('chat', [plain, other, other]), other).toBe(0)
      // Another answer of the same server may say the same.
      const shapes = createShapes('chat')
      answerOf([plain, other], shapes)
      expect(answerOf([other], shapes), other).toEqual(answerOf([other]))
    }
    for (const broken of ['\\x"}', '\\u12g4"}', '\t"}', '\\"}']) {
      expect(skimmed('chat', [plain, plain.replace('x"}', `x${broken}`)]), broken).toBe(0)
    }
  })

  it('are told from those that differ in one value that matters', () => {
    const usage = (more: object): object => chat({ content: 'x' }, {}, { usage: { completion_tokens: 1, ...more } })
    const pairs: readonly (readonly [object, object])[] = [
      [chat({ content: 'x' }), chat({ content: '' })],
      [chat({ content: 'x' }, { finish_reason: '' }), chat({ content: 'x' }, { finish_reason: 'stop' })],
      [chat({ content: 'x' }, {}, { error: '' }), chat({ content: 'x' }, {}, { error: 'y' })],
      [chat({ content: 'x' }), { ...chat({ content: 'x' }), object: 'error' }],
      [chat({ content: 'x' }), chat({ content: 'x' }, { index: 1 })],
      [chat({ content: 'x', refusal: '' }), chat({ content: '', refusal: 'x' })],
      [chat({ refusal: 'x' }), chat({ refusal: '' })],
      [chat({ reasoning: 'x' }), chat({ reasoning: '' })],
      [chat({ reasoning_content: 'x' }), chat({ reasoning_content: '' })],
      [chat({}, { text: 'x' }), chat({}, { text: '' })],
      [
        chat({ tool_calls: [{ function: { arguments: 'x' } }] }),
        chat({ tool_calls: [{ function: { arguments: '' } }] }),
      ],
      [chat({ content: 'x' }, { index: 1 }), chat({ content: 'y' }, { index: 1 })],
      [chat({ function_call: { name: 'x' } }), chat({ function_call: { name: '' } })],
      [usage({ prompt_tokens: 1 }), usage({ prompt_tokens: 2 })],
      [usage({ input_tokens: 1 }), usage({ input_tokens: 2 })],
      [usage({ prompt_tokens_details: { cached_tokens: 1 } }), usage({ prompt_tokens_details: { cached_tokens: 2 } })],
      [
        usage({ total_tokens: 4, completion_tokens_details: { reasoning_tokens: 0 } }),
        usage({ total_tokens: 4, completion_tokens_details: { reasoning_tokens: 3 } }),
      ],
      [usage({}), chat({ content: 'x' }, {}, { usage: { completion_tokens: 7 } })],
    ]
    for (const [one, other] of pairs.map((pair) => pair.map(event)) as [string, string][]) {
      for (const events of [[one, one, one, other, one], [other], [one, other]]) {
        const shapes = createShapes('chat')
        answerOf([one, one], shapes)
        expect(answerOf(events, shapes), other).toEqual(answerOf(events))
      }
    }
  })

  it('have their counts read as JSON has them', () => {
    const counted = (count: string, more = ''): string =>
      `data: {"choices":[{"delta":{"content":"x"}}],"usage":{"completion_tokens":${count}${more}}}\n\n`
    for (const odd of [
      '007',
      '00',
      '0',
      '5.0',
      '5.5',
      '1e2',
      '-1',
      '1234567890123456',
      '12345678901234567890',
      '123456789012345',
      'null',
      '""',
    ]) {
      const events = [counted('1'), counted(odd), counted('9'), counted(odd)]
      expect(answerOf(events, createShapes('chat')), odd).toEqual(answerOf(events))
    }
    // Reasoning beside the output, and a cache: told anew in each, so that each is counted anew.
    for (const details of [
      ',"total_tokens":12,"prompt_tokens":1,"completion_tokens_details":{"reasoning_tokens":3}',
      ',"prompt_tokens_details":{"cached_tokens":4}',
    ]) {
      const events = ['5', '8', '8'].map((count) => counted(count, details))
      expect(answerOf([counted('1'), ...events], createShapes('chat'))).toEqual(answerOf([counted('1'), ...events]))
      const shapes = createShapes('chat')
      answerOf(events, shapes)
      expect(answerOf(events, shapes), 'another stream of known shapes').toEqual(answerOf(events))
    }
  })

  it('are given up where a server shows a new one each time', () => {
    const one = (i: number): string => event(chat({ content: 'x' }, {}, { [`key${i}`]: 1 }))
    const events = Array.from({ length: 100 }, (_, i) => one(i))
    expect(skimmed('chat', [...events, one(200), one(200)])).toBe(0)
  })

  it('are not sought in events nested beyond reason, or with a key twice', () => {
    const deep = `data: {"choices":[{"delta":{"content":"x"}}],"deep":${'['.repeat(3000)}${']'.repeat(3000)}}\n\n`
    const twice = 'data: {"choices":[{"delta":{"content":"x","content":"x"}}]}\n\n'
    const escaped = 'data: {"choices":[{"delta":{"\\u0063ontent":"x"}}]}\n\n'
    for (const odd of [deep, twice, escaped]) expect(skimmed('chat', [odd, odd, odd]), odd.slice(0, 60)).toBe(0)
  })
})

/** JSON values that servers put, and some that they should not. */
const word = fc.oneof(
  fc.constantFrom(
    '',
    'x',
    ' ',
    '"usage":{"completion_tokens":9}',
    '"error":{}',
    '[DONE]',
    '\\',
    '"',
    '\n',
    '\u2028',
    'é',
    '🧁',
    '\ud800',
    'data: ',
  ),
  fc.string({ maxLength: 6, unit: 'binary' }),
)
const number = fc.oneof(
  fc.nat(300),
  fc.constantFrom(-1, 0.5, 1e21, 1e-7, 2 ** 53, 123456789012345),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)
const scalar = fc.oneof(word, number, fc.constantFrom(null, true, false))
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null | undefined> =>
  fc.oneof({ weight: 4, arbitrary: value }, { weight: 1, arbitrary: fc.constantFrom(null, undefined) })
const count = fc.oneof({ weight: 5, arbitrary: fc.nat(99) }, { weight: 1, arbitrary: scalar })
const usage = fc.record({
  prompt_tokens: maybe(count),
  completion_tokens: maybe(count),
  total_tokens: maybe(count),
  prompt_tokens_details: fc.option(fc.record({ cached_tokens: count }), { nil: undefined }),
  completion_tokens_details: fc.option(fc.record({ reasoning_tokens: fc.constantFrom(0, 3) }), { nil: undefined }),
})
const called = fc.record({ name: maybe(word), arguments: maybe(word) })
const delta = fc.oneof(
  { weight: 6, arbitrary: fc.record({ content: word }) },
  {
    weight: 2,
    arbitrary: fc.record({
      role: fc.constantFrom('assistant', undefined),
      content: maybe(fc.oneof(word, fc.array(fc.record({ type: fc.constantFrom('text', 'thinking'), text: word })))),
      reasoning: maybe(word),
      refusal: fc.constantFrom(undefined, 'no', null),
      tool_calls: fc.option(fc.array(fc.record({ id: word, index: number, function: called }), { maxLength: 2 }), {
        nil: undefined,
      }),
      function_call: fc.option(called, { nil: undefined }),
    }),
  },
)
const rarely = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value })
const choice = fc.record({
  index: fc.constantFrom(0, 0, 0, 1),
  delta: maybe(delta),
  text: rarely(word),
  logprobs: fc.oneof(fc.constant(null), fc.record({ content: fc.array(scalar, { maxLength: 2 }) })),
  finish_reason: fc.oneof(
    { weight: 8, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom('', 'stop') },
  ),
})
const completion = fc.record({
  id: scalar,
  object: fc.oneof({ weight: 20, arbitrary: fc.constant('chunk') }, { weight: 1, arbitrary: fc.constant('error') }),
  created: number,
  choices: fc.oneof(
    { weight: 9, arbitrary: fc.tuple(choice) },
    { weight: 1, arbitrary: fc.array(choice, { maxLength: 2 }) },
  ),
  usage: fc.oneof({ weight: 2, arbitrary: fc.constantFrom(null, undefined) }, { weight: 1, arbitrary: usage }),
  error: rarely(scalar),
})
const response = fc.record({
  type: fc.constantFrom(
    'response.output_text.delta',
    'response.output_text.delta',
    'response.reasoning_text.delta',
    'response.output_text.done',
    'response.completed',
    'error',
  ),
  sequence_number: number,
  item_id: scalar,
  delta: maybe(fc.oneof(word, scalar)),
  response: rarely(fc.record({ usage })),
  error: rarely(scalar),
})

/** Where a tree's scalars stand. */
function leavesOf(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key]))
}

function withLeaf(value: unknown, [key, ...rest]: readonly string[], leaf: unknown): unknown {
  if (key === undefined) return leaf
  if (Array.isArray(value)) return value.map((item, i) => (String(i) === key ? withLeaf(item, rest, leaf) : item))
  return { ...(value as object), [key]: withLeaf((value as Record<string, unknown>)[key], rest, leaf) }
}

/** Text that is nearly JSON. */
const SPOILS: readonly ((json: string) => string)[] = [
  (json) => json.replace(/^\{(.*)\}$/s, '{$1,$1}'),
  (json) => json.replace(/:(\d)/g, ':0$1'),
  (json) => json.replace(/:(\d)/, ':$1.'),
  (json) => json.replace(/(\d)([,}\]])/g, '$1e$2'),
  (json) => json.replace(/(\d)([,}\]])/g, '$1.5E+1$2'),
  (json) => json.replace(/(\d)([,}\]])/g, '$1$10000000000000000$2'),
  (json) => json.replace(/:"(?=[^"])/g, ':"\u001f'),
  (json) => json.replace(/:"(?=[^"])/g, ':"\t'),
  (json) => json.replace(/:"(?=[^"])/g, ':"\\u12g4'),
  (json) => json.replace(/:"(?=[^"])/g, ':"\\u00e9'),
  (json) => json.replace(/:"(?=[^"])/g, ':"\\x'),
  (json) => json.replace('"delta"', '"\\u0064elta"'),
  (json) => json.slice(0, -1),
]

/**
 * A stream: one event again and again, each time with a value or two changed, laid out in one of the ways servers do it; now and then
 * as something nearly the same.
 */
function streamOf(value: fc.Arbitrary<object>): fc.Arbitrary<string> {
  const tweak = fc.tuple(fc.nat(), fc.oneof(word, number, scalar, fc.constantFrom('stop', 'error', 'x', 1, 5)))
  const again = fc.record({
    tweaks: fc.array(tweak, { maxLength: 2 }),
    spoil: fc.nat(60),
    head: fc.nat(40),
    end: fc.nat(30),
  })
  const HEADS = ['id: 1\n', ': c\n', 'event: ping\n', 'event: error\n', '\uFEFF', '\n', 'event: x\n\n']
  const ENDS = ['\n\n', '\r\n\r\n', '\r\r', '\n', '\r\n\r']
  return fc
    .record({
      first: value,
      events: fc.array(again, { minLength: 1, maxLength: 8 }),
      spaces: fc.constantFrom(0, 0, 1),
      space: fc.constantFrom(' ', ''),
      head: fc.constantFrom('', '', 'event: message\n', 'event: response.output_text.delta\n'),
      end: fc.constantFrom(...ENDS),
      isMarked: fc.boolean(),
      isDone: fc.boolean(),
    })
    .map(({ first, events, spaces, space, head, end, isMarked, isDone }) => {
      const body = events.map((one) => {
        const tree = one.tweaks.reduce<unknown>((all, [at, leaf]) => {
          const leaves = leavesOf(all)
          return withLeaf(all, leaves[at % leaves.length] ?? [], leaf)
        }, first)
        const json = JSON.stringify(tree, null, spaces)?.replaceAll('\n', ' ') ?? ''
        const spoilt = SPOILS[one.spoil]?.(json) ?? json
        return `${HEADS[one.head] ?? ''}${head}data:${space}${spoilt}${ENDS[one.end] ?? end}`
      })
      return `${isMarked ? '\uFEFF' : ''}${body.join('')}${isDone ? `data: [DONE]\n\n${body[0]}` : ''}`
    })
}

describe('skimming', () => {
  const read = (
    endpoint: Endpoint,
    reads: readonly Uint8Array[],
    how: Ending,
    shapes?: ReturnType<typeof createShapes>,
  ): Answer => {
    const reader = createAnswerReader({ endpoint, ...(shapes !== undefined && { shapes }) })
    reads.forEach((bytes, i) => {
      reader.feed(bytes, 10 * i)
    })
    return reader.end(how)
  }

  for (const [endpoint, value] of [
    ['chat', completion],
    ['responses', response],
  ] as const) {
    it(`changes no answer of ${endpoint}`, () => {
      // Shapes are kept from stream to stream, as in a run, and now and then forgotten.
      let shapes = createShapes(endpoint)
      fc.assert(
        fc.property(
          streamOf(value),
          fc.array(fc.nat(), { maxLength: 4 }),
          fc.constantFrom<Ending>('end', 'reset', 'closed'),
          fc.nat(10),
          (text, cuts, how, dice) => {
            if (dice === 0) shapes = createShapes(endpoint)
            const bytes = utf8.encode(text)
            const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
            const reads = edges.slice(1).map((edge, i) => bytes.subarray(edges[i], edge))
            expect(read(endpoint, reads, how, shapes)).toEqual(read(endpoint, reads, how))
          },
        ),
        { numRuns: 4_000 },
      )
    })
  }
})
