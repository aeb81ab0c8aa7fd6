import type { PointsRow } from '../../src/core/index.ts'
import type { Candidate } from '../../src/plan/candidate.ts'
import { type Evidence, evidenceOfRows } from '../../src/plan/index.ts'

/** A server of which each of these loads was measured, with a step of a + b·B. */
export interface Line {
  readonly a: number
  readonly b: number
  readonly gpus?: number
  readonly loads?: readonly number[]
  readonly ttftMs?: (load: number) => number
}

export const LESSON: Line = { a: 0.005, b: 0.00025, loads: [20, 80] }

export function evidenceOfLine({ a, b, gpus, loads = [4, 16, 64], ttftMs }: Line): Evidence {
  const rows = loads.map(
    (concurrency): PointsRow => ({
      concurrency,
      outputTokensPerSecond: concurrency / (a + b * concurrency),
      ...(ttftMs !== undefined && { tokensPerSecondPerUser: 1 / (a + b * concurrency), ttftMs: ttftMs(concurrency) }),
    }),
  )
  return evidenceOfRows(rows, gpus === undefined ? {} : { gpus })
}

export function candidateOf(name: string, evidence: Evidence, known: Partial<Candidate> = {}): Candidate {
  return { name, kind: 'measured', evidenceFor: () => evidence, unitFor: () => undefined, ...known }
}
