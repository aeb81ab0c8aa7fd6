import { closeSync, openSync, writeFileSync } from 'node:fs'
import { TwospeedError } from '../core/index.ts'

/**
 * What the server knows of a request, by its own clock: `process.hrtime`, in nanoseconds, which every process of the machine shares.
 * They are plain numbers: exact below 2^53, that is for the first 104 days after the machine has started, and to 2 ns for as long again.
 */
export interface TruthRecord {
  /** The client's `x-request-id`, else the one that the server gave. */
  readonly requestId: string
  /** When the head of the request had been read. */
  readonly receivedNs: number
  readonly promptTokens: number
  /** One per output token: the moment before its event was written to the socket (unstreamed: when the engine made it). */
  readonly tokenNs: readonly number[]
  /** For each token, how many sequences made a token in that step. */
  readonly batch: readonly number[]
  readonly finish: 'stop' | 'length' | 'cancelled' | 'failed'
}

export interface TruthLog {
  append(record: TruthRecord): void
  /** Writes what is left. */
  close(): void
}

export const hrtimeNs = (): number => Number(process.hrtime.bigint())

const FLUSH_MS = 200

/**
 * JSON lines, written every 200 ms, at the end, and when the process exits in any way that it can still notice. The write is
 * synchronous: it goes to the page cache in less than a millisecond, and nothing can be lost between a buffer and the exit.
 */
export function openTruthLog(path: string): TruthLog {
  let file: number
  try {
    file = openSync(path, 'w')
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new TwospeedError('FILE_NOT_WRITABLE', `--truth ${path}: ${why}`, 'Name a file in a folder that exists.')
  }
  let lines: string[] = []

  function flush(): void {
    if (lines.length > 0) writeFileSync(file, lines.join(''))
    lines = []
  }
  function close(): void {
    clearInterval(timer)
    process.off('exit', close)
    flush()
    closeSync(file)
  }
  const timer = setInterval(flush, FLUSH_MS).unref()
  process.once('exit', close)

  return {
    append(record) {
      lines.push(`${JSON.stringify(record)}\n`)
    },
    close,
  }
}
