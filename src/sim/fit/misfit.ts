import { mean } from '../../core/index.ts'
import type { ObservedInstant, ObservedRequest } from './observed.ts'
import type { Replay } from './replay.ts'

/** Where in a step a request happens to come moves its first token by a step: enough to tell how steps are decided, too little to time them. */
const FIRST_TOKEN_WEIGHT = 0.1

/**
 * How far off a replay is from the requests whose outcome was observed: means of the relative errors of end-to-end time and of time per
 * token, and of |ln| of that of TTFT, which may be off by any factor. Absolute values, for a preemption that falls on another
 * request moves two of them far and says nothing of the law.
 */
export function requestMisfit(requests: readonly ObservedRequest[], { firstTokenS, lastTokenS }: Replay): number {
  const errors: number[] = []
  for (const [i, { atS, outputTokens, outcome }] of requests.entries()) {
    if (outcome === undefined) continue
    const [first, last] = [firstTokenS[i] ?? 0, lastTokenS[i] ?? 0]
    const decodeS = outcome.lastTokenS - outcome.firstTokenS
    errors.push(
      Math.abs(last - outcome.lastTokenS) / (outcome.lastTokenS - atS) +
        (outputTokens > 1 && decodeS > 0 ? Math.abs((last - first) / decodeS - 1) : 0) +
        FIRST_TOKEN_WEIGHT * Math.abs(Math.log((first - atS) / (outcome.firstTokenS - atS))),
    )
  }
  return mean(errors) ?? 0
}

/** The same of what a server said of itself: tokens read and made so far, as shares of all, and how many run and wait, of their means. */
export function instantMisfit(
  instants: readonly ObservedInstant[],
  requests: readonly ObservedRequest[],
  played: Replay,
  leadS: number,
): number {
  const read = readBefore(
    requests,
    played.firstTokenS,
    instants.map(({ atS }) => atS - leadS),
  )
  const known = <K extends Exclude<keyof ObservedInstant, 'atS'>>(key: K): number[] => instants.map((row) => row[key])
  return (
    offBy(summed(known('promptTokens')), read) +
    offBy(summed(known('outputTokens')), played.outputTokens) +
    offBy(known('running'), played.running) +
    offBy(known('waiting'), played.waiting)
  )
}

function summed(values: readonly number[]): number[] {
  let sum = 0
  return values.map((value) => {
    sum += value
    return sum
  })
}

const offBy = (observed: readonly number[], simulated: ArrayLike<number>): number =>
  (mean(observed.map((value, i) => Math.abs(value - (simulated[i] ?? 0)))) ?? 0) / Math.max(1, mean(observed) ?? 0)

/** Tokens of the prompts whose first token came before each instant. */
function readBefore(
  requests: readonly ObservedRequest[],
  firstTokenS: Float64Array,
  instants: readonly number[],
): number[] {
  const order = [...requests.keys()].sort((a, b) => (firstTokenS[a] ?? 0) - (firstTokenS[b] ?? 0))
  let [next, sum] = [0, 0]
  return instants.map((atS) => {
    for (let i = order[next]; i !== undefined && (firstTokenS[i] ?? 0) < atS; i = order[++next]) {
      sum += requests[i]?.promptTokens ?? 0
    }
    return sum
  })
}
