import type { Clock } from './clock.ts'

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

export const LATE_STEP_US = 100
const LATE_STEPS = 2_000
/** Turns of the event loop that follow each other this closely had no time between them in which nothing was waiting. */
const BACK_TO_BACK_US = 100

/**
 * A read gets its time when its turn comes. Whatever lay in the sockets when a turn of the event loop began is read in that turn, one
 * socket after the other; what came during a turn is read in the next. So a read is late by no more than the time since its turn began,
 * or, where the turns are back to back, since the turn before began:
 *
 *   idle … [ turn: read read read ] idle … [ turn: read ][ turn: read read ] …
 *          ↑ since here                     ↑ since here ──────────┘
 */
export function createMeter(clock: Clock): Meter {
  const late = new Float64Array(LATE_STEPS)
  let readUs = 0
  let isInTurn = false
  let turnUs = 0 // when this turn began
  let waitingSinceUs = 0 // what this turn reads cannot have come earlier
  let turnEndUs = 0
  let tokensInRead = 0
  let events = 0
  let tokenReads = 0
  let sharedReads = 0
  let active = 0

  const endTurn = (): void => {
    isInTurn = false
    turnEndUs = clock.nowUs()
  }

  return {
    onRead() {
      readUs = clock.nowUs()
      tokensInRead = 0
      if (isInTurn) return
      isInTurn = true
      waitingSinceUs = readUs - turnEndUs < BACK_TO_BACK_US ? turnUs : readUs
      turnUs = readUs
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
