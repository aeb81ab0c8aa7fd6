/** Whether the number in flight grows as long as it is watched: then requests come faster than they are served. */
export interface Growth {
  /** From now on it is so many. Times never fall. */
  now(count: number, nowS: number): void
  grows(): boolean
}

/** Batch means: at least half as many of equal length, so that each holds the ups and downs of many requests. */
const BATCHES = 32
const FIRST_LENGTH_S = 1 / 64
/** Fewer show no trend. */
const LEAST = 8
/** So much more often than less (Kendall's τ) does a later batch have more in flight than an earlier one. */
const CONCORDANCE = 0.7
/** And from the first third to the last it grows by so much, as a share of the mean and in deviations of a Poisson number of that mean. */
const SHARE = 0.4
const DEVIATIONS = 3

export function createGrowth(fromS: number, count: number): Growth {
  let lengthS = FIRST_LENGTH_S
  let sums: number[] = []
  let atS = fromS
  let held = count

  const advance = (nowS: number): void => {
    while (nowS - fromS > BATCHES * lengthS) {
      lengthS *= 2
      sums = Array.from({ length: Math.ceil(sums.length / 2) }, (_, i) => (sums[2 * i] ?? 0) + (sums[2 * i + 1] ?? 0))
    }
    while (atS < nowS) {
      const batch = Math.floor((atS - fromS) / lengthS)
      const untilS = Math.min(nowS, fromS + (batch + 1) * lengthS)
      sums[batch] = (sums[batch] ?? 0) + held * (untilS - atS)
      // Of sums of binary fractions nothing is lost, but of others: never stand still.
      atS = untilS > atS ? untilS : nowS
    }
  }

  return {
    now(next, nowS) {
      advance(nowS)
      held = next
    },
    grows() {
      const whole = sums.slice(0, Math.floor((atS - fromS) / lengthS)).map((sum) => sum / lengthS)
      if (whole.length < LEAST) return false
      const third = Math.floor(whole.length / 3)
      const rise = meanOf(whole.slice(-third)) - meanOf(whole.slice(0, third))
      const mean = meanOf(whole)
      return concordance(whole) >= CONCORDANCE && rise >= SHARE * mean && rise >= DEVIATIONS * Math.sqrt(mean)
    },
  }
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Kendall's τ against time: 1 where every later value is greater, −1 where it is less, about 0 where time says nothing. */
function concordance(values: readonly number[]): number {
  let sum = 0
  values.forEach((value, i) => {
    for (const later of values.slice(i + 1)) sum += Math.sign(later - value)
  })
  return sum / ((values.length * (values.length - 1)) / 2)
}
