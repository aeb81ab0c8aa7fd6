import type { StepTime } from '../step/step-time.ts'
import type { Engine, EngineListener } from './engine.ts'
import type { EnginePolicy } from './policy.ts'

export interface EngineOptions {
  readonly index: number
  readonly policy: EnginePolicy
  readonly stepTime: StepTime
  readonly listener: EngineListener
  /** How many groups the observer counts gaps by. */
  readonly groups: number
}

export function createEngine(_options: EngineOptions): Engine {
  throw new Error('to be written')
}
