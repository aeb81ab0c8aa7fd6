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
  return new HttpReader(events)
}

class HttpReader implements ResponseReader {
  private readonly events: ResponseEvents
  private state: State = 'head'
  private left = 0 // of the chunk or the body
  private digits = 0
  private keepsAlive = false
  private isLineEmpty = true // of the trailer
  private headText = ''
  private fault: string | undefined

  constructor(events: ResponseEvents) {
    this.events = events
  }

  feed(bytes: Uint8Array, to: number): string | undefined {
    let at = 0
    while (at < to) at = this.step(bytes, at, to)
    return this.fault
  }

  close(): boolean {
    if (this.state !== 'untilClose') return false
    this.conclude(false)
    return true
  }

  reset(): void {
    this.state = 'head'
    this.headText = ''
    this.fault = undefined
  }

  private step(bytes: Uint8Array, from: number, to: number): number {
    switch (this.state) {
      case 'chunk':
        return this.readChunk(bytes, from, to)
      case 'size':
        return this.readSize(bytes, from, to)
      case 'chunkEnd':
        return this.readChunkEnd(bytes, from, to)
      case 'extension':
        return this.readExtension(bytes, from, to)
      case 'trailer':
        return this.readTrailer(bytes, from, to)
      case 'length':
        return this.readLength(bytes, from, to)
      case 'untilClose':
        return this.readBody(bytes, from, to)
      case 'head':
        return this.readHead(bytes, from, to)
      case 'over':
        return to
    }
  }

  private refuse(what: string): void {
    this.fault = what
    this.state = 'over'
  }

  private conclude(isReusable: boolean): void {
    this.state = 'over'
    this.events.onEnd(isReusable)
  }

  private readHead(bytes: Uint8Array, from: number, end: number): number {
    const known = this.headText.length
    this.headText += Buffer.from(bytes.buffer, bytes.byteOffset + from, end - from).toString('latin1')
    // Of what was read before, the end may hold the beginning of the blank line.
    const blank = /\r?\n\r?\n/g
    blank.lastIndex = Math.max(0, known - 3)
    const match = blank.exec(this.headText)
    if (match === null) {
      if (this.headText.length > MAX_HEAD_BYTES) this.refuse('Its head is larger than 64 KiB.')
      else if (!'HTTP/1.'.startsWith(this.headText.slice(0, 7))) this.refuse('It does not begin like HTTP/1.1.')
      return end
    }
    const text = this.headText.slice(0, match.index)
    this.headText = ''
    this.begin(text)
    return from + blank.lastIndex - known
  }

  /** Takes the head in; an interim answer (1xx) is followed by another head. */
  private begin(text: string): void {
    const [first = '', ...lines] = text.split(/\r?\n/)
    const [, minor, code] = /^HTTP\/1\.(\d) (\d{3})(?: |$)/.exec(first) ?? []
    const fields = fieldsOf(lines)
    const length = fields?.get('content-length')
    const isChunked = /(^|,)\s*chunked$/i.test(fields?.get('transfer-encoding') ?? '')
    if (code === undefined) this.refuse('It does not begin like HTTP/1.1.')
    else if (code === '101') this.refuse('It switches the protocol.')
    else if (fields === undefined) this.refuse('A line of its head is no field.')
    else if (length !== undefined && !isChunked && !/^\d{1,15}$/.test(length)) this.refuse('Its length is no number.')
    if (code === undefined || fields === undefined || this.fault !== undefined || code < '200') return
    const options = (fields.get('connection') ?? '').toLowerCase().split(/\s*,\s*/)
    this.keepsAlive = minor === '0' ? options.includes('keep-alive') : !options.includes('close')
    this.state = isChunked ? 'size' : length === undefined ? 'untilClose' : 'length'
    this.left = isChunked ? 0 : Number(length ?? 0)
    this.digits = 0
    const status = Number(code)
    this.events.onHead({ status, fields })
    if (status === 204 || status === 304 || (this.state === 'length' && this.left === 0)) this.conclude(this.keepsAlive)
  }

  private readBody(bytes: Uint8Array, from: number, end: number): number {
    const to = this.state === 'untilClose' ? end : Math.min(end, from + this.left)
    this.left -= to - from
    this.events.onBody(bytes, from, to)
    return to
  }

  private readChunk(bytes: Uint8Array, from: number, end: number): number {
    const to = this.readBody(bytes, from, end)
    if (this.left > 0 || this.state !== 'chunk') return to
    this.state = 'chunkEnd'
    return to < end ? this.readChunkEnd(bytes, to, end) : to
  }

  /** The line end after a chunk. */
  private readChunkEnd(bytes: Uint8Array, from: number, end: number): number {
    const at = bytes[from] === CR ? from + 1 : from
    if (at === end) return at
    if (bytes[at] === LF) this.state = 'size'
    else this.refuse('A chunk is longer than its size.')
    this.digits = 0
    return at + 1
  }

  private readSize(bytes: Uint8Array, from: number, end: number): number {
    let { left, digits } = this
    let at = from
    for (; at < end; at++) {
      const digit = hexDigit(bytes[at] ?? 0)
      if (digit < 0) break
      left = left * 16 + digit
      digits++
    }
    this.left = left
    this.digits = digits
    if (digits > MAX_SIZE_DIGITS || (at < end && digits === 0)) this.refuse('A chunk has no size.')
    else if (at < end) return this.readExtension(bytes, at, end)
    return at
  }

  /** To the end of the size's line, whatever else it says. */
  private readExtension(bytes: Uint8Array, from: number, end: number): number {
    let at = from
    while (at < end && bytes[at] !== LF) at++
    if (at === end) {
      this.state = 'extension'
      return end
    }
    this.state = this.left === 0 ? 'trailer' : 'chunk'
    this.isLineEmpty = true
    return at + 1
  }

  private readTrailer(bytes: Uint8Array, from: number, to: number): number {
    for (let at = from; at < to; at++) {
      const byte = bytes[at]
      if (byte === LF) {
        if (this.isLineEmpty) {
          // What comes after the end was not asked for.
          this.conclude(this.keepsAlive && at + 1 === to)
          return to
        }
        this.isLineEmpty = true
      } else if (byte !== CR) {
        this.isLineEmpty = false
      }
    }
    return to
  }

  private readLength(bytes: Uint8Array, from: number, to: number): number {
    const at = this.readBody(bytes, from, to)
    if (this.left === 0 && this.state === 'length') this.conclude(this.keepsAlive && at === to)
    return at
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
