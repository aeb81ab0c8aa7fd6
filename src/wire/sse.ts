import { createBytes } from './bytes.ts'

/** Where an event lies in the bytes of one read, when it lies there whole and has one data line. */
export interface EventSpan {
  readonly bytes: Uint8Array
  /** First byte of the event, and the byte after its blank line. */
  readonly from: number
  readonly to: number
  readonly dataFrom: number
  readonly dataTo: number
}

export interface SseOptions {
  /** Called with each event as the line end that closes its blank line is read. `type` is '' where the event names none. */
  readonly onEvent: (data: string, type: string, span: EventSpan | undefined) => void
  /**
   * Tried wherever an event may begin: takes one whole event off the bytes up to `end` and returns where it ends, or `from` where it
   * takes none.
   * The way past decoding for events whose shape is known.
   */
  readonly skim?: (bytes: Uint8Array, from: number, end: number) => number
  /** An event beyond it stops the parser. */
  readonly maxEventBytes?: number
}

export interface SseParser {
  feed(bytes: Uint8Array, from?: number, end?: number): void
  /** The body ended in good order: what an unterminated last event holds, if anything. */
  end(): { readonly data: string; readonly type: string } | undefined
  /** A comment or a line with a known field name was read, or the last line may yet become one: this is an event stream. */
  isEventStream(): boolean
  /** An event was larger than allowed; nothing is read any more. */
  isOverflowed(): boolean
  reset(): void
}

const LF = 10
const CR = 13
const SPACE = 32
const COLON = 58
const MAX_EVENT_BYTES = 64 * 2 ** 20
const FIELDS: readonly string[] = ['data', 'event', 'id', 'retry']

/**
 * An event-stream parser that is pushed bytes and holds no clock: the caller knows when they came.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 *
 * A line ends with LF, CRLF or CR. A CR ends it at once: waiting to see whether an LF follows would deliver each event of a CR stream
 * one event late, so the LF that may come is skipped instead, in the next read if need be.
 */
export function createSseParser(options: SseOptions): SseParser {
  return new PushParser(options)
}

