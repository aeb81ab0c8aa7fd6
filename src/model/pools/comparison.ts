import { closedLoop } from '../roofline/closed-loop.ts'
import { gpusOf } from '../roofline/configuration.ts'
import type { Memory } from '../roofline/memory.ts'
import type { StepModel } from '../roofline/step-model.ts'
import { atFloor, type FloorPoint, type PaceCurve } from './at-floor.ts'
import { halved } from './halved.ts'
import { greatestLoad, splitLoop } from './split-loop.ts'
import { decodeInstance, type SplitPools } from './split-pools.ts'

/** A pace on whose two sides another of the two gives more per GPU. */
export interface Crossing {
  readonly tokensPerSecondPerUser: number
  /** What gives more per GPU where users must be faster than that. */
  readonly above: 'split' | 'colocated'
}

/** Split pools against replicas that read and answer on the same GPUs. */
export interface PoolComparison {
  /** Absent where no floor was given; a side is absent where it does not reach the floor with one request alone. */
  readonly atFloor?: { readonly split?: FloorPoint; readonly colocated?: FloorPoint }
  /** Ascending by pace. Empty: one of them gives more at every pace that both reach. */
  readonly crossings: readonly Crossing[]
}

/** The colocated side is one replica: as many of them as there are GPUs for give the same per GPU. */
export function comparePools(
  split: SplitPools,
  { model, memory }: { readonly model: StepModel; readonly memory: Memory },
  floor?: number,
): PoolComparison {
  const sides = { split: curveOfSplit(split), colocated: curveOfReplica(model, memory, split) }
  return {
    ...(floor !== undefined && { atFloor: bothAt(sides, floor) }),
    crossings: crossingsOf(sides.split, sides.colocated),
  }
}

function bothAt(
  { split, colocated }: Record<'split' | 'colocated', PaceCurve>,
  floor: number,
): NonNullable<PoolComparison['atFloor']> {
  const points = { split: atFloor(split, floor), colocated: atFloor(colocated, floor) }
  return {
    ...(points.split !== undefined && { split: points.split }),
    ...(points.colocated !== undefined && { colocated: points.colocated }),
  }
}

function curveOfSplit(split: SplitPools): PaceCurve {
  return { gpus: split.gpus, most: greatestLoad(split).load, at: (load) => splitLoop(split, load) }
}

function curveOfReplica(model: StepModel, memory: Memory, { lengths }: SplitPools): PaceCurve {
  const most = decodeInstance(model, memory).places
  return { gpus: gpusOf(model.configuration.parallelism), most, at: (load) => closedLoop(model, memory, lengths, load) }
}

/** Paces looked at, even steps of their logarithm; a crossing between two of them is then found by halving. */
const STEPS = 60

/** Exported for the tests, which know where two straight frontiers cross. */
export function crossingsOf(split: PaceCurve, colocated: PaceCurve): readonly Crossing[] {
  // A side that cannot be loaded so far gives its most at every lower pace too.
  const least = Math.min(paceAtMost(split), paceAtMost(colocated))
  const greatest = Math.min(soloPace(split), soloPace(colocated))
  if (!(greatest > least)) return []
  const lead = (pace: number): number =>
    (atFloor(split, pace)?.tokensPerSecondPerGpu ?? 0) - (atFloor(colocated, pace)?.tokensPerSecondPerGpu ?? 0)
  const paces = Array.from({ length: STEPS + 1 }, (_, i) => least * (greatest / least) ** (i / STEPS))
  const leads = paces.map(lead)
  const crossings: Crossing[] = []
  for (let i = 1; i <= STEPS; i++) {
    const [before = 0, after = 0] = leads.slice(i - 1, i + 1)
    if (before * after >= 0) continue
    const [low = 0, high = 0] = paces.slice(i - 1, i + 1)
    const tokensPerSecondPerUser = halved(low, high, (pace) => lead(pace) * before > 0)
    crossings.push({ tokensPerSecondPerUser, above: after > 0 ? 'split' : 'colocated' })
  }
  return crossings
}

function soloPace(curve: PaceCurve): number {
  return curve.at(1).tokensPerSecondPerUser
}

function paceAtMost(curve: PaceCurve): number {
  return curve.at(Math.max(1, curve.most)).tokensPerSecondPerUser
}
