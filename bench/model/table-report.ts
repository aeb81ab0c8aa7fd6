import type { ErrorFigures, NamedErrors } from './errors.ts'

/** How a prediction compares with one public table. */
export interface TableReport {
  /** Its file in bench/data. */
  readonly table: string
  /** What is predicted, and what it is held against. */
  readonly what: string
  readonly groups: readonly NamedErrors[]
  readonly notes?: readonly string[]
}

export interface SplitPoolsErrors {
  readonly perGpu: ErrorFigures
  readonly perUser: ErrorFigures
  /** Of tok/s/GPU, by GPU and precision. */
  readonly groups: readonly NamedErrors[]
}

export interface SplitPoolsReport {
  readonly uncalibrated: SplitPoolsErrors
  readonly calibrated: SplitPoolsErrors
  readonly notes?: readonly string[]
}
