import { type Lengths, type Plan, type PlanCheck, type Trace, TwospeedError } from '../../core/index.ts'
import type { SimulatedUnit } from '../candidate.ts'
import type { RequestLengths } from './crowd.ts'
import { drainCheck } from './drain.ts'
import type { Subject } from './look.ts'
import { type SplitSizes, splitTailCheck } from './split-tail.ts'
import { tailCheck } from './tail.ts'

/** The fleet that a plan is of. */
export interface CheckedServer {
  /** As its candidate gives it; undefined where it cannot be simulated. */
  readonly unit: SimulatedUnit | undefined
  /** Of split pools, where their numbers are not tied to each other. */
  readonly instances?: SplitSizes
  /** Distributions, where they are known; else every request has the plan's mean. */
  readonly lengths?: Partial<RequestLengths>
  /** What the plan is of, where it was recorded. */
  readonly trace?: Trace
}

/**
 * Simulates the fleet of a plan: whether the share of requests gets all of the objective, and how many replicas it takes; of a batch, how
 * long it takes. Where nothing can be simulated the answer says why.
 */
export function checkTail(plan: Plan, { unit, instances, lengths, trace }: CheckedServer): PlanCheck {
  if (unit === undefined) return none('nothing given says how long a step takes')
  const { replicas: mean, replicasAtPeak: peak = mean } = plan
  const subject = { ...subjectOf(plan, unit, lengths), ...(trace !== undefined && { trace }) }
  const check = (): PlanCheck | undefined => {
    if (plan.product.goal === 'throughput') return drainCheck(plan, subject, mean)
    return instances === undefined ? tailCheck(plan, subject, { mean, peak }) : splitTailCheck(plan, subject, instances)
  }
  try {
    return check() ?? none('the plan does not say what comes')
  } catch (error) {
    if (error instanceof TwospeedError && error.code === 'NEVER_FITS') return none('the KV cache holds no such request')
    throw error
  }
}

const none = (why: string): PlanCheck => ({ kind: 'none', sentences: [`Not simulated: ${why}.`] })

/** A wait is judged where the plan knows one: of a law alone, and of points without it, the simulated one is of free prompts. */
function subjectOf(plan: Plan, unit: SimulatedUnit, lengths: CheckedServer['lengths'] = {}): Subject {
  const { tokensPerSecond, ttftMs } = plan.product
  const isWaitKnown = plan.choice.ttftMs !== undefined || plan.perReplica.ttftMs !== undefined
  return {
    unit,
    lengths: {
      input: lengths.input ?? fixed(plan.inputTokens ?? 1),
      output: lengths.output ?? fixed(plan.outputTokens),
      ...(lengths.pairs !== undefined && { pairs: lengths.pairs }),
    },
    limits: {
      ...(tokensPerSecond !== undefined && { tokensPerSecond }),
      ...(ttftMs !== undefined && isWaitKnown && { ttftMs }),
    },
  }
}

const fixed = (tokens: number): Lengths => ({ kind: 'fixed', tokens: Math.max(1, Math.round(tokens)) })
