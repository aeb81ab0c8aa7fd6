import type { Clock } from './clock.ts'

/** What the generator counts of its own reading. All counts only grow, but `active`. */
export interface Counters {
  /** Token-bearing events. */
  readonly events: number
  /** Socket reads that brought a token, and those of them that brought more than one. */
  readonly tokenReads: number
  readonly sharedReads: number
  /** Requests that have neither ended nor been cancelled. */
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
}

export function createMeter(clock: Clock): Meter {
  let readUs = 0
  let tokensInRead = 0
  let events = 0
  let tokenReads = 0
  let sharedReads = 0
  let active = 0
  return {
    onRead() {
      readUs = clock.nowUs()
      tokensInRead = 0
    },
    readUs: () => readUs,
    onTokens(count) {
      if (tokensInRead === 0) tokenReads++
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
  }
}
