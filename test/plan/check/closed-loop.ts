import type { Point } from '../../../src/core/index.ts'
import { answerTimeS, createSource, type Fleet, simulate } from '../../../src/sim/index.ts'

export interface Work {
  readonly input: number
  readonly output: number
}

/** What so many users, held, are seen to get of a fleet. */
export function closedLoop(fleet: Fleet, { input, output }: Work, users: number): Point {
  const work = { input: { kind: 'fixed', tokens: input }, output: { kind: 'fixed', tokens: output } } as const
  const spreadS = answerTimeS({ fleet, work, users })
  const source = createSource({ arrivals: { kind: 'users', users, spreadS }, work, seed: 7 })
  return simulate({
    fleet,
    lanes: [{ name: 'all', priority: 0, users, source }],
    load: { kind: 'concurrency', value: users },
    requests: Math.max(400, 8 * users),
    hardware: { gpus: 1, replicas: 1 },
  })
}
