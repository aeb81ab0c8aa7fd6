import { TwospeedError } from '../../core/index.ts'
import type { Accelerator } from '../catalogue/accelerator.ts'
import type { ModelShape } from '../catalogue/model-shape.ts'
import type { Configuration, Lengths, Parallelism } from '../roofline/configuration.ts'
import { memoryOf } from '../roofline/memory.ts'
import { createStepModel } from '../roofline/roofline.ts'
import type { StepModel } from '../roofline/step-model.ts'
import { layoutsOf } from './layouts.ts'
import { type PrefillInstance, prefillInstance } from './prompt-reading.ts'
import type { Pool } from './split.ts'
import { type DecodeInstance, decodeInstance, onlyPrompts } from './split-pools.ts'

/** Instances of each kind that can exist, by how they are laid out. */
export interface Candidates {
  /** Replicas that read and decode, and decode instances of split pools. */
  readonly writers: readonly DecodeInstance[]
  readonly readers: readonly PrefillInstance[]
  /** Layouts that lack the memory. */
  readonly doNotFit: number
}

export interface CandidateRequest {
  readonly model: ModelShape
  readonly gpu: Accelerator
  /** To be used, all together. */
  readonly gpus: number
  readonly lengths: Lengths
  configurationOf(parallelism: Parallelism): Configuration
  /** Absent: from specifications alone. */
  stepModelOf?(configuration: Configuration): StepModel
}

/** Throws DOES_NOT_FIT or IMPOSSIBLE_CONFIGURATION, as the largest layout was refused, where no layout can be. */
export function candidatesOf(request: CandidateRequest): Candidates {
  const { model, gpu, gpus } = request
  const plain = tried(layoutsOf(model, gpu, gpus, 1), request)
  // TP over several domains is slow enough that stages of a pipeline may do better.
  if (plain.writers.some(({ model: { configuration } }) => configuration.parallelism.tp <= gpu.domain)) return plain
  const { refusal, ...staged } = tried(layoutsOf(model, gpu, gpus, Math.min(gpus, model.layers)), request)
  if (staged.writers.length === 0 && refusal !== undefined) throw refusal
  return staged
}

interface Tried extends Candidates {
  readonly refusal?: TwospeedError
}

function tried(layouts: readonly Parallelism[], request: CandidateRequest): Tried {
  const { lengths, stepModelOf = createStepModel } = request
  const writers: DecodeInstance[] = []
  const readers: PrefillInstance[] = []
  const refusals: TwospeedError[] = []
  let doNotFit = 0
  for (const layout of layouts) {
    const configuration = unlessRefused(() => request.configurationOf(layout))
    if (configuration instanceof TwospeedError) {
      refusals.unshift(configuration)
      continue
    }
    const model = stepModelOf(configuration)
    const prompts = unlessRefused(() => memoryOf(configuration, onlyPrompts(lengths)))
    if (!(prompts instanceof TwospeedError)) readers.push(prefillInstance(model, prompts, lengths.inputTokens))
    const memory = unlessRefused(() => memoryOf(configuration, lengths))
    if (!(memory instanceof TwospeedError)) writers.push(decodeInstance(model, memory))
    else {
      doNotFit++
      refusals.push(memory)
    }
  }
  const refusal = refusals.at(-1)
  return { writers, readers, doNotFit, ...(refusal !== undefined && { refusal }) }
}

function unlessRefused<Value>(make: () => Value): Value | TwospeedError {
  try {
    return make()
  } catch (error) {
    if (error instanceof TwospeedError) return error
    throw error
  }
}

export function poolOf(count: number, { parallelism: { tp, pp, ep, dp } }: Configuration): Pool {
  return { count, tp, ...(pp > 1 && { pp }), ...(ep > 1 && { ep }), ...(dp > 1 && { dp }) }
}
