import { type BandPoint, type ChartPoint, type FrontierChart, frontierSvg, type LawLine } from '../chart/index.ts'
import type { ChosenPoint, Fit, Interval, Point, Product } from '../core/index.ts'
import { type Advice, DOUBTFUL_PCT, type Evidence } from '../plan/index.ts'
import { askedFor } from './load.ts'

/** How far a law is to be believed. Two points lie on any line, so what they leave of it is untested, not right. */
export function trustOf({ reliable, errorPct }: Fit): LawLine['trust'] {
  if (reliable) return 'reliable'
  return errorPct > DOUBTFUL_PCT ? 'refuted' : 'untested'
}

type Unit = FrontierChart['per']

/** The chart of what was measured, the law, and the points advised. */
export function frontierChart(
  evidence: Evidence,
  advice: readonly Advice[],
  title: string,
  unit: Unit,
  measured: readonly Point[] = [],
): string {
  return frontierSvg(chartOf(evidence, advice, title, unit, measured))
}

interface ChosenFor {
  readonly product: Pick<Product, 'name'>
  readonly choice?: { readonly choice: ChosenPoint }
}

/** The same as data. */
export function chartOf(
  evidence: Evidence,
  advice: readonly ChosenFor[],
  title: string,
  unit: Unit,
  measured: readonly Point[] = [],
): FrontierChart {
  const { fit, frontier, gpus, curve } = evidence
  const per = gpus ?? 1
  const { soloLimitTokensPerSecond: soloLimit, ceilingTokensPerSecond: ceiling } = fit
  // The experts' term bends the frontier, so that no line is drawn, only its band.
  const straight = curve.fitted.between === 'law' && fit.stepMs?.experts === undefined
  const lawful = straight && soloLimit !== undefined && ceiling !== undefined
  const trust = trustOf(fit)
  const band = (trust === 'refuted' ? [] : frontier).flatMap((point): BandPoint[] => {
    const { low, high, tokensPerSecondPerUser, outputTokensPerSecond } = point
    if (low === undefined || high === undefined) return []
    return [{ tokensPerSecondPerUser, outputTokensPerSecond: outputTokensPerSecond / per, low, high }]
  })
  return {
    title,
    per: unit,
    points: chartPoints(evidence, per, measured),
    ...(lawful && { law: { soloLimit, ceiling: ceiling / per, trust } }),
    ...(band.length > 0 && { band }),
    chosen: advice.flatMap(({ product, choice }) => {
      if (choice === undefined) return []
      const { concurrency, tokensPerSecondPerUser, outputTokensPerSecond } = choice.choice
      const asked = askedFor(concurrency, evidence, measured)
      return [
        {
          name: product.name,
          concurrency,
          tokensPerSecondPerUser,
          outputTokensPerSecond: outputTokensPerSecond / per,
          ...(asked !== undefined && { asked }),
        },
      ]
    }),
  }
}

function chartPoints(evidence: Evidence, per: number, measured: readonly Point[]): readonly ChartPoint[] {
  const { points, curve } = evidence
  const beyond = new Set(curve.fitted.limit?.beyond.map((point) => point.load))
  return points.map((point) => {
    const intervals = point.members.map((index) => measured[index]?.intervals)
    const pace = meanOf(intervals.map((each) => each?.littlesLaw?.decodeTokensPerSecondPerUser))
    const output = meanOf(intervals.map((each) => each?.outputTokensPerSecond))
    const asked = askedFor(point.load, evidence, measured)
    return {
      concurrency: point.load,
      ...(asked !== undefined && { asked }),
      tokensPerSecondPerUser: 1 / point.stepS,
      outputTokensPerSecond: point.outputTokensPerSecond / per,
      kind: point.fault !== undefined ? 'doubtful' : beyond.has(point.load) ? 'beyondLimit' : 'measured',
      ...(pace && { pace }),
      ...(output && { output: { low: output.low / per, high: output.high / per } }),
    }
  })
}

/** Of repeats the mean of their intervals, which is about their mean; undefined where one is not known. */
function meanOf(intervals: readonly (Interval | undefined)[]): Interval | undefined {
  let [low, high] = [0, 0]
  for (const interval of intervals) {
    if (interval === undefined) return undefined
    low += interval.low / intervals.length
    high += interval.high / intervals.length
  }
  return { low, high }
}
