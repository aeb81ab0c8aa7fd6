/** As a shell says it of a program that Ctrl-C ended: 128 + SIGINT. */
export const INTERRUPTED = 130

export interface Interruptible {
  readonly signal: AbortSignal
  /** Gives the signals back. */
  release(): void
}

/** The first Ctrl-C (or SIGTERM) aborts, so that work ends cleanly; the second ends the process at once. */
export function interruptible(onFirst: () => void): Interruptible {
  const controller = new AbortController()
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(INTERRUPTED)
    controller.abort()
    onFirst()
  }
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  return {
    signal: controller.signal,
    release: () => {
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
    },
  }
}
