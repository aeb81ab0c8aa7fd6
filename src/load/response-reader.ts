/** The head of an HTTP/1.1 answer. Names in small letters; of a field that comes twice, both values, a comma between. */
export interface ResponseHead {
  readonly status: number
  readonly fields: ReadonlyMap<string, string>
}

export interface ResponseEvents {
  /** Not called for interim answers (1xx). */
  onHead(head: ResponseHead): void
  /** The bytes from `from` up to `end` are of the body, without their framing. They are valid during the call. */
  onBody(bytes: Uint8Array, from: number, end: number): void
  /** The body is whole. `isReusable`: the connection may carry another request. */
  onEnd(isReusable: boolean): void
}

export interface ResponseReader {
  /** Reads the bytes before `end`; returns what is wrong with them, if they are no HTTP/1.1 answer. */
  feed(bytes: Uint8Array, end: number): string | undefined
  /** The server closed its side; returns whether that is the proper end of the body, which is then told. */
  close(): boolean
  /** Ready for the answer to the next request. */
  reset(): void
}

type State = 'head' | 'size' | 'extension' | 'chunk' | 'chunkEnd' | 'trailer' | 'length' | 'untilClose' | 'over'

const LF = 10
const CR = 13
const MAX_HEAD_BYTES = 65_536
/** Hexadecimal digits of a chunk's size: 13 of them still make a safe integer. */
const MAX_SIZE_DIGITS = 13

/**
 * Reads one answer off a connection, however its bytes are cut. RFC 9112 as a client needs it: the body ends with its last chunk, its
 * length, or the connection. A line may end with LF alone.
 */
