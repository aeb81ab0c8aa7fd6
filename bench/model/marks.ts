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

const INTERPOLATED = { dense: { median: 1.5, mean: 3 }, experts: { median: 2, mean: 3.5 } } as const
const RELIABLE = 90
const TRANSFERRED = { dense: 10, experts: 20 } as const
const TRANSFERS = { newLengths: 'Other lengths', newLayout: 'Laid out over other GPUs' } as const
const UNCALIBRATED = { median: 18, bias: 5 } as const
const SPLIT = { uncalibrated: 35, calibrated: 25 } as const
/** How far off what an interval promises is still the promise. */
const OFF = 5

type Questions = Pick<ModelResult, 'interpolation' | 'questions' | 'coverage'>

export const marksOf = (questions: Questions, pools: SplitPoolsReport): readonly Mark[] => [
  ...questionMarks(questions),
  atMost('Split pools, uncalibrated: tok/s/GPU, median', pools.uncalibrated.perGpu.medianPct, SPLIT.uncalibrated),
  atMost('Split pools, calibrated: tok/s/GPU, median', pools.calibrated.perGpu.medianPct, SPLIT.calibrated),
]

function marksOfQuestion({ name, all, ...errors }: Questions['questions'][number]): readonly Mark[] {
  if (name === 'sameShape') return []
  if (name === 'uncalibrated') {
    return [
      atMost('From specifications: pace, median', all.medianPct, UNCALIBRATED.median),
      within('From specifications: pace, bias', all.biasPct, 0, UNCALIBRATED.bias),
    ]
  }
  return (['dense', 'experts'] as const).map((kind) =>
    atMost(`${TRANSFERS[name]}, ${kind}: pace, median`, errors[kind].medianPct, TRANSFERRED[kind]),
  )
}

function questionMarks({ interpolation, questions, coverage }: Questions): readonly Mark[] {
  return [
    ...interpolation.flatMap(({ kind, reliable, reliablePct }) => [
      atMost(`Between three loads, ${kind}: pace, median`, reliable.medianPct, INTERPOLATED[kind].median),
      atMost(`Between three loads, ${kind}: pace, mean`, reliable.meanPct, INTERPOLATED[kind].mean),
      atLeast(`Between three loads, ${kind}: sweeps whose fit is reliable`, reliablePct, RELIABLE),
    ]),
    ...questions.flatMap(marksOfQuestion),
    ...coverage.map(({ name, insidePct, promisedPct }) =>
      within(`Measured inside the interval: ${name}`, insidePct, promisedPct, OFF),
    ),
  ]
}
