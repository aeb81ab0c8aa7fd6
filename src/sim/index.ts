/** The simulator of a serving fleet: who sends what, how engines fill their steps, how long those take, and the figures that come out. */
export { lawStepTime } from './step/law-step-time.ts'
export { modelStepTime } from './step/model-step-time.ts'
export type { StepLoad, StepTime } from './step/step-time.ts'
export { DEFAULT_REQUESTS, type SimulatedLaneOptions, type SimulateOptions, simulate } from './simulate.ts'
