const FIRST_WAIT_S = 0.1
const LONGEST_WAIT_S = 5

/** How long a user whose last `failures` requests all failed waits before the next: 0.1 s, doubling to 5 s. A load test must not become an attack. */
export function backoffS(failures: number): number {
  return failures === 0 ? 0 : Math.min(LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** (failures - 1))
}

export interface ErrorGuard {
  ended(failed: boolean): void
  /** Over half of the last max(20, concurrency) requests failed, or so many have that the rest of these cannot change it. */
  tripped(): boolean
}

export function createErrorGuard(concurrency: number): ErrorGuard {
  const size = Math.max(20, concurrency)
  const last: boolean[] = []
  let at = 0
  let failures = 0
  return {
    ended(failed) {
      if (last[at] === true) failures--
      if (failed) failures++
      last[at] = failed
      at = (at + 1) % size
    },
    tripped: () => failures > size / 2,
  }
}
