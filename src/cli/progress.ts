import { printable } from '../core/index.ts'

const INTERVAL_MS = 250
const CLEAR_LINE = '\r\u001b[K'

/** Where progress goes: standard error, as far as this needs it. */
export interface ProgressStream {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/** What long work says while it goes on. */
export interface ProgressLine {
  /** The status now. On a terminal one line that is rewritten at most four times a second; elsewhere nothing, since it would fill a log. */
  status(text: string): void
  /** A line that stays. */
  say(text: string): void
  /** Takes the status away. */
  close(): void
}

export function createProgressLine(stream: ProgressStream, nowMs: () => number = Date.now): ProgressLine {
  const isTerminal = stream.isTTY === true
  let shown = ''
  let writtenMs = Number.NEGATIVE_INFINITY
  const clear = (): void => {
    if (shown !== '') stream.write(CLEAR_LINE)
    shown = ''
  }
  return {
    status(text) {
      if (!isTerminal || nowMs() - writtenMs < INTERVAL_MS) return
      writtenMs = nowMs()
      // One short of the width: a full line would wrap and could not be taken back.
      shown = printable(text).slice(0, Math.max(20, (stream.columns ?? 80) - 1))
      stream.write(`${CLEAR_LINE}${shown}`)
    },
    say(text) {
      clear()
      stream.write(`${printable(text)}\n`)
    },
    close: clear,
  }
}
