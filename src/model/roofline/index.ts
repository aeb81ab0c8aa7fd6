/** The two speeds from datasheets: a configuration, the time of its steps, its memory, and the closed loop that follows. */
export { closedLoop, type PredictedPoint } from './closed-loop.ts'
export {
  type Configuration,
  type ConfigurationOptions,
  createConfiguration,
  type Lengths,
  type Parallelism,
} from './configuration.ts'
export { type Memory, memoryOf } from './memory.ts'
export { prefillSeconds } from './prompt.ts'
export { ridgeTokens } from './ridge.ts'
export { createStepModel } from './roofline.ts'
export type { StepModel, StepPart, StepWork } from './step-model.ts'
