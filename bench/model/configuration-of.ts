/** The configurations of the public tables, by the names of the catalogue. */
import { TwospeedError } from '../../src/core/index.ts'
import { findAccelerator, findModel } from '../../src/model/catalogue/find.ts'
import { type Configuration, createConfiguration, type Lengths } from '../../src/model/roofline/configuration.ts'
import { type Memory, memoryOf } from '../../src/model/roofline/memory.ts'
import { createStepModel } from '../../src/model/roofline/roofline.ts'
import type { StepModel } from '../../src/model/roofline/step-model.ts'
import type { ServingRow, ServingSetup, ServingSweep } from './serving.ts'

/** A sweep with one replica of its server, from specifications. */
export interface PredictableSweep extends ServingSweep {
  readonly configuration: Configuration
  readonly model: StepModel
  readonly memory: Memory
  readonly lengths: Lengths
  readonly experts: boolean
  /** Requests in flight, of the replica. */
  loadOf(row: ServingRow): number
}

export interface Predictable {
  readonly sweeps: readonly PredictableSweep[]
  readonly leftOut: readonly { readonly why: string; readonly rows: number }[]
}

/**
 * The sweeps that a configuration can be made of, and how many rows of the others there are: contradictory ones, and those that `predict`
 * refuses though they ran. None is left out because it is hard.
 */
export function predictable(sweeps: readonly ServingSweep[]): Predictable {
  const kept: PredictableSweep[] = []
  const leftOut = new Map<string, number>()
  for (const sweep of sweeps) {
    const made = predictableOf(sweep)
    if (typeof made !== 'string') kept.push(made)
    else leftOut.set(made, (leftOut.get(made) ?? 0) + sweep.rows.length)
  }
  return { sweeps: kept, leftOut: [...leftOut].map(([why, rows]) => ({ why, rows })) }
}

/** Or why there is none. */
function predictableOf({ setup, rows }: ServingSweep): PredictableSweep | string {
  const { tp, pp, dp, ep, moeTp, gpus, inputTokens, outputTokens } = setup
  const experts = findModel(setup.model).experts !== undefined
  if (experts && moeTp * ep !== tp * dp)
    return `${setup.model}: experts are cut over another number of GPUs than attention`
  // As they are named, though InferenceX draws them evenly from 0.8 to 1 of that: so a user of `predict` would name them.
  const lengths = { inputTokens, outputTokens }
  try {
    const configuration = configurationOf(setup)
    const memory = memoryOf(configuration, lengths)
    const replicas = gpus / (tp * pp * dp)
    const loadOf = ({ concurrency }: ServingRow): number => concurrency / replicas
    return { setup, rows, configuration, model: createStepModel(configuration), memory, lengths, experts, loadOf }
  } catch (error) {
    if (error instanceof TwospeedError) return `${setup.model}, ${setup.system}: refused, ${error.code}`
    throw error
  }
}

function configurationOf({ system, tp, pp, dp, ep, precision = 'bf16', ...setup }: ServingSetup): Configuration {
  const model = findModel(setup.model)
  const expertParallel = model.experts !== undefined && { ep }
  return createConfiguration({ model, gpu: findAccelerator(system), tp, pp, dp, ...expertParallel, precision })
}
