import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createResponseReader } from '../../../src/load/http/response-reader.ts'

interface Read {
  readonly status?: number
  readonly fields?: Readonly<Record<string, string>>
  readonly body: string
  /** Absent: the answer has not ended. */
  readonly isReusable?: boolean
  readonly fault?: string
}

function read(pieces: readonly (string | Uint8Array)[], isClosed = false): Read {
  let got: Read = { body: '' }
  const reader = createResponseReader({
    onHead: ({ status, fields }) => {
      expect(got.status).toBeUndefined()
      got = { ...got, status, fields: Object.fromEntries(fields) }
    },
    onBody: (bytes, from, end) => {
      got = { ...got, body: got.body + Buffer.from(bytes.subarray(from, end)).toString('latin1') }
    },
    onEnd: (isReusable) => {
      expect(got.isReusable).toBeUndefined()
      got = { ...got, isReusable }
    },
  })
  for (const piece of pieces) {
    // With more behind, as in a buffer that is used again and again.
    const bytes = Buffer.concat([Buffer.from(piece as string, 'latin1'), Buffer.from('0\r\n\r\ngarbage')])
    const fault = reader.feed(bytes, bytes.length - 12)
    if (fault !== undefined) got = { ...got, fault }
  }
  if (isClosed) reader.close()
  return got
}

