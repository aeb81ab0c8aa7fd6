/** What the model promises of its own accuracy, and whether the public measurements bear it out. */
import type { Mark, ModelResult } from '../results.ts'
import type { SplitPoolsReport } from './table-report.ts'

const percent = (value: number): string => `${value.toFixed(1)} %`

function atMost(name: string, value: number, limit: number): Mark {
  return { name, value: percent(value), limit: `≤ ${percent(limit)}`, pass: value <= limit }
}

function atLeast(name: string, value: number, limit: number): Mark {
  return { name, value: percent(value), limit: `≥ ${percent(limit)}`, pass: value >= limit }
}

function within(name: string, value: number, middle: number, off: number): Mark {
  const pass = Math.abs(value - middle) <= off
  return {
    name,
    value: percent(value),
    limit: middle === 0 ? `within ± ${percent(off)}` : `${middle} ± ${percent(off)}`,
    pass,
  }
}

const KINDS = { dense: 'dense', experts: 'experts' } as const

const INTERPOLATED = { dense: { median: 1.5, mean: 3 }, experts: { median: 2, mean: 3.5 } } as const
const RELIABLE = 90
const TRANSFERRED = { dense: 10, experts: 20 } as const
const TRANSFERS = { newLengths: 'Other lengths', newLayout: 'Laid out over other GPUs' } as const
const UNCALIBRATED = { median: 18, bias: 5 } as const
const SPLIT = { uncalibrated: 35, calibrated: 25 } as const
/** What an interval promises, and how far off is still the promise. */
const INSIDE = { share: 80, off: 5 } as const

type Questions = Pick<ModelResult, 'interpolation' | 'questions' | 'coverage'>

export const marksOf = (questions: Questions, pools: SplitPoolsReport): readonly Mark[] => [
  ...questionMarks(questions),
  atMost('Split pools, uncalibrated: tok/s/GPU, median', pools.uncalibrated.perGpu.medianPct, SPLIT.uncalibrated),
  atMost('Split pools, calibrated: tok/s/GPU, median', pools.calibrated.perGpu.medianPct, SPLIT.calibrated),
]

export function questionMarks({ interpolation, questions, coverage }: Questions): readonly Mark[] {
  return [
    ...interpolation.flatMap(({ kind, reliable, reliablePct }) => [
      atMost(`Between three loads, ${KINDS[kind]}: pace, median`, reliable.medianPct, INTERPOLATED[kind].median),
      atMost(`Between three loads, ${KINDS[kind]}: pace, mean`, reliable.meanPct, INTERPOLATED[kind].mean),
      atLeast(`Between three loads, ${KINDS[kind]}: sweeps whose fit is reliable`, reliablePct, RELIABLE),
    ]),
    ...questions.flatMap(({ name, all, ...errors }) =>
      name === 'uncalibrated'
        ? [
            atMost('From specifications: pace, median', all.medianPct, UNCALIBRATED.median),
            within('From specifications: pace, bias', all.biasPct, 0, UNCALIBRATED.bias),
          ]
        : (['dense', 'experts'] as const).map((kind) =>
            atMost(`${TRANSFERS[name]}, ${KINDS[kind]}: pace, median`, errors[kind].medianPct, TRANSFERRED[kind]),
          ),
    ),
    ...coverage.map(({ name, insidePct }) =>
      within(`Measured inside the interval, ${name}`, insidePct, INSIDE.share, INSIDE.off),
    ),
  ]
}
