/** The configurations of the public tables, by the names of the catalogue. */
import { findAccelerator, findModel } from '../../src/model/catalogue/find.ts'
import { type Configuration, createConfiguration, type Lengths } from '../../src/model/roofline/configuration.ts'
import { type Memory, memoryOf } from '../../src/model/roofline/memory.ts'
import { createStepModel } from '../../src/model/roofline/roofline.ts'
import type { StepModel } from '../../src/model/roofline/step-model.ts'
import type { ServingRow } from './serving.ts'

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

/** Of all rows of a sweep. Throws where the configuration cannot exist: rows are left out by their flags, never because they are hard. */
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
  // The lengths of this table are drawn evenly from 0.8 to 1 of the ones named, where InferenceX took them.
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
