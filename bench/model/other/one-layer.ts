/** A kernel's time as the step model has it: that of the part which stands for it, in a model of one layer that has little else. */
import type { ModelShape } from '../../../src/model/catalogue/model-shape.ts'
import type { StepModel, StepWork } from '../../../src/model/roofline/index.ts'

const BARE: ModelShape = {
  id: 'one-layer',
  hidden: 64,
  layers: 1,
  vocabulary: 64,
  tiedEmbeddings: true,
  attention: { kind: 'grouped', heads: 64, kvHeads: 64, headDim: 1 },
  feedForward: { layers: 1, width: 64, gated: false },
  source: 'bench',
}

export const oneLayer = (shape: Partial<ModelShape>): ModelShape => ({ ...BARE, ...shape })

export function partSeconds(model: StepModel, work: StepWork, names: readonly string[]): number {
  const parts = model.parts(work).filter(({ name }) => names.includes(name))
  if (parts.length === 0) throw new Error(`no part of a step is called ${names.join(' or ')}`)
  return parts.reduce((sum, { seconds }) => sum + seconds, 0)
}
