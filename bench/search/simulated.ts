/** The simulated engine: what is right follows from its law. */
import { type FoundLoad, foundLoad, SHARE, type SweptFrontier, sweptFrontier } from './answers.ts'
import { measureRun, withServer } from './run.ts'

/** T = a + b·B, in seconds. */
const [A, B] = [0.01, 0.00015625]
export const LAW = 'a=10ms,b=0.15625ms'
const OUTPUT_TOKENS = 100
const WINDOW_S = 10

const LENGTHS = ['--input-tokens', 64, '--output-tokens', OUTPUT_TOKENS, '--duration', `${WINDOW_S}s`]

/**
 * A user who begins again meets a step that runs: of every answer and one step more, the answer's steps have him in their batch. So the
 * mean batch of N users is N·o / (o + 1).
 */
const BATCH_PER_USER = OUTPUT_TOKENS / (OUTPUT_TOKENS + 1)

const paceAt = (load: number): number => 1 / (A + B * BATCH_PER_USER * load)
const loadAt = (floor: number): number => Math.floor((1 / floor - A) / B / BATCH_PER_USER)

export async function findSimulated(floor: number): Promise<FoundLoad> {
  const flags = ['--find', '--floor', floor, '--share', SHARE, ...LENGTHS]
  const run = await withServer(['--law', LAW], (url) => measureRun(url, flags))
  const exact = loadAt(floor)
  return foundLoad(run, floor, exact, exact)
}

export async function sweepSimulated(): Promise<SweptFrontier> {
  const run = await withServer(['--law', LAW], (url) => measureRun(url, ['--sweep', ...LENGTHS]))
  return sweptFrontier(run, (load) => [paceAt(load), paceAt(load)])
}