export function createResponseReader(events: ResponseEvents): ResponseReader {
  let state: State = 'head'
  let headText = ''
  let left = 0 // of the chunk or the body
  let digits = 0
  let isLineEmpty = true // of the trailer
  let keepsAlive = false
  let fault: string | undefined

  const refuse = (what: string): void => {
    fault = what
    state = 'over'
  }

  const end = (isReusable: boolean): void => {
    state = 'over'
    events.onEnd(isReusable)
  }

  const readHead = (bytes: Uint8Array, from: number, end: number): number => {
    const known = headText.length
    headText += Buffer.from(bytes.buffer, bytes.byteOffset + from, end - from).toString('latin1')
    // Of what was read before, the end may hold the beginning of the blank line.
    const blank = /\r?\n\r?\n/g
    blank.lastIndex = Math.max(0, known - 3)
    const match = blank.exec(headText)
    if (match === null) {
      if (headText.length > MAX_HEAD_BYTES) refuse('Its head is larger than 64 KiB.')
      else if (!'HTTP/1.'.startsWith(headText.slice(0, 7))) refuse('It does not begin like HTTP/1.1.')
      return end
    }
    const text = headText.slice(0, match.index)
    headText = ''
    begin(text)
    return from + blank.lastIndex - known
  }

  /** Takes the head in; an interim answer (1xx) is followed by another head. */
  const begin = (text: string): void => {
    const [first = '', ...lines] = text.split(/\r?\n/)
    const [, minor, code] = /^HTTP\/1\.(\d) (\d{3})(?: |$)/.exec(first) ?? []
    const fields = fieldsOf(lines)
    const length = fields?.get('content-length')
    const isChunked = /(^|,)\s*chunked$/i.test(fields?.get('transfer-encoding') ?? '')
    if (code === undefined) refuse('It does not begin like HTTP/1.1.')
    else if (code === '101') refuse('It switches the protocol.')
    else if (fields === undefined) refuse('A line of its head is no field.')
    else if (length !== undefined && !isChunked && !/^\d{1,15}$/.test(length)) refuse('Its length is no number.')
    if (code === undefined || fields === undefined || fault !== undefined || code < '200') return
    const options = (fields.get('connection') ?? '').toLowerCase().split(/\s*,\s*/)
    keepsAlive = minor === '0' ? options.includes('keep-alive') : !options.includes('close')
    state = isChunked ? 'size' : length === undefined ? 'untilClose' : 'length'
    left = isChunked ? 0 : Number(length ?? 0)
    digits = 0
    const status = Number(code)
    events.onHead({ status, fields })
    if (status === 204 || status === 304 || (state === 'length' && left === 0)) end(keepsAlive)
  }

  const readBody = (bytes: Uint8Array, from: number, end: number): number => {
    const to = state === 'untilClose' ? end : Math.min(end, from + left)
    left -= to - from
    events.onBody(bytes, from, to)
    return to
  }

  const readChunk = (bytes: Uint8Array, from: number, end: number): number => {
    const to = readBody(bytes, from, end)
    if (left > 0 || state !== 'chunk') return to
    state = 'chunkEnd'
    return to < end ? readChunkEnd(bytes, to, end) : to
  }

  /** The line end after a chunk. */
  const readChunkEnd = (bytes: Uint8Array, from: number, end: number): number => {
    const at = bytes[from] === CR ? from + 1 : from
    if (at === end) return at
    if (bytes[at] === LF) state = 'size'
    else refuse('A chunk is longer than its size.')
    digits = 0
    return at + 1
  }

  const readSize = (bytes: Uint8Array, from: number, end: number): number => {
    let at = from
    for (; at < end; at++) {
      const digit = hexDigit(bytes[at] ?? 0)
      if (digit < 0) break
      left = left * 16 + digit
      digits++
    }
    if (digits > MAX_SIZE_DIGITS || (at < end && digits === 0)) refuse('A chunk has no size.')
    else if (at < end) return readExtension(bytes, at, end)
    return at
  }

  /** To the end of the size's line, whatever else it says. */
  const readExtension = (bytes: Uint8Array, from: number, end: number): number => {
    let at = from
    while (at < end && bytes[at] !== LF) at++
    if (at === end) {
      state = 'extension'
      return end
    }
    state = left === 0 ? 'trailer' : 'chunk'
    isLineEmpty = true
    return at + 1
  }

  const readTrailer = (bytes: Uint8Array, from: number, to: number): number => {
    for (let at = from; at < to; at++) {
      const byte = bytes[at]
      if (byte === LF) {
        if (isLineEmpty) {
          // What comes after the end was not asked for.
          end(keepsAlive && at + 1 === to)
          return to
        }
        isLineEmpty = true
      } else if (byte !== CR) {
        isLineEmpty = false
      }
    }
    return to
  }

  const readLength = (bytes: Uint8Array, from: number, to: number): number => {
    const at = readBody(bytes, from, to)
    if (left === 0 && state === 'length') end(keepsAlive && at === to)
    return at
  }

  const step = (bytes: Uint8Array, from: number, to: number): number => {
    switch (state) {
      case 'chunk':
        return readChunk(bytes, from, to)
      case 'size':
        return readSize(bytes, from, to)
      case 'chunkEnd':
        return readChunkEnd(bytes, from, to)
      case 'extension':
        return readExtension(bytes, from, to)
      case 'trailer':
        return readTrailer(bytes, from, to)
      case 'length':
        return readLength(bytes, from, to)
      case 'untilClose':
        return readBody(bytes, from, to)
      case 'head':
        return readHead(bytes, from, to)
      case 'over':
        return to
    }
  }

  return {
    feed(bytes, to) {
      let at = 0
      while (at < to) at = step(bytes, at, to)
      return fault
    },
    close() {
      if (state !== 'untilClose') return false
      end(false)
      return true
    },
    reset() {
      state = 'head'
      headText = ''
      fault = undefined
    },
  }
}

/** Undefined where a line is no field. */
function fieldsOf(lines: readonly string[]): ReadonlyMap<string, string> | undefined {
  const fields = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon < 1) return undefined
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    fields.set(name, fields.has(name) ? `${fields.get(name)}, ${value}` : value)
  }
  return fields
}

/** −1 for any other byte. */
function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48
  const letter = byte | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}
