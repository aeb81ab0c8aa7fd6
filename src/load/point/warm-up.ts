/** How warm-up is found to be over; stored with the run. */
export const WARM_UP_METHODS = {
  closed: 'MSER on time in system, after every user has finished one request',
  open: 'MSER on time in system, after all that were in flight when the first ended have ended',
  trace: 'none: a trace is measured from its first request on',
} as const

/** Fewer samples than this show no trend. */
const LEAST = 8
/** What may be left of the start-up transient in the mean, as a share of it. */
const TOLERANCE = 0.01
/** So many times the least number of samples without an end: it is unclear whether there is one. */
const PATIENCE = 8

export interface WarmUp {
  /** A request of this user has left. `timeInSystemS` only where it was answered: how fast a server refuses says nothing of its pace. */
  ended(user: number, timeInSystemS: number | undefined): void
  state(): 'running' | 'over' | 'unclear'
  /** Mean time in system past the transient; before its end is found, of all samples; undefined without any. */
  meanS(): number | undefined
}

/** Fewer samples have too little spread by chance. */
const LEAST_TAIL = 3

/**
 * MSER, the marginal standard error rule (K. P. White, 1997): the transient is the beginning whose removal makes the mean of the rest most
 * certain, i.e. the d with the least Σ(x − mean)² / (n − d)² over the samples from d on. It is past when d lies in the first half; also
 * when cutting there or in the middle gives the same mean within 1 %, so that a nearly constant server does not wait for a drift of no
 * account. Returns the mean of what is left, undefined while the transient goes on.
 */
function meanPastTransient(samples: readonly number[]): number | undefined {
  const middle = Math.floor(samples.length / 2)
  // Sums relative to the last sample, so that nearly equal samples do not cancel.
  const origin = samples.at(-1) ?? 0
  let sum = 0
  let squares = 0
  let best = { from: 0, mean: 0, error: Number.POSITIVE_INFINITY }
  let meanFromMiddle = 0
  for (let from = samples.length - 1; from >= 0; from--) {
    const value = (samples[from] ?? 0) - origin
    const count = samples.length - from
    sum += value
    squares += value * value
    const mean = origin + sum / count
    if (from === middle) meanFromMiddle = mean
    const error = Math.max(0, squares - (sum * sum) / count) / count ** 2
    if (count >= LEAST_TAIL && error <= best.error) best = { from, mean, error }
  }
  if (best.from <= middle) return best.mean
  return Math.abs(meanFromMiddle - best.mean) <= TOLERANCE * best.mean ? meanFromMiddle : undefined
}

/** Watches the start of a closed loop of so many users until its transient is past: connections, filling batches, caches, queues. */
export function createWarmUp(concurrency: number): WarmUp {
  const least = Math.max(LEAST, 2 * concurrency)
  const finished = new Set<number>()
  const samples: number[] = []
  let sum = 0
  let next = least
  let state: 'running' | 'over' | 'unclear' = 'running'
  let mean: number | undefined

  const judge = (): void => {
    if (finished.size < concurrency || samples.length < next) return
    mean = meanPastTransient(samples)
    // Not at every request: looking costs as many steps as there are samples.
    next = Math.ceil(samples.length * 1.05)
    if (mean !== undefined) {
      state = 'over'
    } else if (samples.length >= PATIENCE * least) {
      state = 'unclear'
    }
  }

  return {
    ended(user, timeInSystemS) {
      finished.add(user)
      if (timeInSystemS !== undefined) {
        samples.push(timeInSystemS)
        sum += timeInSystemS
      }
      if (state === 'running') judge()
    },
    state: () => state,
    meanS: () => mean ?? (samples.length === 0 ? undefined : sum / samples.length),
  }
}
