/** What a rule answers to a question, and what that load really has. */
import type { LoadPoint } from '../../src/model/index.ts'
import { choose } from '../../src/plan/index.ts'
import type { Question } from './questions.ts'

/** From three loads to one; undefined where it has no answer. */
export type Rule = (question: Question) => number | undefined

/** `choose` of the three loads. */
export const byLaw: Rule = ({ sweep, product }) => {
  try {
    return choose(sweep.evidence, product).choice.concurrency
  } catch {
    return undefined
  }
}

/** As it is done without a law: of the loads that were measured the greatest that holds. */
export const byMeasuredPoint: Rule = ({ sweep, holds }) => sweep.shown.findLast(holds)?.load

export interface Answer {
  readonly question: Question
  /** Absent: the rule had no answer. */
  readonly load?: number
  /** No farther than one measured load from the best measured load that holds. */
  readonly withinOneStep: boolean
  /** Not less than that load, and less than the next, which is one too many. */
  readonly exact: boolean
  /** Of tok/s/GPU, against the best measured load that holds: less than 0 where a load between those that were measured makes more. */
  readonly regret: number
  /** How far the chosen load really misses the objective, as a share of it: 0 where it holds. */
  readonly missedBy: number
}

/** Undefined where not even the least load holds. */
export function answerOf(rule: Rule, question: Question): Answer | undefined {
  const { measured } = question.sweep
  const best = measured.findLast(question.holds)
  if (best === undefined) return undefined
  const load = rule(question)
  if (load === undefined) return { question, withinOneStep: false, exact: false, regret: 1, missedBy: 0 }
  const at = measured.indexOf(best)
  const [below, above] = [measured[at - 1] ?? best, measured[at + 1] ?? best]
  const real = betweenMeasured(measured, load)
  const { tokensPerSecond, ttftMs } = question.product
  const over = tokensPerSecond === undefined ? (real.ttftMs ?? 0) / (ttftMs ?? 1) : real.stepS * tokensPerSecond
  return {
    question,
    load,
    withinOneStep: load >= below.load && load <= above.load,
    exact: load >= best.load && load < above.load,
    regret: 1 - real.outputTokensPerSecond / best.outputTokensPerSecond,
    missedBy: Math.max(0, tokensPerSecond === undefined ? over - 1 : 1 - 1 / over),
  }
}

type Real = Pick<LoadPoint, 'stepS' | 'ttftMs' | 'outputTokensPerSecond'>

/** All that was measured, straight between neighbours: what can be said of a load between them. */
function betweenMeasured(measured: readonly LoadPoint[], load: number): Real {
  const low = measured.findLast((point) => point.load <= load) ?? measured[0]
  const high = measured.find((point) => point.load >= load) ?? measured.at(-1)
  if (low === undefined || high === undefined) throw new Error('a sweep without points')
  const share = high.load > low.load ? (load - low.load) / (high.load - low.load) : 0
  const mix = (a: number, b: number): number => a + share * (b - a)
  return {
    stepS: mix(low.stepS, high.stepS),
    outputTokensPerSecond: mix(low.outputTokensPerSecond, high.outputTokensPerSecond),
    ...(low.ttftMs !== undefined && high.ttftMs !== undefined && { ttftMs: mix(low.ttftMs, high.ttftMs) }),
  }
}
