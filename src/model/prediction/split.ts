import { type Confidence, figure, type PredictedLoad, type Prediction, type PredictionPools } from '../../core/index.ts'
import { comparePools } from '../pools/comparison.ts'
import { matchPools } from '../pools/matching.ts'
import { gpusOfPool, nameOfPool, nameOfPools, type Pool } from '../pools/split.ts'
import { type SplitPoint, splitLoop } from '../pools/split-loop.ts'
import { createSplitPools, type SplitPools, type SplitRequest } from '../pools/split-pools.ts'
import { widest } from '../roofline/confidence.ts'
import { ridgeTokens } from '../roofline/ridge.ts'
import { basisOf } from './basis.ts'
import { checkAsked, sortedLoads } from './checked.ts'
import { poolSteps } from './pool-steps.ts'
import { type PredictionOptions, subjectOf } from './predict.ts'
import { loadsUpTo, predictedLoad } from './predicted-load.ts'
import { bindings, cautions } from './words.ts'

export interface SplitOptions extends PredictionOptions, Omit<SplitRequest, 'stepModelOf'> {
  /** The pace, tok/s/user, at which the two ways are compared and the pools matched. */
  readonly floor?: number
}

/**
 * Both speeds of pools that are split: prompts are read by one, answers written by the other.
 *
 * @throws TwospeedError `IMPOSSIBLE_CONFIGURATION`, `DOES_NOT_FIT`, `INVALID_VALUE`
 */
export function predictSplit(options: SplitOptions): Prediction {
  checkAsked(options)
  const { lengths, samples, pricePerHour, floor, explain = false } = options
  const basis = basisOf(lengths, samples)
  const split = createSplitPools({ ...options, stepModelOf: basis.stepModelOf })
  const { model, memory, places } = split.writer
  const { configuration } = model
  const { gpu, parallelism } = configuration
  const { decode, gpus } = split
  const pools = nameOfPools(split.prefill, decode)
  const confidence = (load: number): Confidence =>
    basis.confidenceOf({ configuration, pools, load: load / decode.count })
  const { loads = loadsUpTo(places * decode.count) } = options
  const setting = { gpu, gpus, ...(pricePerHour !== undefined && { pricePerHour }) }
  const frontier = sortedLoads(loads).map((load) => {
    const point = splitLoop(split, load)
    return { ...predictedLoad(point, { ...setting, confidence: confidence(load) }), split: ratesOf(point) }
  })
  const sides = poolsOf(split, floor)
  const { batch } = splitLoop(split, Math.max(...loads))
  const steps = explain ? poolSteps(split, batch, basis.stepModelOf) : undefined
  return {
    ...subjectOf(configuration, lengths),
    hardware: { name: gpu.id, gpus, ...parallelism },
    memory: {
      ...memory,
      kvCapacityTokens: memory.kvCapacityTokens * decode.count,
      maxConcurrency: memory.maxConcurrency * decode.count,
    },
    ridgeTokens: ridgeTokens(configuration),
    pools: steps === undefined ? sides : withSteps(sides, steps),
    frontier,
    confidence: widest(frontier.map(({ concurrency }) => confidence(concurrency))) ?? confidence(1),
    ...(basis.calibratedBy !== undefined && { calibratedBy: basis.calibratedBy }),
    explanation: [
      ...firstToken(split),
      ...rates(split, frontier),
      ...bindings(frontier),
      ...comparison(sides),
      ...cautions(configuration.model, lengths),
      ...basis.notesFor(configuration),
    ],
  }
}

function withSteps(pools: PredictionPools, { prefill, decode }: ReturnType<typeof poolSteps>): PredictionPools {
  return { ...pools, prefill: { ...pools.prefill, step: prefill }, decode: { ...pools.decode, step: decode } }
}

function ratesOf({ transferMs, slowest, prefill, decode }: SplitPoint): NonNullable<PredictedLoad['split']> {
  return { transferMs, slowest, prefill, decode }
}

function poolsOf(split: SplitPools, floor: number | undefined): PredictionPools {
  const { prefill, decode, link, writer } = split
  const { crossings, atFloor } = comparePools(split, writer, floor)
  const matched = floor === undefined ? undefined : matchPools(split, floor)
  const side = (pool: Pool): PredictionPools['prefill'] => ({ name: nameOfPool(pool), gpus: gpusOfPool(pool) })
  return {
    prefill: side(prefill),
    decode: side(decode),
    link,
    crossings,
    ...(floor !== undefined && {
      atFloor: {
        tokensPerSecondPerUser: floor,
        ...(atFloor?.split && { splitTokensPerSecondPerGpu: atFloor.split.tokensPerSecondPerGpu }),
        ...(atFloor?.colocated && { colocatedTokensPerSecondPerGpu: atFloor.colocated.tokensPerSecondPerGpu }),
        ...(matched && {
          matched: {
            prefill: matched.prefill,
            decode: matched.decode,
            tokensPerSecondPerGpu: matched.tokensPerSecondPerGpu,
          },
        }),
      },
    }),
  }
}

function firstToken({ reader, transferS, link, lengths }: SplitPools): readonly string[] {
  return [
    `A prompt of ${figure(lengths.inputTokens)} tokens is read in ${figure(1000 * reader.seconds)} ms, and its KV cache takes ${figure(1000 * transferS)} ms over ${link.name} (${figure(link.bytesPerSecond / 1e9)} GB/s a GPU).`,
  ]
}

function rates({ prefill, decode }: SplitPools, frontier: readonly PredictedLoad[]): readonly string[] {
  const [one] = frontier.flatMap(({ split }) => split ?? [])
  if (one === undefined) return []
  const first = one.slowest === 'link' ? 'the link' : `the ${one.slowest} pool`
  return [
    `At most ${figure(one.prefill.requestsPerSecond)} requests/s are read by ${nameOfPool(prefill)}, and ${figure(one.decode.requestsPerSecond)} answered by ${nameOfPool(decode)}: ${first} ends it first.`,
  ]
}

function comparison({ crossings, atFloor }: PredictionPools): readonly string[] {
  const over = crossings.map(
    ({ tokensPerSecondPerUser, above }) =>
      `Above ${figure(tokensPerSecondPerUser)} tok/s/user ${above === 'split' ? 'the split gives' : 'replicas that do both give'} more per GPU.`,
  )
  if (atFloor === undefined) return over
  const each = (value: number | undefined): string => (value === undefined ? 'none' : `${figure(value)} tok/s/GPU`)
  const { splitTokensPerSecondPerGpu: split, colocatedTokensPerSecondPerGpu: colocated, matched } = atFloor
  return [
    ...over,
    `At ${figure(atFloor.tokensPerSecondPerUser)} tok/s/user the split gives ${each(split)}, replicas that do both ${each(colocated)}.`,
    ...(matched === undefined
      ? []
      : [
          `Matched there, ${matched.prefill} instances that read to ${matched.decode} that answer give ${figure(matched.tokensPerSecondPerGpu)} tok/s/GPU.`,
        ]),
  ]
}
