import { createSource } from './arrivals/create-source.ts'
import type { ThinkPlan } from './arrivals/think.ts'
import type { WorkPlan } from './arrivals/work.ts'
import type { Fleet } from './fleet/fleet.ts'
import { simulate } from './simulate.ts'

export interface AnswerTimeOptions {
  readonly fleet: Fleet
  /** Names of the pools that may serve; absent: all. */
  readonly pools?: readonly string[]
  readonly work: WorkPlan
  readonly think?: ThinkPlan
  readonly users: number
}

const LEAST_REQUESTS = 10
const REQUESTS_EACH = 4

/**
 * How long an answer takes in a closed loop of so many users, in seconds, from a short run. Throws as `simulate` does.
 *
 * It is what the starts of the users are to be spread over. Where all answers are of one length, that decides for good how many prompts
 * meet in a step: users who begin together end together, and wait for each other's prompts at every turn.
 *
 *     at once   ▕▏████████████▕▏████████████     ▕▏ all prompts in a few steps: each waits for all
 *     spread    ▏█████▏█████▏█████▏█████▏███     ▏ one now and then
 */
export function answerTimeS(options: AnswerTimeOptions): number {
  const { think, users } = options
  if (users === 1) return timeS(options, think?.meanS)
  // What users who begin at once wait for each other is not in the time of those who begin apart: asked twice.
  return timeS(options, timeS(options, think?.meanS) + (think?.meanS ?? 0))
}

function timeS({ fleet, pools, work, think, users }: AnswerTimeOptions, spreadS?: number): number {
  const source = createSource({
    arrivals: { kind: 'users', users, ...(spreadS !== undefined && { spreadS }) },
    work: { ...work, turns: 1 },
    seed: 'answer time',
    ...(think && { think }),
  })
  const { littlesLaw } = simulate({
    fleet,
    lanes: [{ name: 'one', priority: 0, source, users, ...(pools && { pools }) }],
    load: { kind: 'concurrency', value: users },
    requests: Math.max(LEAST_REQUESTS, REQUESTS_EACH * users),
  })
  return littlesLaw.timeInSystemS ?? 0
}
