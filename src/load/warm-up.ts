/** How warm-up is found to be over; stored with the run. */
export const WARM_UP_METHOD = 'MSER on time in system, after every user has finished one request'

/** Fewer samples than this show no trend. */
const LEAST = 10
/** What may be left of the start-up transient in the mean, as a share of it. */
const TOLERANCE = 0.02
/** So many times the least number of samples without an end: it is unclear whether there is one. */
const PATIENCE = 5

export interface WarmUp {
  /** A request of this user has left. `timeInSystemS` only where it was answered: how fast a server refuses says nothing of its pace. */
  ended(user: number, timeInSystemS: number | undefined): void
  state(): 'running' | 'over' | 'unclear'
  /** Mean time in system past the transient; before its end is found, of all samples; undefined without any. */
  meanS(): number | undefined
}

/** Mean and marginal standard error of what is left when the first `from` samples are cut off. */
interface Cut {
  readonly from: number
  readonly mean: number
  readonly error: number
}

function cuts(samples: readonly number[]): readonly Cut[] {
  const found: Cut[] = []
  let sum = 0
  let squares = 0
  // Sums relative to the last sample, so that nearly equal samples do not cancel.
  const origin = samples.at(-1) ?? 0
  for (let from = samples.length - 1; from >= 0; from--) {
    const value = (samples[from] ?? 0) - origin
    const count = samples.length - from
    sum += value
    squares += value * value
    const spread = Math.max(0, squares - (sum * sum) / count)
    found.unshift({ from, mean: origin + sum / count, error: spread / count ** 2 })
  }
  return found
}

/**
 * MSER, the marginal standard error rule (K. P. White, 1997): the transient is the beginning whose removal makes the mean of the rest most
 * certain, i.e. the d with the least Σ(x − mean)² / (n − d)² over the samples d…n. It is past when d lies in the first half; also when
 * cutting there or in the middle gives the same mean within 2 %, so that a nearly constant server does not wait for a drift of no account.
 */
function transientEnd(samples: readonly number[]): Cut | undefined {
  const all = cuts(samples)
  const usable = all.slice(0, samples.length - 2)
  const best = usable.reduce<Cut | undefined>(
    (least, cut) => (least !== undefined && least.error <= cut.error ? least : cut),
    undefined,
  )
  const middle = all[Math.floor(samples.length / 2)]
  if (best === undefined || middle === undefined) return undefined
  if (best.from <= middle.from) return best
  return Math.abs(middle.mean - best.mean) <= TOLERANCE * best.mean ? middle : undefined
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
    const end = transientEnd(samples)
    next = Math.ceil(samples.length * 1.05)
    if (end !== undefined) {
      state = 'over'
      mean = end.mean
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
