import { createSource } from './arrivals/create-source.ts'
import type { WorkPlan } from './arrivals/work.ts'
import type { Fleet } from './fleet/fleet.ts'
import { simulate } from './simulate.ts'

export interface AnswerTimeOptions {
  readonly fleet: Fleet
  /** Names of the pools that may serve; absent: all. */
  readonly pools?: readonly string[]
  readonly work: WorkPlan
  readonly users: number
}

const LEAST_REQUESTS = 10
const REQUESTS_EACH = 4

/**
 * How long an answer takes in a closed loop of so many users, in seconds, from a short run. Throws as `simulate` does.
 *
 * It is what the starts of the users of another load are to be spread over, as `measure` spreads them over the time of the request that
 * it tries before its first load, and of the load before at each further one. Where all answers are of one length, that decides for good
 * how many prompts meet in a step: users who begin together end together, and wait for each other's prompts at every turn.
 *
 *     at once   ▕▏████████████▕▏████████████     ▕▏ all prompts in a few steps: each waits for all
 *     spread    ▏█████▏█████▏█████▏█████▏███     ▏ one now and then
 */
export function answerTimeS({ fleet, pools, work, users }: AnswerTimeOptions): number {
  const source = createSource({ arrivals: { kind: 'users', users }, work: { ...work, turns: 1 }, seed: 'answer time' })
  const { littlesLaw } = simulate({
    fleet,
    lanes: [{ name: 'one', priority: 0, source, users, ...(pools && { pools }) }],
    load: { kind: 'concurrency', value: users },
    requests: Math.max(LEAST_REQUESTS, REQUESTS_EACH * users),
  })
  return littlesLaw.timeInSystemS ?? 0
}
