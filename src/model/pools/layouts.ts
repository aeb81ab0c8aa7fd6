import type { Accelerator } from '../catalogue/accelerator.ts'
import type { ModelShape } from '../catalogue/model-shape.ts'
import type { Parallelism } from '../roofline/configuration.ts'

/** GPUs of one instance: the largest that its makers have told of has 320 (decode of DeepSeek-V3, arXiv 2412.19437 §3.4). */
const LARGEST = 256

/**
 * Ways to lay one replica over at most so many GPUs: TP over all divisors of the heads inside one domain; for a mixture of experts also
 * copies of attention (DP) and groups of experts (EP) in powers of two. Copies of a dense model share nothing, so for it they are
 * replicas. Stages of a pipeline make each token wait for all of them: they are for a model that fits no other way, so there are up to
 * `stages` of them. Fewest GPUs first, plainest first.
 */
export function layoutsOf(model: ModelShape, gpu: Accelerator, budget: number, stages: number): readonly Parallelism[] {
  const gpus = Math.min(budget, LARGEST)
  const layouts: Parallelism[] = []
  for (const pp of powersOfTwo(stages)) {
    for (let tp = 1; tp * pp <= gpus && tp <= gpu.domain; tp++) {
      if (model.attention.heads % tp !== 0) continue
      for (const dp of powersOfTwo(model.experts === undefined ? 1 : gpus / (tp * pp))) {
        for (const ep of expertGroups(model, tp * dp)) layouts.push({ tp, pp, ep, dp })
      }
    }
  }
  return layouts.sort((a, b) => a.tp * a.pp * a.dp - b.tp * b.pp * b.dp || a.pp - b.pp || a.dp - b.dp || a.ep - b.ep)
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