const OK = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`

describe('an answer', () => {
  it('ends with its last chunk', () => {
    expect(read([`${CHUNKED}5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n`])).toMatchObject({
      status: 200,
      body: 'hello world',
      isReusable: true,
    })
    expect(read([`${CHUNKED}A;x="y;z"\r\n0123456789\r\n000\r\nx-trailer: 1\r\ny: 2\r\n\r\n`])).toMatchObject({
      body: '0123456789',
      isReusable: true,
    })
    expect(read([`${CHUNKED}5\r\nhello\r\n`])).not.toHaveProperty('isReusable')
    expect(read([`${CHUNKED}5\r\nhello\r\n`], true)).not.toHaveProperty('isReusable')
  })

  it('ends with its length', () => {
    expect(read([`${OK}content-length: 5\r\n\r\nhello`])).toMatchObject({ body: 'hello', isReusable: true })
    expect(read([`${OK}content-length: 0\r\n\r\n`])).toMatchObject({ body: '', isReusable: true })
    expect(read([`${OK}content-length: 5\r\n\r\nhell`], true)).not.toHaveProperty('isReusable')
    // Chunks go before a length.
    const both = `${OK}content-length: 99\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n`
    expect(read([both])).toMatchObject({ body: 'a', isReusable: true })
  })

  it('ends with the connection', () => {
    expect(read([`${OK}\r\nhello`])).not.toHaveProperty('isReusable')
    expect(read([`${OK}\r\nhello`], true)).toMatchObject({ body: 'hello', isReusable: false })
    expect(read([OK], true)).not.toHaveProperty('isReusable')
  })

  it('has no body where its status says so', () => {
    expect(read(['HTTP/1.1 204 No Content\r\n\r\n'])).toMatchObject({ status: 204, isReusable: true })
    expect(read(['HTTP/1.1 304\r\n\r\n'])).toMatchObject({ status: 304, isReusable: true })
  })

  it('may follow interim ones', () => {
    const interim = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'
    expect(read([`${interim}${OK}content-length: 1\r\n\r\na`])).toMatchObject({ status: 200, body: 'a' })
  })

  it('keeps the connection unless it says otherwise', () => {
    const reusable = (first: string, connection: string): boolean | undefined =>
      read([`${first}\r\nConnection: ${connection}\r\ncontent-length: 1\r\n\r\na`]).isReusable
    expect(reusable('HTTP/1.1 200 OK', 'keep-alive')).toBe(true)
    expect(reusable('HTTP/1.1 200 OK', 'upgrade, Close')).toBe(false)
    expect(reusable('HTTP/1.0 200 OK', 'keep-alive')).toBe(true)
    expect(reusable('HTTP/1.0 200 OK', 'x')).toBe(false)
    // More than was asked for: nobody knows what comes next on it.
    expect(read([`${OK}content-length: 1\r\n\r\nab`])).toMatchObject({ body: 'a', isReusable: false })
    expect(read([`${CHUNKED}1\r\na\r\n0\r\n\r\nHTTP`])).toMatchObject({ body: 'a', isReusable: false })
  })

  it('has its fields by name, in small letters, those of one name together', () => {
    const { fields } = read([`${OK}A:1\r\nb-C:  x: y \r\nA: 2\r\n\r\n`])
    expect(fields).toEqual({ a: '1, 2', 'b-c': 'x: y' })
  })

  it('may end its lines with LF alone', () => {
    const lines = `${CHUNKED}5\r\nhello\r\n0\r\n\r\n`.replaceAll('\r\n', '\n')
    expect(read([lines])).toMatchObject({ body: 'hello', isReusable: true })
  })
})

describe('what is no answer', () => {
  it('is told at once', () => {
    const faults: readonly (readonly [string, string])[] = [
      ['SSH-2.0-x\r\n', 'begin like HTTP/1.1'],
      ['HTTP/2 200\r\n\r\n', 'begin like HTTP/1.1'],
      ['HTTP/1.1 abc\r\n\r\n', 'begin like HTTP/1.1'],
      ['\u0015\u0003\u0001', 'begin like HTTP/1.1'],
      ['HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n', 'switches'],
      [`${OK}no field\r\n\r\n`, 'no field'],
      [`${OK}: x\r\n\r\n`, 'no field'],
      [`${OK}content-length: 5, 5\r\n\r\n`, 'length'],
      [`${OK}content-length: -1\r\n\r\n`, 'length'],
      [`${CHUNKED}\r\n`, 'size'],
      [`${CHUNKED}xyz\r\n`, 'size'],
      [`${CHUNKED}123456789abcdef\r\n`, 'size'],
      [`${CHUNKED}5\r\nhello!\r\n`, 'longer'],
      [`${OK}x: ${'x'.repeat(70_000)}`, '64 KiB'],
    ]
    for (const [bytes, words] of faults) {
      expect(read([bytes]).fault, bytes.slice(0, 60)).toContain(words)
      if (bytes.length < 1_000) expect(read([...bytes]).fault, `${bytes}, byte by byte`).toContain(words)
    }
  })

  it('has nothing read after its fault', () => {
    expect(read([`${CHUNKED}5\r\nhello!\r\n`, '3\r\nabc\r\n0\r\n\r\n'])).toMatchObject({ body: 'hello' })
  })
})

describe('any answer, cut anywhere', () => {
  const body = fc.string({ unit: 'binary', maxLength: 30 }).map((text) => Buffer.from(text).toString('latin1'))
  const chunked = fc
    .array(
      body.filter((text) => text !== ''),
      { maxLength: 5 },
    )
    .map((parts) => {
      const chunks = parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`)
      return { wire: `${CHUNKED}${chunks.join('')}0\r\n\r\n`, body: parts.join('') }
    })
  const counted = body.map((text) => ({ wire: `${OK}content-length: ${text.length}\r\n\r\n${text}`, body: text }))

  it('is read the same', () => {
    fc.assert(
      fc.property(fc.oneof(chunked, counted), fc.array(fc.nat(), { maxLength: 6 }), (answer, cuts) => {
        const edges = [
          0,
          ...cuts.map((cut) => cut % (answer.wire.length + 1)).sort((a, b) => a - b),
          answer.wire.length,
        ]
        const pieces = edges.slice(1).map((edge, i) => answer.wire.slice(edges[i], edge))
        const got = read(pieces)
        expect(got).toMatchObject({ status: 200, body: answer.body, isReusable: true })
        expect(got.fault).toBeUndefined()
      }),
      { numRuns: 2_000 },
    )
  })
})
