/** The configurations of the public tables, by the names of the catalogue. */
import { TwospeedError } from '../../src/core/index.ts'
import { findAccelerator, findModel } from '../../src/model/catalogue/find.ts'
import { type Configuration, createConfiguration, type Lengths } from '../../src/model/roofline/configuration.ts'
import { type Memory, memoryOf } from '../../src/model/roofline/memory.ts'
import { createStepModel } from '../../src/model/roofline/roofline.ts'
import type { StepModel } from '../../src/model/roofline/step-model.ts'
import { isClean, type ServingRow } from './serving.ts'

/** One replica of a row's server, from specifications. */
export interface Predictor {
  readonly configuration: Configuration
  readonly model: StepModel
  readonly memory: Memory
  readonly lengths: Lengths
  readonly replicas: number
  readonly experts: boolean
}

const known = new Map<string, Predictor>()

/**
 * The clean rows that a configuration can be made of, and how many cannot: contradictory ones, and those that `predict` refuses though
 * they ran. None is left out because it is hard.
 */
export function predictable(rows: readonly ServingRow[]): Predictable {
  const kept: ServingRow[] = []
  const leftOut = new Map<string, number>()
  for (const row of rows.filter(isClean)) {
    const why = obstacleTo(row)
    if (why === undefined) kept.push(row)
    else leftOut.set(why, (leftOut.get(why) ?? 0) + 1)
  }
  return { rows: kept, leftOut: [...leftOut].map(([why, count]) => ({ why, rows: count })) }
}

export interface Predictable {
  readonly rows: readonly ServingRow[]
  readonly leftOut: readonly { readonly why: string; readonly rows: number }[]
}

function obstacleTo(row: ServingRow): string | undefined {
  if (row.expertTp * row.ep !== row.tp * row.dp && findModel(row.model).experts !== undefined)
    return `${row.model}: experts are cut over another number of GPUs than attention`
  try {
    predictorOf(row)
  } catch (error) {
    if (error instanceof TwospeedError) return `${row.model}, ${row.system}: refused, ${error.code}`
    throw error
  }
  return undefined
}

/** Of all rows of a sweep. */
export function predictorOf(row: ServingRow): Predictor {
  const before = known.get(row.sweep)
  if (before !== undefined) return before
  const { tp, pp, dp, ep } = row
  const model = findModel(row.model)
  const configuration = createConfiguration({
    model,
    gpu: findAccelerator(row.system),
    tp,
    pp,
    dp,
    ...(model.experts !== undefined && { ep }),
    precision: row.precision === '' ? 'bf16' : row.precision,
  })
  // As they are named, though InferenceX draws them evenly from 0.8 to 1 of that: so a user of `predict` would name them.
  const lengths = { inputTokens: row.inputTokens, outputTokens: row.outputTokens }
  const predictor = {
    configuration,
    model: createStepModel(configuration),
    memory: memoryOf(configuration, lengths),
    lengths,
    replicas: row.gpus / (tp * pp * dp),
    experts: model.experts !== undefined,
  }
  known.set(row.sweep, predictor)
  return predictor
}
