import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSseParser, type SseOptions } from '../../src/wire/sse.ts'

interface Event {
  readonly data: string
  readonly type: string
}

const utf8 = new TextEncoder()

function parse(reads: readonly (string | Uint8Array)[], options: Partial<SseOptions> = {}) {
  const events: Event[] = []
  const parser = createSseParser({ ...options, onEvent: (data, type) => events.push({ data, type }) })
  for (const read of reads) parser.feed(typeof read === 'string' ? utf8.encode(read) : read)
  return { events, parser }
}

const datas = (...reads: readonly (string | Uint8Array)[]): readonly string[] =>
  parse(reads).events.map(({ data }) => data)

describe('an event stream', () => {
  it('ends a line with LF, CRLF or CR, and with nothing else', () => {
    expect(datas('data: a\n\ndata: b\r\n\r\ndata: c\r\rdata: d\n\r\ndata: e\r\n\n')).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(datas('data: a\u2028b\u2029c\u0085d\u000Be\fg\n\n')).toEqual(['a\u2028b\u2029c\u0085d\u000Be\fg'])
  })

  it('is not held up by a CR at the end of a read', () => {
    expect(datas('data: a\r\r')).toEqual(['a'])
    expect(datas('data: a\r\n\r')).toEqual(['a'])
  })

  it('takes a CRLF that is cut between two reads for one line end', () => {
    expect(datas('data: a\r', '\ndata: b\r\n', '\r', '\ndata: c\r\n\r\n')).toEqual(['a\nb', 'c'])
    expect(datas('data: a\r', '', '\n\n')).toEqual(['a'])
    expect(datas('data: a\r', '\n')).toEqual([])
  })

  it('drops one byte-order mark at its beginning, even in pieces, and no other', () => {
    expect(datas('\uFEFFdata: a\n\n')).toEqual(['a'])
    expect(datas(Uint8Array.of(0xef), Uint8Array.of(0xbb), Uint8Array.of(0xbf), 'data: a\n\n')).toEqual(['a'])
    expect(datas('\uFEFF\uFEFFdata: a\n\ndata: b\n\n')).toEqual(['b'])
    expect(datas('data: a\n\n\uFEFFdata: b\n\ndata: \uFEFFc\n\n')).toEqual(['a', '\uFEFFc'])
  })

  it('joins data lines, takes one space off a value, and passes over comments, ids and what it does not know', () => {
    expect(datas('data: a\ndata:b\ndata:  c\n\n')).toEqual(['a\nb\n c'])
    expect(datas('data\n\ndata:\n\n')).toEqual(['', ''])
    expect(datas(': data: x\nid: 1\nretry: 3\nother: y\nDATA: z\ndata : z\ndata: a\n\n')).toEqual(['a'])
    expect(datas('retry: 3\n\n: ping\n\n:\n\nid\n\n\n\n')).toEqual([])
  })

  it('names an event by its last type, and only that event', () => {
    const { events } = parse(['event: a\nevent: error\ndata: x\n\ndata: y\n\nevent: lost\n\ndata: z\n\n'])
    expect(events).toEqual([
      { type: 'error', data: 'x' },
      { type: '', data: 'y' },
      { type: '', data: 'z' },
    ])
  })

  it('decodes characters that were cut between reads', () => {
    const bytes = utf8.encode('data: é漢🧁\n\n')
    for (let cut = 0; cut <= bytes.length; cut++) {
      expect(datas(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual(['é漢🧁'])
    }
  })

  it('gives what a proper end leaves unterminated', () => {
    for (const last of ['data: x', 'data: x\n', 'data: x\r', '\uFEFFdata: x']) {
      expect(parse([last]).parser.end(), JSON.stringify(last)).toEqual({ data: 'x', type: '' })
    }
    expect(parse(['data: a\n\n']).parser.end()).toBeUndefined()
    expect(parse(['event: b\n']).parser.end()).toBeUndefined()
  })

  it('tells an event stream from anything else', () => {
    for (const body of ['data: x', ':', ': ping\n', 'da', 'event', 'retry: 1\n', '\uFEFFid\n', 'x\ndata: 1\n']) {
      expect(parse([body]).parser.isEventStream(), body).toBe(true)
    }
    for (const body of ['', '{"id": 1}', '{"a":1}\n{"b":2}\n', '<html>', 'datum', 'database: x\n', 'error: x']) {
      expect(parse([body]).parser.isEventStream(), body).toBe(false)
    }
  })

  it('reads on where a body begins anew', () => {
    const { events, parser } = parse(['\uFEFFevent: x\ndata: lost\r'])
    parser.reset()
    parser.feed(utf8.encode('\uFEFFdata: a\n\n'))
    expect(events).toEqual([{ data: 'a', type: '' }])
  })

  it('stops at an event beyond its limit, in one line or in many', () => {
    for (const body of [`data: ${'x'.repeat(200)}\n\n`, `${'data: 123456\n'.repeat(20)}\n`]) {
      const { events, parser } = parse([...body, 'data: late\n\n'], { maxEventBytes: 100 })
      expect(events).toEqual([])
      expect(parser.isOverflowed()).toBe(true)
    }
    const { events, parser } = parse([`data: ${'x'.repeat(90)}\n\n`.repeat(9)], { maxEventBytes: 100 })
    expect(events).toHaveLength(9)
    expect(parser.isOverflowed()).toBe(false)
  })

  it('takes linear time for one large event in small reads', () => {
    const read = utf8.encode('0123456789abcdef')
    const msOf = (reads: number): number => {
      const start = process.cpuUsage() // the clock would tell of the neighbours too
      const { events } = parse(['data: ', ...Array<Uint8Array>(reads).fill(read), '\n\n'])
      expect(events[0]?.data).toHaveLength(16 * reads)
      const { user, system } = process.cpuUsage(start)
      return (user + system) / 1e3
    }
    const best = (reads: number): number => Math.min(...Array.from({ length: 5 }, () => msOf(reads)))
    // 16 times as much: 16 times as long if linear, 256 times if each read went over what was there.
    expect(best(160_000)).toBeLessThan(64 * Math.max(1, best(10_000)))
  })
})

describe('any stream, cut anywhere', () => {
  const words = [
    'data',
    'event',
    'id',
    'retry',
    ':',
    ' ',
    '\n',
    '\n\n',
    '\r',
    '\r\n',
    '\r\n\r\n',
    'data: ',
    '{"a":1}',
    'é',
    '\u2028',
    '\uFEFF',
    'x',
  ]
  const streams = fc.array(fc.constantFrom(...words), { maxLength: 40 }).map((parts) => parts.join(''))

  /** The specification's own steps, on a whole text at once. */
  function reference(text: string): readonly Event[] {
    const events: Event[] = []
    let data: string[] = []
    let type = ''
    const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)
    for (const line of lines.slice(0, -1)) {
      if (line === '') {
        if (data.length > 0) events.push({ data: data.join('\n'), type })
        data = []
        type = ''
      }
      const [, name, value] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
      if (name === 'data') data.push(value ?? '')
      if (name === 'event') type = value ?? ''
    }
    return events
  }

  it('gives each event as soon as its blank line ends', () => {
    fc.assert(
      fc.property(streams, fc.array(fc.nat(), { maxLength: 8 }), (text, cuts) => {
        const bytes = utf8.encode(text)
        const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
        const events: Event[] = []
        const parser = createSseParser({ onEvent: (data, type) => events.push({ data, type }) })
        for (let i = 1; i < edges.length; i++) {
          parser.feed(bytes.subarray(edges[i - 1], edges[i]))
          expect(events).toEqual(
            reference(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, edges[i]))),
          )
        }
      }),
      { numRuns: 2_000 },
    )
  })

  // eventsource-parser holds back an event whose read ends in CR and an unterminated last one, and leaves the mark at the beginning to
  // the decoder; so it is given LF ends, a blank line, and no mark.
  it('agrees with eventsource-parser', () => {
    fc.assert(
      fc.property(streams, (text) => {
        const whole = `${text.replace(/\r\n?/g, '\n')}\n\n`
        const theirs: Event[] = []
        createParser({ onEvent: ({ data, event }) => theirs.push({ data, type: event ?? '' }) }).feed(
          whole.replace(/^\uFEFF/, ''),
        )
        expect(parse([whole]).events).toEqual(theirs)
      }),
      { numRuns: 2_000 },
    )
  })
})
