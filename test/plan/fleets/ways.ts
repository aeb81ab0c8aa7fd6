import type { PointsRow, Product } from '../../../src/core/index.ts'
import { createConfiguration, findAccelerator, findModel } from '../../../src/model/index.ts'
import type { Candidate } from '../../../src/plan/candidate.ts'
import { layoutCandidates } from '../../../src/plan/candidates/layout-candidate.ts'
import { measuredCandidate } from '../../../src/plan/candidates/measured-candidate.ts'
import type { SplitSource } from '../../../src/plan/fleets/asked.ts'
import { evidenceOfRows } from '../../../src/plan/index.ts'

export const pace = (tokensPerSecond: number, name = 'test', ttftMs?: number): Product => ({
  name,
  goal: 'pace',
  tokensPerSecond,
  ...(ttftMs !== undefined && { ttftMs }),
})

interface Server {
  readonly name: string
  readonly rows: readonly PointsRow[]
  readonly gpus?: number
  readonly pricePerHour?: number
}

export function server({ name, rows, gpus, pricePerHour }: Server): Candidate {
  return measuredCandidate(evidenceOfRows(rows, gpus === undefined ? {} : { gpus }), {
    name,
    kind: 'measured',
    ...(pricePerHour !== undefined && { pricePerHour }),
  })
}

/** T = 5 ms + 0.25 ms a stream: 20 at 100 tok/s, 60 at 50. */
export const LESSON: readonly PointsRow[] = [
  { concurrency: 20, outputTokensPerSecond: 2000 },
  { concurrency: 80, outputTokensPerSecond: 3200 },
]
export const lesson = server({ name: 'lesson', rows: LESSON, gpus: 1 })

export function sourceOf(gpu: string, more: Partial<SplitSource> = {}): SplitSource {
  const [model, accelerator] = [findModel('Llama-3.1-8B'), findAccelerator(gpu)]
  return {
    model,
    gpu: accelerator,
    gpus: 2,
    configurationOf: (parallelism) => createConfiguration({ model, gpu: accelerator, ...parallelism }),
    ...more,
  }
}

export const layoutsOf = (source: SplitSource): readonly Candidate[] =>
  layoutCandidates(source, { input: 1000, output: 200 })
