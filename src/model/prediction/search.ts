import { figure, type PredictedLoad, type PredictedSearch } from '../../core/index.ts'
import { type SearchPoint, type SearchRequest, searchConfigurations } from '../pools/search.ts'
import { parallelismOf } from '../pools/split.ts'
import type { Configuration } from '../roofline/configuration.ts'
import { basisOf } from './basis.ts'
import { type PredictionOptions, subjectOf } from './predict.ts'
import { predictedLoad } from './predicted-load.ts'

export interface SearchOptions
  extends Omit<PredictionOptions, 'explain' | 'loads' | 'lengths'>,
    Omit<SearchRequest, 'stepModelOf'> {}

const ONE = { count: 1, tp: 1 } as const

/** Of all ways to lay a model over a number of GPUs, those that no other beats in both speeds, from the fastest pace to the slowest. */
export function predictSearch(options: SearchOptions): PredictedSearch {
  const { lengths, samples, pricePerHour, gpu, gpus, configurationOf, floor, ttftMs } = options
  const basis = basisOf(lengths, samples)
  const { considered, doNotFit, envelope, best } = searchConfigurations({ ...options, stepModelOf: basis.stepModelOf })
  const configured = ({ colocated, split }: SearchPoint): Configuration =>
    configurationOf(parallelismOf(colocated ?? split?.decode ?? ONE))
  const shown = (point: SearchPoint): PredictedLoad => ({
    ...predictedLoad(point, {
      gpu,
      gpus,
      confidence: basis.confidenceOf(configured(point)),
      ...(pricePerHour !== undefined && { pricePerHour }),
    }),
    configuration: point.label,
    gpus: point.gpus,
  })
  const [first] = envelope
  const one = first === undefined ? configurationOf(parallelismOf(ONE)) : configured(first)
  const found = best === undefined ? undefined : shown(best)
  const within = ttftMs === undefined ? '' : ` with a first token within ${figure(ttftMs)} ms`
  return {
    ...subjectOf(one, lengths),
    hardware: { name: gpu.id, gpus },
    search: { considered, doNotFit },
    frontier: envelope.map(shown),
    ...(found !== undefined && { best: found }),
    confidence: basis.confidenceOf(one),
    ...(basis.calibratedBy !== undefined && { calibratedBy: basis.calibratedBy }),
    explanation: [
      `${figure(considered)} configurations of ${gpus} GPUs were looked at; ${figure(doNotFit)} do not fit in memory. Each line below is one that no other beats in both speeds.`,
      ...(floor === undefined
        ? []
        : [
            found === undefined
              ? `None gives ${figure(floor)} tok/s/user${within}.`
              : `At ${figure(floor)} tok/s/user or more${within}, ${found.configuration} with ${figure(found.concurrency)} in flight gives most: ${figure(found.tokensPerSecondPerGpu)} tok/s/GPU.`,
          ]),
    ],
  }
}
