import { setTimeout as sleep } from 'node:timers/promises'
import { mayPass } from './target-fault.ts'

const PAUSE_MS = 1000

export interface Patience {
  /** How long failures that may pass are waited out; 0: not at all. */
  readonly limitS: number
  readonly nowS: () => number
  readonly signal: AbortSignal
  /** Told before each new try why it still waits, and since when. */
  readonly onWait: (why: string, sinceS: number) => void
}

/** Tries again each second until an attempt succeeds, fails for good, or the limit has passed since the first attempt of all. */
export function createPatience({
  limitS,
  nowS,
  signal,
  onWait,
}: Patience): <T>(attempt: () => Promise<T>) => Promise<T> {
  const fromS = nowS()
  return async (attempt) => {
    for (;;) {
      try {
        return await attempt()
      } catch (error) {
        signal.throwIfAborted()
        if (!mayPass(error) || nowS() - fromS >= limitS) throw error
        onWait((error as Error).message, nowS() - fromS)
        await sleep(PAUSE_MS, undefined, { signal })
      }
    }
  }
}
