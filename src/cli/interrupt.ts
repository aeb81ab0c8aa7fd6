/** As a shell says it of a program that Ctrl-C ended: 128 + SIGINT. */
export const INTERRUPTED = 130

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export interface Interruptible {
  readonly signal: AbortSignal
  /** Gives the signals back. */
  release(): void
}

/**
 * The first Ctrl-C (or SIGTERM, or the end of the terminal) aborts, so that work ends cleanly; the second ends the process at once, after
 * what little `onSecond` does.
 */
export function interruptible(onFirst: () => void, onSecond: () => void): Interruptible {
  const controller = new AbortController()
  const onSignal = (): void => {
    if (controller.signal.aborted) {
      onSecond()
      process.exit(INTERRUPTED)
    }
    controller.abort()
    onFirst()
  }
  for (const signal of SIGNALS) process.on(signal, onSignal)
  return {
    signal: controller.signal,
    release: () => {
      for (const signal of SIGNALS) process.off(signal, onSignal)
    },
  }
}
