import { type Law, type LoadPoint, stepSeconds } from '../../model/index.ts'
import type { StepTime } from '../../sim/index.ts'
import type { MeanLengths } from '../candidate.ts'
import type { Evidence } from '../evidence.ts'
import { promptCostOf } from './prompt-cost.ts'

export interface MeasuredSteps {
  readonly stepTime: StepTime
  /** What a request waits before its prompt can be read. */
  readonly entryS: number
}

/** The least part of a measured step that is decode, whatever prompts are thought to cost. */
const LEAST_DECODE = 0.2

/**
 * The steps of a server that was measured. A point saw a step of B sequences take T with prompts in it, p tokens a step in the mean, each
 * of d; so decode alone took T − d·p, and a step of B sequences, K tokens of cache and P of prompts takes
 *
 *     decode(B, K)·r(B) + d·P,     r = (T − d·p) / decode(B, K) at each point, in straight pieces between them
 *
 * with decode the law less its prompts where the law is believed, and 1 where it is not: then r are the steps themselves. So
 * what a load was
 * measured to take, a simulation of it takes. Past the greatest load and without a law no more tokens are made, only shared by more.
 *
 * Undefined where there is neither a point nor a law.
 */
export function measuredSteps(evidence: Evidence, lengths: MeanLengths): MeasuredSteps | undefined {
  const { curve } = evidence
  const { fitted, points } = curve
  const law = fitted.between === 'law' ? fitted.law : undefined
  if (law === undefined && points.length === 0) return undefined
  const { perTokenS, entryS, perStepAt } = promptCostOf(evidence, lengths, law)
  const context = contextOf(points, lengths)
  const decode = decodeOf(law, context, perTokenS, lengths)
  const places = points.map((point) => {
    const { batch, stepS, contextTokens = context ?? 0 } = point
    const alone = Math.max(LEAST_DECODE * stepS, stepS - perTokenS * perStepAt(point))
    return { batch, ratio: alone / decode(batch, batch * contextTokens) }
  })
  const ratioAt = ratios(places, law !== undefined)

  /** Of each batch that was met: seconds with an empty cache, and for each token in it. */
  const bases: number[] = []
  const slopes: number[] = []
  const meet = (batch: number): void => {
    const ratio = ratioAt(batch)
    const base = decode(batch, 0)
    bases[batch] = ratio * base
    slopes[batch] = ratio * (decode(batch, 1000) - base) * 1e-3
  }
  return {
    entryS,
    stepTime: {
      seconds({ decoding, completing, decodeKvTokens, completingKvTokens, prefillTokens }) {
        const batch = decoding + completing
        if (bases[batch] === undefined) meet(batch)
        const kvTokens = decodeKvTokens + completingKvTokens
        return (bases[batch] ?? 0) + (slopes[batch] ?? 0) * kvTokens + perTokenS * prefillTokens
      },
      straightFor: (_, most) => most,
    },
  }
}

/** KV tokens of a sequence at which points were seen, where the planned requests do not say how long their prompts are. */
function contextOf([first]: readonly LoadPoint[], { input, output }: MeanLengths): number | undefined {
  return input === undefined ? first?.contextTokens : (first?.contextTokens ?? input + output / 2)
}

/**
 * A step of decode alone by the law. What a law without a term for prompts was fitted to had them in it, so many with each
 * sequence; where prompts are of unknown
 * length the cache that was seen stands for that of every sequence.
 */
function decodeOf(
  law: Law | undefined,
  context: number | undefined,
  perTokenS: number,
  { input, output }: MeanLengths,
): (batch: number, kvTokens: number) => number {
  if (law === undefined) return () => 1
  const { perPrefillTokenS, ...rest } = law
  const promptS = perPrefillTokenS === undefined ? (perTokenS * (input ?? 1)) / Math.max(1, output - 1) : 0
  return (batch, kvTokens) => {
    const whole = stepSeconds(rest, { batch, kvTokens: input === undefined ? batch * (context ?? 0) : kvTokens })
    return Math.max(LEAST_DECODE * whole, whole - promptS * Math.max(0, batch - 1))
  }
}

interface Ratio {
  readonly batch: number
  readonly ratio: number
}

/** In straight pieces; held at both ends, but that without a law past the greatest batch a step grows as those who share it. */
function ratios(places: readonly Ratio[], hasLaw: boolean): (batch: number) => number {
  const sorted = [...places].sort((a, b) => a.batch - b.batch)
  const [least, greatest] = [sorted[0], sorted.at(-1)]
  if (least === undefined || greatest === undefined) return () => 1
  return (batch) => {
    if (batch <= least.batch) return least.ratio
    if (batch >= greatest.batch) return hasLaw ? greatest.ratio : (greatest.ratio * batch) / greatest.batch
    const next = sorted.findIndex((place) => place.batch > batch)
    const [before, after] = [sorted[next - 1] ?? least, sorted[next] ?? greatest]
    const share = (batch - before.batch) / (after.batch - before.batch)
    return before.ratio + share * (after.ratio - before.ratio)
  }
}
