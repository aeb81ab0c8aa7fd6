/** Pools that are split, prefill here and decode there: simulated with the step times of `predict`, predicted, and measured. */

import type { Lengths } from '../../src/core/index.ts'
import { splitLoop } from '../../src/model/pools/split-loop.ts'
import type { SplitPools, SplitRequest } from '../../src/model/pools/split-pools.ts'
import { closedLoop } from '../../src/model/roofline/closed-loop.ts'
import { gpusOf } from '../../src/model/roofline/configuration.ts'
import { createStepModel, type StepModel } from '../../src/model/roofline/index.ts'
import { memoryOf } from '../../src/model/roofline/memory.ts'
import { createSource, type EnginePolicy, type Fleet, modelStepTime, type Pool, simulate } from '../../src/sim/index.ts'

/** A system's two speeds, its GPUs together. */
export interface Speeds {
  readonly perUser: number
  readonly perGpu: number
  readonly ttftS: number
}

export function predictedSplit(split: SplitPools, users: number): Speeds {
  const { tokensPerSecondPerUser, outputTokensPerSecond, ttftMs } = splitLoop(split, users)
  return { perUser: tokensPerSecondPerUser, perGpu: outputTokensPerSecond / split.gpus, ttftS: ttftMs / 1000 }
}

export function simulatedSplit(request: SplitRequest, split: SplitPools, users: number): Speeds {
  const { lengths, reader, writer, transferS } = split
  const readerModel = createStepModel(reader.configuration)
  const bytesPerToken = 1
  const fleet: Fleet = {
    routing: 'leastInFlight',
    pools: [
      { ...poolOf('prefill', readerModel, lengths), replicas: request.prefill.count },
      { ...poolOf('decode', writer.model, lengths), replicas: request.decode.count },
    ],
    link: {
      bytesPerToken,
      bytesPerSecond: (bytesPerToken * lengths.inputTokens) / transferS,
      concurrency: Math.min(request.prefill.count, request.decode.count),
    },
    entrySeconds: readerModel.arrivalSeconds,
  }
  return simulated(fleet, lengths, users, split.gpus)
}

/** One pool whose replicas do both. */
export interface Colocated {
  readonly model: StepModel
  readonly replicas: number
  readonly lengths: SplitPools['lengths']
}

export function predictedColocated({ model, replicas, lengths }: Colocated, users: number): Speeds {
  const { configuration } = model
  const point = closedLoop(model, memoryOf(configuration, lengths), lengths, users / replicas)
  const { tokensPerSecondPerUser, outputTokensPerSecond, ttftMs } = point
  const perGpu = outputTokensPerSecond / gpusOf(configuration.parallelism)
  return { perUser: tokensPerSecondPerUser, perGpu, ttftS: ttftMs / 1000 }
}

export function simulatedColocated({ model, replicas, lengths }: Colocated, users: number): Speeds {
  const pool = { ...poolOf('both', model, lengths), replicas }
  const fleet: Fleet = { routing: 'leastInFlight', pools: [pool], entrySeconds: model.arrivalSeconds }
  return simulated(fleet, lengths, users, replicas * gpusOf(model.configuration.parallelism))
}

/** One engine of a pool has a share of what its copies have together. */
function poolOf(role: Pool['role'], model: StepModel, lengths: SplitPools['lengths']): Pool {
  const { configuration } = model
  const { dp, tp, pp } = configuration.parallelism
  const { kvCapacityTokens } = memoryOf(configuration, role === 'prefill' ? { ...lengths, outputTokens: 1 } : lengths)
  const policy: EnginePolicy = {
    maxNumSeqs: Math.max(1, Math.floor(configuration.maxNumSeqs / dp)),
    maxBatchedTokens: configuration.maxBatchedTokens,
    kvTokens: Math.floor(kvCapacityTokens / dp),
    blockTokens: 16,
    prefill: 'chunked',
    // `predict` counts places that hold a whole sequence each.
    kv: 'reserve',
    admission: 'fcfs',
    asynchronous: false,
    prefixCache: false,
    wholePrompt: true,
  }
  return {
    name: role,
    role,
    replicas: 1,
    dataParallel: dp,
    gpusPerReplica: tp * pp * dp,
    policy,
    stepTime: modelStepTime(model),
  }
}

const SPREAD = 0.25

/** A loop of so many users, who each ask three times and more. */
function simulated(
  fleet: Fleet,
  { inputTokens, outputTokens }: SplitPools['lengths'],
  users: number,
  gpus: number,
): Speeds {
  // Answers of one length would end together and bring their prompts at once, for ever; `predict` takes prompts to come by lot.
  const about = (tokens: number): Lengths => ({
    kind: 'uniform',
    least: Math.round((1 - SPREAD) * tokens),
    most: Math.round((1 + SPREAD) * tokens),
  })
  const source = createSource({
    arrivals: { kind: 'users', users },
    work: { input: about(inputTokens), output: about(outputTokens) },
    seed: `split/${users}`,
  })
  const { outputTokensPerSecond, latency } = simulate({
    fleet,
    lanes: [{ name: 'all', source, priority: 0, users }],
    load: { kind: 'concurrency', value: users },
    requests: Math.max(100, 5 * users),
  })
  return {
    // The mean of the time, not of the speed: as the table has it, 1000 / mean TPOT.
    perUser: 1000 / (latency.tpotMs?.mean ?? Number.NaN),
    perGpu: outputTokensPerSecond / gpus,
    ttftS: (latency.ttftMs?.mean ?? Number.NaN) / 1000,
  }
}
