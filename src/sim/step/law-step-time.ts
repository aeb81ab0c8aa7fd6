import { type Law, stepSeconds } from '../../model/index.ts'
import type { StepTime } from './step-time.ts'

/**
 * Steps timed by a law, in the very meaning that `serve --engine simulated` gives it: a prompt that a step completes counts as a sequence
 * of it. A law is straight in the cache however long.
 */
export function lawStepTime(law: Law): StepTime {
  const step = { batch: 0, kvTokens: 0, prefillTokens: 0 }
  return {
    seconds(load) {
      step.batch = load.decoding + load.completing
      step.kvTokens = load.decodeKvTokens + load.completingKvTokens
      step.prefillTokens = load.prefillTokens
      return stepSeconds(law, step)
    },
    straightFor: (_, most) => most,
  }
}
