import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseTrace } from '../../src/record/index.ts'
import { faultOf } from './fault.ts'

const fixture = (name: string): string[] =>
  readFileSync(new URL(`../fixtures/traces/${name}`, import.meta.url), 'utf8').split('\n')

const own = (rows: readonly object[]): string[] => rows.map((row) => JSON.stringify(row))
const mooncake = (rows: readonly (readonly [number, number, number, (readonly number[])?])[]): string[] =>
  own(
    rows.map(([timestamp, input_length, output_length, hash_ids]) => ({
      timestamp,
      input_length,
      output_length,
      hash_ids,
    })),
  )
const AZURE = 'TIMESTAMP,ContextTokens,GeneratedTokens'

describe('published traces', () => {
  it('Azure: dates become seconds from the first row, to the microsecond', () => {
    const { rows, blockTokens, notes } = parseTrace(fixture('azure-conv-2023.csv'))
    expect(rows).toHaveLength(24)
    // 18:15:46.6805900, 18:15:50.9951690
    expect(rows.slice(0, 2)).toEqual([
      { atS: 0, inputTokens: 374, outputTokens: 44 },
      { atS: 4.314579, inputTokens: 396, outputTokens: 109 },
    ])
    expect(blockTokens).toBeUndefined()
    expect(notes).toEqual([])
  })

  it('Mooncake: milliseconds, and blocks of 512 tokens', () => {
    const { rows, blockTokens } = parseTrace(fixture('mooncake-synthetic.jsonl'))
    expect(rows).toHaveLength(12)
    expect(rows[0]).toEqual({ atS: 0, inputTokens: 17, outputTokens: 15, blocks: [26515] })
    expect(rows[1]).toMatchObject({ atS: 0.006, inputTokens: 17911 })
    expect(blockTokens).toBe(512)
    // The second and the eleventh share their first blocks.
    expect(rows[1]?.blocks?.[0]).toBe(rows[10]?.blocks?.[0])
  })
})

describe('blocks of a Mooncake trace', () => {
  const blocksOf = (tokens: number, size: number): number[] =>
    Array.from({ length: Math.ceil(tokens / size) }, (_, i) => i)
  const traceOf = (size: number, lengths: readonly number[]): string[] =>
    mooncake(lengths.map((tokens, i) => [i, tokens, 1, blocksOf(tokens, size)]))
  const withSize = (lines: readonly string[], ...sizes: readonly unknown[]): string[] =>
    lines.map((line, i) => JSON.stringify({ ...JSON.parse(line), block_size: sizes[i] }))

  it.each([16, 64, 128, 512, 1024])('of %i tokens are told by how many there are', (size) => {
    expect(parseTrace(traceOf(size, [5, 3 * size, 3 * size + 1, 7 * size - 1])).blockTokens).toBe(size)
  })

  it('are those that most prompts make: one that does not is refused, not followed', () => {
    const fine = traceOf(64, [200, 300, 1000])
    const odd = (tokens: number, count: number) => mooncake([[3, tokens, 1, blocksOf(count, 1)]])
    expect(parseTrace([...fine, ...odd(400, 7)]).blockTokens).toBe(64)
    expect(faultOf(() => parseTrace([...fine, ...odd(400, 1)]))).toContain(
      'line 4, hash_ids: 1 blocks, where 400 tokens make 7 of 64',
    )
    // Nobody takes blocks of 300 to 319 tokens.
    expect(faultOf(() => parseTrace(traceOf(310, [3000, 4000])))).toContain('make 6 of 512')
  })

  it('have 512 where one prompt alone says otherwise, and none can say it of one block', () => {
    expect(faultOf(() => parseTrace(traceOf(64, [300])))).toContain('5 blocks, where 300 tokens make 1 of 512')
    expect(faultOf(() => parseTrace(traceOf(1024, [600, 700, 1000])))).toContain('1 blocks, where 600 tokens make 2 of')
    expect(parseTrace(traceOf(512, [300])).blockTokens).toBe(512)
  })

  it('have the size that a row says, which all rows have to bear out', () => {
    const odd = traceOf(310, [3000, 4000, 100])
    expect(parseTrace(withSize(odd, 310)).blockTokens).toBe(310)
    expect(parseTrace(withSize(traceOf(1024, [600, 700]), 1024, 1024)).blockTokens).toBe(1024)
    expect(faultOf(() => parseTrace(withSize(odd, undefined, 64)))).toContain(
      '10 blocks, where 3000 tokens make 47 of 64',
    )
    expect(faultOf(() => parseTrace(withSize(odd, 310, 310, 64)))).toContain(
      'line 3, block_size: 64, where line 1 says 310',
    )
    expect(faultOf(() => parseTrace(withSize(odd, 0)))).toContain('line 1, block_size: 0 is no whole number of tokens')
  })
})

