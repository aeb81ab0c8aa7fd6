/**
 * What is asked of `choose` where the right answer is known: a sweep that others measured, of which it is shown three loads, and an
 * objective that lies between two loads that it is not shown, or is.
 *
 *     pace
 *      u₁ ●
 *      u₂    ○            ● shown   ○ kept back
 *      F  ─────┼──         the best measured load that holds F is the second
 *      u₃       ○
 *      u₄          ●
 */
import { findModel } from '../../src/model/catalogue/find.ts'
import { type LoadPoint, pointsOfRows } from '../../src/model/index.ts'
import { type Evidence, evidenceOfPoints, type Product } from '../../src/plan/index.ts'
import { type ServingSetup, type ServingSweep, threeOf } from '../model/serving.ts'

export interface HeldBack {
  readonly setup: ServingSetup
  readonly experts: boolean
  /** Every load, ascending; repeats are one. */
  readonly measured: readonly LoadPoint[]
  /** The three that `choose` is shown. */
  readonly shown: readonly LoadPoint[]
  readonly evidence: Evidence
}

export interface Question {
  readonly limit: 'floor' | 'ttft'
  readonly sweep: HeldBack
  readonly product: Product
  holds(point: Pick<LoadPoint, 'stepS' | 'ttftMs'>): boolean
}

/** A sweep has to have one load more than the three. */
const LEAST = 4
/** Where between two measured values the limit lies, on a scale of ratios. */
const PLACES = [0.25, 0.5, 0.75] as const

export function heldBack({ setup, rows }: ServingSweep): HeldBack | undefined {
  const measured = pointsOfRows(rows)
  if (measured.length < LEAST) return undefined
  const { experts } = findModel(setup.model)
  const shown = threeOf(measured)
  const evidence = evidenceOfPoints(shown, {
    gpus: setup.gpus,
    lengths: { input: setup.inputTokens, output: setup.outputTokens },
    ...(experts !== undefined && { experts: { active: experts.active, all: experts.all } }),
  })
  return { setup, experts: experts !== undefined, measured, shown, evidence }
}

/** Floors between every two neighbours of which the one with more load is slower. */
export const floorsOf = (sweep: HeldBack): readonly Question[] =>
  between(sweep, ({ stepS }) => stepS).map((stepS) => ({
    limit: 'floor',
    sweep,
    product: { name: 'floor', goal: 'pace', tokensPerSecond: 1 / stepS },
    holds: (point) => point.stepS <= stepS,
  }))

/** Limits of the first token between every two neighbours of which the one with more load waits longer. */
export const waitsOf = (sweep: HeldBack): readonly Question[] =>
  between(sweep, ({ ttftMs }) => ttftMs).map((ttftMs) => ({
    limit: 'ttft',
    sweep,
    product: { name: 'ttft', goal: 'pace', ttftMs },
    holds: (point) => (point.ttftMs ?? Number.POSITIVE_INFINITY) <= ttftMs,
  }))

/** Every load up to one holds, and none beyond it: else measurements that go up and down leave no one right answer. */
export const hasOneAnswer = ({ sweep: { measured }, holds }: Question): boolean =>
  measured.every((point, i) => i === 0 || !holds(point) || holds(measured[i - 1] ?? point))

function between({ measured }: HeldBack, of: (point: LoadPoint) => number | undefined): readonly number[] {
  return measured.slice(1).flatMap((point, i) => {
    const [low, high] = [of(measured[i] ?? point), of(point)]
    if (low === undefined || high === undefined || !(high > low)) return []
    return PLACES.map((place) => low * (high / low) ** place)
  })
}
