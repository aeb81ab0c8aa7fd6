import { type Confidence, counted, figure, type PredictedLoad, type PredictedSearch } from '../../core/index.ts'
import { type SearchPoint, type SearchRequest, searchConfigurations } from '../pools/search.ts'
import { nameOfPools, parallelismOf } from '../pools/split.ts'
import { widest } from '../roofline/confidence.ts'
import type { Configuration } from '../roofline/configuration.ts'
import { basisOf } from './basis.ts'
import { checkAsked } from './checked.ts'
import { type PredictionOptions, subjectOf } from './predict.ts'
import { predictedLoad } from './predicted-load.ts'
import { cautions } from './words.ts'

export interface SearchOptions
  extends Omit<PredictionOptions, 'explain' | 'loads' | 'lengths'>,
    Omit<SearchRequest, 'stepModelOf'> {}

const ONE = { count: 1, tp: 1 } as const

/** Of all ways to lay a model over a number of GPUs, those that no other beats in both speeds, from the fastest pace to the slowest. */
export function predictSearch(options: SearchOptions): PredictedSearch {
  checkAsked(options)
  const { lengths, samples, pricePerHour, gpu, gpus, configurationOf, floor, ttftMs } = options
  const basis = basisOf(lengths, samples)
  const found = searchConfigurations({ ...options, stepModelOf: basis.stepModelOf })
  const { considered, doNotFit, envelope, leastTtftMs } = found
  const configured = ({ colocated, split }: SearchPoint): Configuration =>
    configurationOf(parallelismOf(colocated ?? split?.decode ?? ONE))
  /** Each line is as sure as its own layout at its own load is. */
  const confidence = (point: SearchPoint): Confidence => {
    const { colocated, split, load } = point
    const { count } = colocated ?? split?.decode ?? ONE
    const pools = split && nameOfPools(split.prefill, split.decode)
    return basis.confidenceOf({ configuration: configured(point), load: load / count, ...(pools && { pools }) })
  }
  const shown = (point: SearchPoint): PredictedLoad => ({
    ...predictedLoad(point, {
      gpu,
      gpus,
      confidence: confidence(point),
      ...(pricePerHour !== undefined && { pricePerHour }),
    }),
    configuration: point.label,
    gpus: point.gpus,
    budgetGpus: gpus,
  })
  const [first] = envelope
  const one = first === undefined ? configurationOf(parallelismOf(ONE)) : configured(first)
  const frontier = envelope.map(shown)
  const best = found.best && shown(found.best)
  return {
    ...subjectOf(one, lengths),
    hardware: { name: gpu.id, gpus },
    search: { considered, doNotFit, ...(leastTtftMs !== undefined && { leastTtftMs }) },
    frontier,
    ...(best !== undefined && { best }),
    confidence:
      widest((found.best === undefined ? envelope : [found.best]).map(confidence)) ??
      basis.confidenceOf({ configuration: one, load: 1 }),
    ...(basis.calibratedBy !== undefined && { calibratedBy: basis.calibratedBy }),
    explanation: [
      `${figure(considered)} configurations of ${gpus === 1 ? '1 GPU' : `at most ${gpus} GPUs`} were looked at${withoutMemory(doNotFit)}.`,
      ...(leastTtftMs === undefined
        ? choiceOf(frontier, gpus, { best, floor, ttftMs })
        : [
            `None has its first token within ${figure(ttftMs ?? 0)} ms: the least is ${figure(leastTtftMs)} ms, with one request alone.`,
          ]),
      ...cautions(one.model, lengths),
      ...basis.notesFor(one),
    ],
  }
}

function withoutMemory(count: number): string {
  if (count === 0) return ''
  return `; ${counted(count, 'way')} to lay out a replica ${count === 1 ? 'lacks' : 'lack'} the memory`
}

interface Wanted {
  readonly best: PredictedLoad | undefined
  readonly floor: number | undefined
  readonly ttftMs: number | undefined
}

function choiceOf(
  frontier: readonly PredictedLoad[],
  gpus: number,
  { best, floor, ttftMs }: Wanted,
): readonly string[] {
  const asked = ttftMs === undefined ? '' : ` with a first token within ${figure(ttftMs)} ms`
  const idle = frontier.some((point) => (point.gpus ?? gpus) < gpus)
  const sentences = [
    'Each line below is one that no other beats in both speeds.',
    idle && `A line that uses fewer than ${gpus} GPUs says so; its tok/s per GPU counts the idle ones too.`,
    floor !== undefined &&
      (best === undefined
        ? `None gives ${figure(floor)} tok/s/user${asked}: the fastest gives ${figure(frontier[0]?.tokensPerSecondPerUser ?? 0)}.`
        : `At ${figure(floor)} tok/s/user or more${asked}, ${best.configuration} with ${figure(best.concurrency)} in flight gives most: ${figure(best.tokensPerSecondPerGpu)} tok/s/GPU.`),
    ttftMs === undefined && waits(best === undefined ? frontier : [best]),
  ]
  return sentences.filter((sentence) => sentence !== false)
}

/** The wait is the third thing that a choice is made by, and nobody sees it in a choice by two. */
function waits(points: readonly PredictedLoad[]): string {
  const ttfts = points.map(({ ttftMs }) => ttftMs)
  const [least, most] = [figure(Math.min(...ttfts)), figure(Math.max(...ttfts))]
  const range = least === most ? `${least} ms` : `${least} to ${most} ms`
  return `The wait for a first token was not asked about: it is ${range} there in the mean, and --ttft sets a limit.`
}