describe('a workload of LLMServingSim', () => {
  const HEADER = 'arrival_s,input_toks,output_toks'
  it('has seconds in its first column', () => {
    expect(parseTrace([HEADER, '0.046927,2358,531', '0.347939,1034,769']).rows).toEqual([
      { atS: 0, inputTokens: 2358, outputTokens: 531 },
      { atS: 0.301012, inputTokens: 1034, outputTokens: 769 },
    ])
  })

  it('is refused with the line that is wrong', () => {
    expect(faultOf(() => parseTrace([HEADER, '0,1,1', '-1,2,2']))).toContain(
      'line 3, arrival_s: "-1" is no time from 0 on',
    )
    expect(faultOf(() => parseTrace(['arrival_s,input_toks', '0,1']))).toContain('column output_toks is missing')
  })
})

describe('our own traces', () => {
  it('hold lengths, or whole bodies', () => {
    const body = { messages: [{ role: 'user', content: 'hi' }], max_tokens: 9 }
    const lines = own([
      { atS: 5, inputTokens: 10, outputTokens: 2 },
      { atS: 5.25, body },
    ])
    expect(parseTrace(lines).rows).toEqual([
      { atS: 0, inputTokens: 10, outputTokens: 2 },
      { atS: 0.25, body },
    ])
  })

  it('come several at once', () => {
    const row = { atS: 1, inputTokens: 10, outputTokens: 2 }
    expect(parseTrace(own([row, row])).rows.map(({ atS }) => atS)).toEqual([0, 0])
  })
})

describe('a speed-up', () => {
  it('divides every time, and nothing else', () => {
    const plain = parseTrace(fixture('azure-conv-2023.csv')).rows
    const fast = parseTrace(fixture('azure-conv-2023.csv'), 10).rows
    expect(fast.map(({ inputTokens }) => inputTokens)).toEqual(plain.map(({ inputTokens }) => inputTokens))
    for (const [index, { atS }] of fast.entries()) expect(atS).toBeCloseTo((plain[index]?.atS ?? 0) / 10, 9)
  })
})

describe('dates', () => {
  const first = (time: string): string[] => [AZURE, `2024-02-28 23:59:59.5,1,1`, `${time},1,1`]
  it.each([
    ['2024-02-29 00:00:00', 0.5],
    ['2024-02-29T00:00:00.25Z', 0.75],
    ['2024-02-29 02:00:00+02:00', 0.5],
    ['2024-02-28 21:00:01-0300', 1.5],
  ])('%s', (time, atS) => {
    expect(parseTrace(first(time)).rows[1]?.atS).toBeCloseTo(atS, 6)
  })

  it.each(['2024-02-30 00:00:00', '2024-13-01 00:00:00', '2024-02-29 24:00:00', '2024-02-29', '1709164800', 'NaN', ''])(
    'none is %j',
    (time) => {
      expect(faultOf(() => parseTrace(first(time)))).toContain(`line 3, TIMESTAMP: ${JSON.stringify(time)} is no date`)
    },
  )
})

describe('units', () => {
  const every = (gap: number, count: number) => Array.from({ length: count }, (_, i) => i * gap)

  it('Mooncake in seconds is told by a fraction', () => {
    expect(
      faultOf(() =>
        parseTrace(
          mooncake([
            [0, 10, 1],
            [0.25, 10, 1],
          ]),
        ),
      ),
    ).toMatch(/line 2, timestamp: 0\.25 is no whole number of milliseconds: is it in seconds\?$/)
  })

  it('Mooncake in whole seconds is told by its rate, and milliseconds of that many requests are fine', () => {
    const rows = (gap: number) => mooncake(every(gap, 200).map((time) => [Math.floor(time), 10, 1]))
    expect(faultOf(() => parseTrace(rows(0.5)))).toContain('200 requests within 0.099 s if it is in milliseconds')
    expect(parseTrace(rows(500)).rows).toHaveLength(200)
  })

  it('our own in milliseconds is told by its pace, unless it is played so much faster', () => {
    const rows = (gap: number) => own(every(gap, 20).map((atS) => ({ atS, inputTokens: 10, outputTokens: 1 })))
    const lines = rows(250_000)
    expect(faultOf(() => parseTrace(lines))).toMatch(/atS: all whole numbers, a request every 250000 s: are they milli/)
    expect(parseTrace(lines, 10_000).rows.at(-1)?.atS).toBeCloseTo(475, 6)
    expect(parseTrace(rows(5)).rows).toHaveLength(20)
    expect(parseTrace(rows(90.5)).rows).toHaveLength(20)
  })
})

