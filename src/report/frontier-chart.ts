import { type BandPoint, type ChartPoint, type FrontierChart, frontierSvg } from '../chart/index.ts'
import type { Advice, Evidence } from '../plan/index.ts'

type Unit = FrontierChart['per']

/** The chart of what was measured, the law, and the points advised. */
export function frontierChart(evidence: Evidence, advice: readonly Advice[], title: string, unit: Unit): string {
  return frontierSvg(chartOf(evidence, advice, title, unit))
}

function chartOf(evidence: Evidence, advice: readonly Advice[], title: string, unit: Unit): FrontierChart {
  const { fit, frontier, gpus, curve } = evidence
  const per = gpus ?? 1
  const { soloLimitTokensPerSecond: soloLimit, ceilingTokensPerSecond: ceiling } = fit
  const lawful = curve.fitted.between === 'law' && soloLimit !== undefined && ceiling !== undefined
  const band = frontier.flatMap((point): BandPoint[] => {
    const { low, high, tokensPerSecondPerUser, outputTokensPerSecond } = point
    if (low === undefined || high === undefined) return []
    return [{ tokensPerSecondPerUser, outputTokensPerSecond: outputTokensPerSecond / per, low, high }]
  })
  return {
    title,
    per: unit,
    points: chartPoints(evidence, per),
    ...(lawful && { law: { soloLimit, ceiling: ceiling / per, reliable: fit.reliable }, band }),
    chosen: advice.flatMap(({ product, choice }) => {
      if (choice === undefined) return []
      const { concurrency, tokensPerSecondPerUser, outputTokensPerSecond } = choice.choice
      return [
        { name: product.name, concurrency, tokensPerSecondPerUser, outputTokensPerSecond: outputTokensPerSecond / per },
      ]
    }),
  }
}

function chartPoints({ points, curve }: Evidence, per: number): readonly ChartPoint[] {
  const beyond = new Set(curve.fitted.limit?.beyond.map((point) => point.load))
  return points.map((point) => ({
    concurrency: point.load,
    tokensPerSecondPerUser: 1 / point.stepS,
    outputTokensPerSecond: point.outputTokensPerSecond / per,
    kind: point.fault !== undefined ? 'doubtful' : beyond.has(point.load) ? 'beyondLimit' : 'measured',
  }))
}
