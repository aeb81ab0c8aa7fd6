import { performance } from 'node:perf_hooks'
import type { Clock } from '../clock.ts'

/** What the generator counts of its own reading. All counts only grow, but `active`. */
export interface Counters {
  /** Token-bearing events. */
  readonly events: number
  /** Socket reads that brought a token, and those of them that brought more than one. */
  readonly tokenReads: number
  readonly sharedReads: number
  /** Requests that have not ended. */
  readonly active: number
}

export interface Meter {
  /** A socket has bytes: takes the time. */
  readonly onRead: () => void
  /** When the read in progress arrived. */
  readUs(): number
  onTokens(count: number): void
  onSend(): void
  onEnd(): void
  counters(): Counters
  /**
   * How many token reads there were so far, by how late they may have been: index i is i to i + 1 times `LATE_STEP_US`, the last index
   * that or more. A copy.
   */
  lateReads(): Float64Array
}

/** What this thread's event loop counts of it. */
export const loopIdleMs = (): number => performance.nodeTiming.idleTime

export const LATE_STEP_US = 100
const LATE_STEPS = 2_000

/**
 * A read gets its time when its turn comes. Whatever lay in the sockets when a turn of the event loop began is read in that turn, one
 * socket after the other; what came during a turn is read in the next. So a read is late by no more than the time since its turn began,
 * or, where the turns are back to back, since the turn before began:
 *
 *   idle … [ turn: read read read ] idle … [ turn: read ][ turn: read read ] …
 *          ↑ since here                     ↑ since here ──────────┘
 *
 * The loop counts the time in which it had nothing to do. Where that has grown since the read before, this one did not wait, and which
 * turn it belongs to does not matter: so the end of a turn, which costs as much as all else about a read, is looked for only when reads
 * follow each other, and then once for all reads of the turn.
 */
export function createMeter(clock: Clock, sinceStartIdleMs: () => number = loopIdleMs): Meter {
  const late = new Float64Array(LATE_STEPS)
  let readUs = 0
  let idleMs = Number.NaN // of the loop, at the read before
  let isWatched = false // the end of this turn will be told
  let hasTurned = false // the turn of the read before has ended
  let turnUs = 0 // when this turn began
  let waitingSinceUs = 0 // what this turn reads cannot have come earlier
  let tokensInRead = 0
  let events = 0
  let tokenReads = 0
  let sharedReads = 0
  let active = 0

  const endTurn = (): void => {
    isWatched = false
    hasTurned = true
  }

  return {
    onRead() {
      readUs = clock.nowUs()
      tokensInRead = 0
      if (isWatched) return
      const before = idleMs
      idleMs = sinceStartIdleMs()
      if (idleMs !== before) {
        turnUs = readUs
        waitingSinceUs = readUs
        hasTurned = false
        return
      }
      waitingSinceUs = turnUs
      // Where the end of the turn before was not told, this may still be it.
      if (hasTurned) turnUs = readUs
      hasTurned = false
      isWatched = true
      // Immediates run when the sockets of the turn have been read.
      setImmediate(endTurn)
    },
    readUs: () => readUs,
    onTokens(count) {
      if (tokensInRead === 0) {
        tokenReads++
        const step = Math.min(LATE_STEPS - 1, Math.floor((readUs - waitingSinceUs) / LATE_STEP_US))
        late[step] = (late[step] ?? 0) + 1
      }
      if (tokensInRead < 2 && tokensInRead + count >= 2) sharedReads++
      tokensInRead += count
      events += count
    },
    onSend() {
      active++
    },
    onEnd() {
      active--
    },
    counters: () => ({ events, tokenReads, sharedReads, active }),
    lateReads: () => late.slice(),
  }
}
