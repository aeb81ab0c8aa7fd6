/** What tables name, as the model has it. */
import { TwospeedError } from '../../../src/core/index.ts'
import type { Accelerator } from '../../../src/model/catalogue/accelerator.ts'
import { findAccelerator } from '../../../src/model/catalogue/find.ts'
import {
  createConfiguration,
  createStepModel,
  type StepModel,
  type StepWork,
} from '../../../src/model/roofline/index.ts'

/** Why a row is left out. */
export const UNKNOWN = 'of a GPU or a model that is not in the catalogue'

/** Undefined for what `of` refuses: a name that the catalogue has not, arithmetic that the datasheet has not. */
export function unlessRefused<T>(of: () => T): T | undefined {
  try {
    return of()
  } catch (error) {
    if (error instanceof TwospeedError) return undefined
    throw error
  }
}

export const accelerator = (name: string): Accelerator | undefined => unlessRefused(() => findAccelerator(name))

export const stepModel = (options: Parameters<typeof createConfiguration>[0]): StepModel | undefined =>
  unlessRefused(() => createStepModel(createConfiguration(options)))

export const decode = (sequences: number, contextTokens = 1): StepWork => ({
  sequences,
  contextTokens,
  prefillTokens: 0,
  prefillContextTokens: 0,
})

/** So many prompts of a length, alone in a step; `prefix` of each stands in the cache already. */
export const prefill = (prompts: number, promptTokens: number, prefix = 0): StepWork => ({
  sequences: 0,
  contextTokens: 0,
  prefillTokens: prompts * promptTokens,
  prefillContextTokens: prefix + promptTokens / 2,
})

/** Makes a thing once for each key. */
export function remembered<V>(make: (key: string) => V): (key: string) => V {
  const known = new Map<string, V>()
  return (key) => {
    if (!known.has(key)) known.set(key, make(key))
    return known.get(key) as V
  }
}
