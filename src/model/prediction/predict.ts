import type { Prediction } from '../../core/index.ts'
import type { CalibrationSample } from '../roofline/calibrate.ts'
import { closedLoop } from '../roofline/closed-loop.ts'
import { widest } from '../roofline/confidence.ts'
import { type Configuration, gpusOf, type Lengths } from '../roofline/configuration.ts'
import { memoryOf } from '../roofline/memory.ts'
import { ridgeTokens } from '../roofline/ridge.ts'
import { basisOf } from './basis.ts'
import { checkAsked, sortedLoads } from './checked.ts'
import { explainedStep } from './explained-step.ts'
import { loadsUpTo, predictedLoad } from './predicted-load.ts'
import { explanationOf } from './words.ts'

export interface PredictionOptions {
  readonly lengths: Lengths
  /** Requests in flight. Absent: from 1 to as many as are served at once. */
  readonly loads?: readonly number[]
  /** Measured points of neighbours, by which the specifications are scaled. */
  readonly samples?: readonly CalibrationSample[]
  /** Of one GPU. */
  readonly pricePerHour?: number
  /** Tell where the time of a step goes, at the greatest of the loads. */
  readonly explain?: boolean
}

/**
 * Both speeds of a configuration that nobody ran, at each load, with what binds there and how far to trust it.
 *
 * @throws TwospeedError `DOES_NOT_FIT`, `INVALID_VALUE`
 */
export function predict(configuration: Configuration, options: PredictionOptions): Prediction {
  checkAsked(options)
  const { lengths, samples, pricePerHour, explain = false } = options
  const memory = memoryOf(configuration, lengths)
  const basis = basisOf(lengths, samples)
  const model = basis.stepModelOf(configuration)
  const { gpu, parallelism, maxNumSeqs } = configuration
  const gpus = gpusOf(parallelism)
  const { loads = loadsUpTo(Math.min(memory.maxConcurrency, maxNumSeqs)) } = options
  const known = sortedLoads(loads).map((load) => ({
    point: closedLoop(model, memory, lengths, load),
    confidence: basis.confidenceOf({ configuration, load }),
  }))
  const setting = { gpu, gpus, ...(pricePerHour !== undefined && { pricePerHour }) }
  const frontier = known.map(({ point, confidence }) => predictedLoad(point, { ...setting, confidence }))
  const ridge = ridgeTokens(configuration)
  const greatest = known.at(-1)?.point
  return {
    ...subjectOf(configuration, lengths),
    hardware: { name: gpu.id, gpus, ...parallelism },
    memory,
    ridgeTokens: ridge,
    frontier,
    confidence: widest(known.map(({ confidence }) => confidence)) ?? basis.confidenceOf({ configuration, load: 1 }),
    ...(basis.calibratedBy !== undefined && { calibratedBy: basis.calibratedBy }),
    explanation: [...explanationOf(model, memory, lengths, ridge, frontier), ...basis.notesFor(configuration)],
    ...(explain && greatest !== undefined && { step: explainedStep(model, memory, lengths, greatest) }),
  }
}

/** What is predicted, as every answer says it. */
export function subjectOf(
  { model, precision, kvPrecision }: Configuration,
  { inputTokens, outputTokens }: Lengths,
): Pick<Prediction, 'model' | 'precision' | 'kvPrecision' | 'lengths'> {
  return { model: model.id, precision, kvPrecision, lengths: { input: inputTokens, output: outputTokens } }
}