it('refuses a time that no trace comes to, by its line', () => {
  const rows = (atS: number) => own([0, 1, atS].map((at) => ({ atS: at, inputTokens: 10, outputTokens: 1 })))
  expect(faultOf(() => parseTrace(rows(1e300)))).toContain('line 3, atS: it is more than ten years after the first')
  expect(parseTrace(rows(1e8)).rows).toHaveLength(3)
})

describe('a long silence', () => {
  it('is told, as long as it will last', () => {
    const times = [...Array.from({ length: 100 }, (_, i) => i / 10), 1000]
    const lines = own(times.map((atS) => ({ atS, inputTokens: 10, outputTokens: 1 })))
    expect(parseTrace(lines).notes).toEqual(['the trace is silent for 990 s after its line 100'])
    expect(parseTrace(lines, 5).notes).toEqual(['the trace is silent for 198 s after its line 100'])
    expect(parseTrace(lines, 100).notes).toEqual([])
  })
})

const row = { inputTokens: 10, outputTokens: 1 }
describe('refused', () => {
  it.each<[string, readonly string[]]>([
    ['the file: it has no request', []],
    ['the file: it has no request', [AZURE]],
    ['line 1: column TIMESTAMP is missing', ['time,ContextTokens,GeneratedTokens', '1,1,1']],
    ['line 1: no known format has the keys at, tokens', own([{ at: 0, tokens: 5 }])],
    ['line 1: it is not JSON', ['{"atS":0,']],
    ['line 2: it is not an object', [...own([{ atS: 0, ...row }]), '[1]']],
    ['line 3, atS: it is earlier than line 1', [...own([{ atS: 1, ...row }]), '', ...own([{ atS: 0.5, ...row }])]],
    ['line 3, TIMESTAMP: it is earlier than line 2', [AZURE, '2024-01-01 00:00:01,1,1', '2024-01-01 00:00:00,1,1']],
    ['line 1, atS: -1 is no time from 0 on', own([{ atS: -1, ...row }])],
    ['line 1, atS: null is no time from 0 on', own([{ atS: Number.NaN, ...row }])],
    ['line 1, atS: "1" is no time', own([{ atS: '1', ...row }])],
    ['line 1, inputTokens: 0 is no whole number of tokens', own([{ atS: 1, inputTokens: 0, outputTokens: 1 }])],
    ['line 1, outputTokens: nothing is no whole number', own([{ atS: 1, inputTokens: 1 }])],
    ['line 1: unknown key "inputTokns"', own([{ atS: 1, inputTokns: 5, outputTokens: 1 }])],
    ['line 1: a body has its own lengths', own([{ atS: 1, body: {}, outputTokens: 1 }])],
    ['line 1, body: "x" is no request body', own([{ atS: 1, body: 'x' }])],
    ['line 2, ContextTokens: "0"', [AZURE, '2024-01-01 00:00:01,0,1']],
    ['line 2, GeneratedTokens: ""', [AZURE, '2024-01-01 00:00:01,5,']],
    ['line 2: it has 2 cells, not 3', [AZURE, '2024-01-01 00:00:01,5']],
    ['line 1, timestamp: -5 is no time', mooncake([[-5, 10, 1]])],
    ['line 1, output_length: 0', mooncake([[0, 10, 0]])],
    ['line 1, hash_ids: 1 blocks, where 513 tokens make 2 of 512', mooncake([[0, 513, 1, [5]]])],
    ['line 1, hash_ids: [-1] is no list of block numbers', mooncake([[0, 513, 1, [-1]]])],
  ])('%s', (problem, lines) => {
    expect(faultOf(() => parseTrace(lines))).toMatch(/^INVALID_WORK: The trace file: /)
    expect(faultOf(() => parseTrace(lines))).toContain(problem)
  })

  it('with all problems at once, and many are counted', () => {
    const bad = { atS: 'x', inputTokens: 0, outputTokens: -1 }
    const fault = faultOf(() => parseTrace(own([{ atS: 0, ...row }, bad])))
    for (const part of ['line 2, atS', 'line 2, inputTokens', 'line 2, outputTokens']) expect(fault).toContain(part)
    const others = Array.from({ length: 12 }, (_, i) => ({ ...row, atS: 'x'.repeat(i + 1) }))
    expect(faultOf(() => parseTrace(own([{ atS: 0, ...row }, ...others])))).toMatch(/; and 2 more\.$/)
    const same = faultOf(() => parseTrace(own([{ atS: 0, ...row }, bad, bad, bad])))
    expect(same.match(/\(and 2 more like it\)/g)).toHaveLength(3)
    expect(same).not.toContain('line 3')
  })
})
