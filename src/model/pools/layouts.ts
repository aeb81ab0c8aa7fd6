import type { Accelerator } from '../catalogue/accelerator.ts'
import type { ModelShape } from '../catalogue/model-shape.ts'
import { gpusOf, type Parallelism } from '../roofline/configuration.ts'

/** GPUs of one instance: the largest that its makers have told of has 320 (decode of DeepSeek-V3, arXiv 2412.19437 §3.4). */
const LARGEST = 256

/**
 * Ways to lay one replica over at most so many GPUs: TP over all divisors of the heads inside one domain, and over 2, 4, … whole domains
 * (slow, but for a lone user the fastest that there is); for a mixture of experts inside one also copies of attention (DP), and groups of
 * experts (EP), in powers of two. Copies of a dense model share nothing, so for it they are
 * replicas. Stages of a pipeline make each token wait for all of them: they are for a model that fits no other way, so there are up to
 * `stages` of them. Fewest GPUs first, plainest first.
 */
export function layoutsOf(model: ModelShape, gpu: Accelerator, budget: number, stages: number): readonly Parallelism[] {
  const gpus = Math.min(budget, LARGEST)
  const layouts: Parallelism[] = []
  for (const pp of powersOfTwo(stages)) {
    for (const tp of tensorWays(model, gpu, gpus / pp, pp === 1)) {
      const copied = model.experts !== undefined && tp <= gpu.domain
      for (const dp of powersOfTwo(copied ? gpus / (tp * pp) : 1)) {
        for (const ep of expertGroups(model, tp * dp)) layouts.push({ tp, pp, ep, dp })
      }
    }
  }
  return layouts.sort((a, b) => gpusOf(a) - gpusOf(b) || a.pp - b.pp || a.dp - b.dp || a.ep - b.ep)
}

function tensorWays(
  { attention: { heads } }: ModelShape,
  { domain }: Accelerator,
  most: number,
  alsoAcross: boolean,
): readonly number[] {
  const inside = Array.from({ length: Math.floor(Math.min(most, domain)) }, (_, i) => i + 1)
  const across = alsoAcross ? powersOfTwo(most / domain).slice(1) : []
  return [...inside, ...across.map((domains) => domains * domain)].filter((tp) => heads % tp === 0)
}

function expertGroups({ experts }: ModelShape, gpus: number): readonly number[] {
  return experts === undefined
    ? [1]
    : powersOfTwo(gpus).filter((groups) => gpus % groups === 0 && experts.all % groups === 0)
}

function powersOfTwo(greatest: number): readonly number[] {
  const powers: number[] = []
  for (let power = 1; power <= greatest; power *= 2) powers.push(power)
  return powers
}
