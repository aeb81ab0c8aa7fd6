/** Time as the simulated engine sees it; tests give their own. */
export interface Clock {
  /** Seconds on a monotonic clock. */
  now(): number
  /** Calls once `now()` has reached `when`; the result calls it off. */
  at(when: number, call: () => void): () => void
}

/** A timer can fire more than a millisecond late, so the last stretch is polled: the event loop keeps turning, sockets are served. */
const POLL_MS = 1.5

export const realClock: Clock = {
  now: () => performance.now() / 1000,
  at(when, call) {
    let timer: NodeJS.Timeout | undefined
    let immediate: NodeJS.Immediate | undefined
    const poll = (): void => {
      if (realClock.now() >= when) call()
      else immediate = setImmediate(poll)
    }
    const sleepMs = Math.floor((when - realClock.now()) * 1000 - POLL_MS)
    if (sleepMs >= 1) timer = setTimeout(poll, sleepMs)
    else immediate = setImmediate(poll)
    return () => {
      clearTimeout(timer)
      clearImmediate(immediate)
    }
  },
}
