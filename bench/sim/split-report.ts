/** Do split pools gain where `predict` says, and as much as others measured? */
import { findAccelerator, findModel } from '../../src/model/catalogue/find.ts'
import { createSplitPools, type SplitRequest } from '../../src/model/pools/split-pools.ts'
import { createConfiguration, createStepModel, type Parallelism } from '../../src/model/roofline/index.ts'
import { errorsOf, type Pair } from '../model/errors.ts'
import { requestOf, splitRows } from '../model/split-pools.ts'
import type { Crossing, Mark, SimulatedSplitReport } from '../results.ts'
import { predictedColocated, predictedSplit, type Speeds, simulatedColocated, simulatedSplit } from './split-pools.ts'

export function simulatedSplits(): SimulatedSplitReport {
  const rows = splitRows().map((row) => {
    const request = requestOf(row)
    const split = createSplitPools(request)
    const [predicted, simulated] = [
      predictedSplit(split, row.concurrency),
      simulatedSplit(request, split, row.concurrency),
    ]
    const measured = { perUser: 1000 / row.tpotMs, perGpu: row.perGpu, ttftS: row.ttftMs / 1000 }
    return { predicted, simulated, measured }
  })
  const errors = (of: 'simulated' | 'predicted', truth: 'predicted' | 'measured', speed: keyof Speeds) =>
    errorsOf(rows.map((row): Pair => ({ predicted: row[of][speed], measured: row[truth][speed] })))
  const both = (of: 'simulated' | 'predicted', truth: 'predicted' | 'measured') => ({
    perUser: errors(of, truth, 'perUser'),
    perGpu: errors(of, truth, 'perGpu'),
  })
  return {
    rows: rows.length,
    toPredicted: both('simulated', 'predicted'),
    toMeasured: both('simulated', 'measured'),
    predictedToMeasured: both('predicted', 'measured'),
    crossings: crossings(),
  }
}

export const CROSSING = {
  model: 'Llama-3.1-70B',
  gpu: 'H100',
  replicas: 4,
  tp: 4,
  inputTokens: 4096,
  outputTokens: 512,
} as const
const LOADS = [4, 8, 16, 32, 64, 128, 256]

/** The same GPUs as one pool of four instances, and as two that read and two that answer. */
function crossings(): readonly Crossing[] {
  const { replicas, tp } = CROSSING
  const [model, gpu] = [findModel(CROSSING.model), findAccelerator(CROSSING.gpu)]
  const lengths = { inputTokens: CROSSING.inputTokens, outputTokens: CROSSING.outputTokens }
  const configurationOf = (parallelism: Parallelism) =>
    createConfiguration({ model, gpu, precision: 'fp8', tp: parallelism.tp })
  const half = { count: replicas / 2, tp }
  const request: SplitRequest = { prefill: half, decode: half, lengths, configurationOf }
  const split = createSplitPools(request)
  const colocated = { model: createStepModel(configurationOf({ tp, pp: 1, ep: 1, dp: 1 })), replicas, lengths }
  return LOADS.map((users) => ({
    users,
    predicted: { together: predictedColocated(colocated, users), split: predictedSplit(split, users) },
    simulated: { together: simulatedColocated(colocated, users), split: simulatedSplit(request, split, users) },
  }))
}

/** Of the two ways to lay out the GPUs, the one that gives more; nearer together than this neither does. */
const NO_DIFFERENCE = 0.01

const directionOf = (together: number, split: number): number =>
  Math.abs(split / together - 1) < NO_DIFFERENCE ? 0 : Math.sign(split - together)

/** Whether simulation and prediction point the same way at a load, where they point at all. */
export function agrees({ predicted, simulated }: Crossing): boolean {
  const [foretold, seen] = [predicted, simulated].map(({ together, split }) =>
    directionOf(together.perGpu, split.perGpu),
  ) as [number, number]
  return foretold * seen !== -1
}

/** How far the simulator may be from `predict`, which has the same step times and a closed form in place of the steps. */
const AS_PREDICTED_PCT = 1

export function splitMarks({ toPredicted, crossings: loads }: SimulatedSplitReport): readonly Mark[] {
  const near = (name: string, pct: number): Mark => ({
    name: `Split pools, simulated against predicted: ${name}, median`,
    value: `${pct.toFixed(2)} %`,
    limit: `≤ ${AS_PREDICTED_PCT} %`,
    pass: pct <= AS_PREDICTED_PCT,
  })
  const agreeing = loads.filter(agrees).length
  return [
    near('pace', toPredicted.perUser.medianPct),
    near('tok/s/GPU', toPredicted.perGpu.medianPct),
    {
      name: 'Split or together: loads at which simulation and prediction point the same way',
      value: `${agreeing} of ${loads.length}`,
      limit: 'all',
      pass: agreeing === loads.length,
    },
  ]
}
