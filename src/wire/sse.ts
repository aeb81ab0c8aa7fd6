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
export function createSseParser({ onEvent, skim, maxEventBytes = MAX_EVENT_BYTES }: SseOptions): SseParser {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const held = createBytes() // the line that has not ended yet
  const kept = createBytes() // data lines that outlived their read, or are several
  let read: Uint8Array | undefined // the read that the one data line lies in, while it is not kept
  let dataFrom = 0
  let dataTo = 0
  let dataLines = 0
  let type = ''
  let isBetween = true // events: nothing of one was read that counts
  let eventFrom = -1 // in this read; -1: it began in an earlier one
  let isFirstLine = true
  let skipLf = false
  let sawField = false
  let overflowed = false

  const keep = (): void => {
    if (read === undefined) return
    kept.append(read, dataFrom, dataTo)
    read = undefined
  }

  const dataLine = (bytes: Uint8Array, from: number, to: number): void => {
    dataLines++
    if (dataLines === 1) {
      read = bytes
      dataFrom = from
      dataTo = to
      return
    }
    keep()
    kept.appendByte(LF)
    kept.append(bytes, from, to)
  }

  const dataText = (): string => decoder.decode(read === undefined ? kept.view() : read.subarray(dataFrom, dataTo))

  const clear = (): void => {
    dataLines = 0
    type = ''
    read = undefined
    isBetween = true
    eventFrom = -1
    if (kept.length() > 0) kept.clear()
  }

  const field = (bytes: Uint8Array, from: number, to: number): void => {
    let colon = from
    while (colon < to && bytes[colon] !== COLON) colon++
    if (colon === from) {
      sawField = true
      return
    }
    const name = nameOf(bytes, from, colon)
    if (name === undefined) return
    sawField = true
    let value = Math.min(colon + 1, to)
    if (value < to && bytes[value] === SPACE) value++
    if (name === 'data') dataLine(bytes, value, to)
    else if (name === 'event') type = decoder.decode(bytes.subarray(value, to))
  }

  /** Reads one line; `next` is where the line after it begins. */
  const line = (bytes: Uint8Array, start: number, to: number, next: number): void => {
    let from = start
    if (isFirstLine) {
      isFirstLine = false
      if (bytes[from] === 0xef && bytes[from + 1] === 0xbb && bytes[from + 2] === 0xbf) {
        from += 3
        if (eventFrom >= 0) eventFrom = from
      }
    }
    if (from < to) {
      field(bytes, from, to)
      isBetween = dataLines === 0 && type === ''
      return
    }
    if (dataLines > 0) {
      const span =
        read !== undefined && eventFrom >= 0 ? { bytes: read, from: eventFrom, to: next, dataFrom, dataTo } : undefined
      onEvent(dataText(), type, span)
    }
    clear()
  }

  return {
    feed(bytes, from = 0, end = bytes.length) {
      if (overflowed) return
      let at = from
      if (skipLf && at < end) {
        skipLf = false
        if (bytes[at] === LF) at++
      }
      eventFrom = -1
      while (at < end) {
        if (isBetween) {
          const next: number = skim === undefined ? at : skim(bytes, at, end)
          if (next > at) {
            sawField = true
            isFirstLine = false
            at = next
            continue
          }
          eventFrom = at
        }
        let to = at
        while (to < end && bytes[to] !== LF && bytes[to] !== CR) to++
        overflowed = held.length() + kept.length() + (to - at) > maxEventBytes
        if (overflowed) return
        if (to === end) {
          held.append(bytes, at, end)
          isBetween = false
          break
        }
        let next: number = to + 1
        if (bytes[to] === CR) {
          if (next === end) skipLf = true
          else if (bytes[next] === LF) next++
        }
        if (held.length() === 0) {
          line(bytes, at, to, next)
        } else {
          held.append(bytes, at, to)
          const whole = held.view()
          line(whole, 0, whole.length, -1)
          keep()
          held.clear()
        }
        at = next
      }
      if (read !== undefined) keep()
    },
    end() {
      if (overflowed) return undefined
      if (held.length() > 0) {
        const whole = held.view()
        if (isFirstLine && whole[0] === 0xef && whole[1] === 0xbb && whole[2] === 0xbf) field(whole, 3, whole.length)
        else field(whole, 0, whole.length)
        keep()
        held.clear()
      }
      const last = dataLines > 0 ? { data: dataText(), type } : undefined
      clear()
      return last
    },
    isEventStream: () => sawField || couldBeField(decoder.decode(held.view().subarray(0, 16))),
    isOverflowed: () => overflowed,
    reset() {
      clear()
      held.clear()
      isFirstLine = true
      skipLf = false
      sawField = false
      overflowed = false
    },
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