class PushParser implements SseParser {
  private readonly options: SseOptions
  private overflowed = false
  private skipLf = false
  private isBetween = true // events: nothing of one was read that counts
  private isFirstLine = true
  private sawField = false
  private eventFrom = -1 // in this read; -1: it began in an earlier one
  private read: Uint8Array | undefined // the read that the one data line lies in, while it is not kept
  private dataFrom = 0
  private dataTo = 0
  private dataLines = 0
  private type = ''
  private readonly held = createBytes() // the line that has not ended yet
  private readonly kept = createBytes() // data lines that outlived their read, or are several
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true })

  constructor(options: SseOptions) {
    this.options = options
  }

  feed(bytes: Uint8Array, from = 0, end: number = bytes.length): void {
    if (this.overflowed) return
    let at = from
    if (this.skipLf && at < end) {
      this.skipLf = false
      if (bytes[at] === LF) at++
    }
    this.eventFrom = -1
    const { options, held } = this
    while (at < end) {
      if (this.isBetween) {
        const next: number = options.skim?.(bytes, at, end) ?? at
        if (next > at) {
          this.sawField = true
          this.isFirstLine = false
          at = next
          continue
        }
        this.eventFrom = at
      }
      let to = at
      while (to < end && bytes[to] !== LF && bytes[to] !== CR) to++
      this.overflowed = held.length() + this.kept.length() + (to - at) > (options.maxEventBytes ?? MAX_EVENT_BYTES)
      if (this.overflowed) return
      if (to === end) {
        held.append(bytes, at, end)
        this.isBetween = false
        break
      }
      let next: number = to + 1
      if (bytes[to] === CR) {
        if (next === end) this.skipLf = true
        else if (bytes[next] === LF) next++
      }
      if (held.length() === 0) {
        this.line(bytes, at, to, next)
      } else {
        held.append(bytes, at, to)
        const whole = held.view()
        this.line(whole, 0, whole.length, -1)
        this.keep()
        held.clear()
      }
      at = next
    }
    if (this.read !== undefined) this.keep()
  }

  end(): { readonly data: string; readonly type: string } | undefined {
    if (this.overflowed) return undefined
    const { held } = this
    if (held.length() > 0) {
      const whole = held.view()
      if (this.isFirstLine && whole[0] === 0xef && whole[1] === 0xbb && whole[2] === 0xbf)
        this.field(whole, 3, whole.length)
      else this.field(whole, 0, whole.length)
      this.keep()
      held.clear()
    }
    const last = this.dataLines > 0 ? { data: this.dataText(), type: this.type } : undefined
    this.clear()
    return last
  }

  isEventStream(): boolean {
    return this.sawField || couldBeField(this.decoder.decode(this.held.view().subarray(0, 16)))
  }

  isOverflowed(): boolean {
    return this.overflowed
  }

  reset(): void {
    this.clear()
    this.held.clear()
    this.isFirstLine = true
    this.skipLf = false
    this.sawField = false
    this.overflowed = false
  }

  private keep(): void {
    if (this.read === undefined) return
    this.kept.append(this.read, this.dataFrom, this.dataTo)
    this.read = undefined
  }

  private dataLine(bytes: Uint8Array, from: number, to: number): void {
    this.dataLines++
    if (this.dataLines === 1) {
      this.read = bytes
      this.dataFrom = from
      this.dataTo = to
      return
    }
    this.keep()
    this.kept.appendByte(LF)
    this.kept.append(bytes, from, to)
  }

  private dataText(): string {
    const { read } = this
    return this.decoder.decode(read === undefined ? this.kept.view() : read.subarray(this.dataFrom, this.dataTo))
  }

  private clear(): void {
    this.dataLines = 0
    this.type = ''
    this.read = undefined
    this.isBetween = true
    this.eventFrom = -1
    if (this.kept.length() > 0) this.kept.clear()
  }

  private field(bytes: Uint8Array, from: number, to: number): void {
    let colon = from
    while (colon < to && bytes[colon] !== COLON) colon++
    if (colon === from) {
      this.sawField = true
      return
    }
    const name = nameOf(bytes, from, colon)
    if (name === undefined) return
    this.sawField = true
    let value = Math.min(colon + 1, to)
    if (value < to && bytes[value] === SPACE) value++
    if (name === 'data') this.dataLine(bytes, value, to)
    else if (name === 'event') this.type = this.decoder.decode(bytes.subarray(value, to))
  }

  /** Reads one line; `next` is where the line after it begins. */
  private line(bytes: Uint8Array, start: number, to: number, next: number): void {
    let from = start
    if (this.isFirstLine) {
      this.isFirstLine = false
      if (bytes[from] === 0xef && bytes[from + 1] === 0xbb && bytes[from + 2] === 0xbf) {
        from += 3
        if (this.eventFrom >= 0) this.eventFrom = from
      }
    }
    if (from < to) {
      this.field(bytes, from, to)
      this.isBetween = this.dataLines === 0 && this.type === ''
      return
    }
    if (this.dataLines > 0) {
      const { read, eventFrom, dataFrom, dataTo } = this
      const span =
        read !== undefined && eventFrom >= 0 ? { bytes: read, from: eventFrom, to: next, dataFrom, dataTo } : undefined
      this.options.onEvent(this.dataText(), this.type, span)
    }
    this.clear()
  }
}

function nameOf(bytes: Uint8Array, from: number, to: number): string | undefined {
  for (const name of FIELDS) {
    if (name.length !== to - from) continue
    let i = 0
    while (i < name.length && bytes[from + i] === name.charCodeAt(i)) i++
    if (i === name.length) return name
  }
  return undefined
}

/** Whether a line that has not ended is, or may become, a comment or a field. */
function couldBeField(start: string): boolean {
  const [name = ''] = start.replace(/^\uFEFF/, '').split(':', 1)
  return (
    start !== '' &&
    FIELDS.some((field) => (start.includes(':') ? field === name || name === '' : field.startsWith(name)))
  )
}
