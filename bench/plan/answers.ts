/** What a plan says of a fleet, and what the fleet does. */
import { type CheckedFleet, type Interval, meanLength, type Plan, type TailCheck } from '../../src/core/index.ts'
import { planFleet } from '../../src/plan/index.ts'
import type { PlanQuestion } from './questions.ts'
import { demandFor } from './servers.ts'
import { type Truth, truthOf } from './truth.ts'

/** A size of a fleet, and whether the share has all of the objective there. */
export interface Size {
  readonly replicas: number
  readonly truth: Truth
  readonly holds: boolean
}

export interface Told {
  readonly attainment: number
  readonly interval: Interval
}

export interface PlanAnswer {
  readonly server: string
  readonly lengths: 'alike' | 'spread'
  readonly product: string
  readonly arrivalsPerSecond: number
  readonly share: number
  /** What the plan's own simulation says of the fleet for the mean, and of that for the peak. */
  readonly toldOfMean: Told
  readonly toldOfPeak: Told
  /** Tokens a second ÷ the ceiling; for the mean; for the peak by arithmetic; as planned, with the simulation's word; one fewer than the fewest that it names. */
  readonly naive: Size
  readonly mean: Size
  readonly arithmetic: Size
  readonly planned: Size
  readonly fewest?: Size
  readonly oneFewer?: Size
}

export function planAnswer(question: PlanQuestion): PlanAnswer {
  const { server, product, arrivalsPerSecond } = question
  const { candidate, lengths } = server
  const demand = demandFor(server, arrivalsPerSecond)
  const arithmetic = planFleet([candidate], product, demand, { check: false })
  const plan = planFleet([candidate], product, demand, { lengths })
  const check = tailOf(plan)
  const { share } = check
  const seen = new Map<number, Size>()
  const size = (replicas: number): Size => {
    const known = seen.get(replicas)
    if (known !== undefined) return known
    const truth = truthOf(server, product, { arrivalsPerSecond, inFlight: plan.inFlight ?? 0 }, replicas)
    const made = { replicas, truth, holds: truth.attainment >= share }
    seen.set(replicas, made)
    return made
  }
  const { ceilingTokensPerSecondPerGpu: ceiling } = candidate.evidenceFor().fit
  if (ceiling === undefined) throw new Error(`${server.law} has no ceiling`)
  const { replicas: fewest } = check
  return {
    server: server.law,
    lengths: lengths.output.kind === 'fixed' ? 'alike' : 'spread',
    product: product.name,
    arrivalsPerSecond,
    share,
    toldOfMean: toldBy(check.mean),
    toldOfPeak: toldBy(check.peak),
    naive: size(Math.ceil((arrivalsPerSecond * meanLength(lengths.output)) / ceiling)),
    mean: size(plan.replicas),
    arithmetic: size(arithmetic.replicasAtPeak ?? arithmetic.replicas),
    planned: size(plan.replicasAtPeak ?? plan.replicas),
    ...(fewest !== undefined && { fewest: size(fewest) }),
    ...(fewest !== undefined && fewest > plan.replicas && { oneFewer: size(fewest - 1) }),
  }
}

const toldBy = ({ attainment, interval }: CheckedFleet): Told => ({ attainment, interval })

function tailOf({ check }: Plan): TailCheck {
  if (check?.kind !== 'tail') throw new Error(`nothing was simulated: ${check?.sentences.join(' ')}`)
  return check
}
