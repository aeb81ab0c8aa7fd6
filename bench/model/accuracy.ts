/** Everything that the page on the model's accuracy tells, from the tables alone: the same on every machine. */
import type { ModelResult } from '../results.ts'
import type { Comparison } from './comparison.ts'
import { predictable } from './configuration-of.ts'
import { errorsOf, groupErrors } from './errors.ts'
import { firstTokens, firstTokensOf } from './first-tokens.ts'
import { type InterpolatedSweep, interpolations } from './interpolation.ts'
import { coverageOf } from './intervals.ts'
import { marksOf } from './marks.ts'
import { otherTables } from './other-tables.ts'
import { servingSweeps } from './serving.ts'
import { splitPools } from './split-pools.ts'
import { transfers } from './transfer.ts'
import { uncalibrated } from './uncalibrated.ts'

/** In flight. */
const LOADS = [
  [1, 4],
  [5, 16],
  [17, 63],
  [64, 255],
  [256, 1023],
] as const

export type Questions = Pick<ModelResult, 'interpolation' | 'questions' | 'firstTokens' | 'leftOut' | 'coverage'>

/** What is asked of one engine without split pools: between loads, at new lengths, laid out anew, and of specifications alone. */
export function answerQuestions(): Questions {
  const measured = servingSweeps()
  const fitted = interpolations(measured)
  const { sweeps, leftOut } = predictable(measured)
  const { sameShape, oneLoad, beyond, newLengths, newLayout } = transfers(sweeps)
  const specifications = uncalibrated(sweeps)
  return {
    interpolation: [
      interpolated(
        'dense',
        fitted.filter(({ experts }) => !experts),
      ),
      interpolated(
        'experts',
        fitted.filter(({ experts }) => experts),
      ),
    ],
    questions: [
      question('sameShape', sameShape),
      question('newLengths', newLengths),
      question('newLayout', newLayout),
      question('uncalibrated', specifications),
    ],
    firstTokens: [
      firstTokens('the same shape, three loads calibrate', sameShape),
      firstTokens('other lengths, one sweep calibrates', newLengths),
      firstTokens('laid out over other GPUs, one sweep calibrates', newLayout),
      firstTokens('from specifications alone', specifications),
      ...LOADS.map(([low, high]) =>
        firstTokens(
          `from specifications alone, ${low} to ${high} in flight`,
          specifications.filter(({ concurrency }) => concurrency >= low && concurrency <= high),
        ),
      ),
    ],
    leftOut,
    coverage: [
      coverageOf(
        'fit, between loads',
        90,
        fitted.filter(({ reliable }) => reliable).flatMap(({ points }) => points),
      ),
      coverageOf('predict, interpolated', 80, sameShape),
      coverageOf('predict, interpolated from one load', 80, oneLoad),
      coverageOf('predict, beyond the loads measured', 80, beyond),
      coverageOf('predict, new shape', 80, [...newLengths, ...newLayout]),
      coverageOf('predict, uncalibrated', 80, specifications),
      coverageOf('first token, interpolated', 80, firstTokensOf(sameShape)),
      coverageOf('first token, interpolated from one load', 80, firstTokensOf(oneLoad)),
      coverageOf('first token, new shape', 80, firstTokensOf([...newLengths, ...newLayout])),
      coverageOf('first token, uncalibrated', 80, firstTokensOf(specifications)),
    ],
  }
}

export function modelAccuracy(): ModelResult {
  const questions = answerQuestions()
  const pools = splitPools()
  return { marks: marksOf(questions, pools), ...questions, splitPools: pools, tables: otherTables() }
}

function interpolated(
  kind: 'dense' | 'experts',
  sweeps: readonly InterpolatedSweep[],
): ModelResult['interpolation'][number] {
  const reliable = sweeps.filter((sweep) => sweep.reliable)
  return {
    kind,
    sweeps: sweeps.length,
    reliablePct: (100 * reliable.length) / sweeps.length,
    reliable: errorsOf(reliable.flatMap(({ points }) => points)),
    all: errorsOf(sweeps.flatMap(({ points }) => points)),
    groups: groupErrors(
      reliable.flatMap(({ points }) => points),
      ({ setup }) => setup.model,
    ),
  }
}

function question(
  name: ModelResult['questions'][number]['name'],
  comparisons: readonly Comparison[],
): ModelResult['questions'][number] {
  const of = (experts: boolean): readonly Comparison[] =>
    comparisons.filter((comparison) => comparison.experts === experts)
  return {
    name,
    all: errorsOf(comparisons),
    dense: errorsOf(of(false)),
    experts: errorsOf(of(true)),
    models: groupErrors(comparisons, ({ setup }) => setup.model),
    systems: groupErrors(comparisons, ({ setup }) => setup.system),
    loads: groupErrors(comparisons, ({ concurrency }) => loadsOf(concurrency)),
  }
}

/** Loads four times apart share a line. */
function loadsOf(load: number): string {
  const low = 4 ** Math.floor(Math.log(load) / Math.log(4) + 1e-9)
  return `${String(low).padStart(4, ' ')} to ${4 * low - 1}`
}
