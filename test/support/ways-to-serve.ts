import { type Candidate, evidenceOfRows, measuredCandidate } from '../../src/plan/index.ts'

export interface Way {
  readonly name: string
  /** Seconds of a step: of itself, and for each sequence. */
  readonly base: number
  readonly perSequence: number
  readonly gpus: number
}

/** Servers whose steps take a + b·B, measured at five loads with a wait that grows with them. */
export const waysToServe = (ways: readonly Way[]): readonly Candidate[] =>
  ways.map(({ name, base, perSequence, gpus }) => {
    const rows = [1, 4, 16, 64, 128].map((concurrency) => ({
      concurrency,
      outputTokensPerSecond: concurrency / (base + perSequence * concurrency),
      ttftMs: 50 + 3 * concurrency,
    }))
    return measuredCandidate(evidenceOfRows(rows, { gpus }), { name, kind: 'measured' })
  })

export const THREE_WAYS: readonly Way[] = [
  { name: 'runs/a', base: 0.006, perSequence: 0.0002, gpus: 2 },
  { name: 'runs/b', base: 0.005, perSequence: 0.00015, gpus: 1 },
  { name: 'runs/c', base: 0.003, perSequence: 0.00012, gpus: 8 },
]
