import {
  createPointMetrics,
  type Point,
  type RequestRecord,
  type Run,
  type RunHeader,
  repeatsOf,
} from '../core/index.ts'
import { createCurve } from './curve.ts'
import type { Deployment } from './fit/deployment.ts'
import { fitLaw } from './fit/fit.ts'
import { frontierOf } from './frontier.ts'
import { pointsOfRun } from './points.ts'
import { searchResult } from './search/search.ts'

/**
 * Everything a run says, computed in one pass from what was asked and the records: each point's metrics, the fitted law, the
 * frontier, what a search found. Of the header's points only load, window and what the generator said of itself are used. Records of points that the
 * header does not have are left out. Fit and frontier are absent where no point has a pace.
 */
export async function summarizeRun(
  header: RunHeader,
  records: AsyncIterable<RequestRecord> | Iterable<RequestRecord>,
): Promise<Run> {
  const metrics = header.points.map((point) => createPointMetrics(point, header.hardware, header.objectives))
  for await (const record of records) metrics[record.point]?.add(record)
  return runOf(
    header,
    metrics.map((point) => point.result()),
  )
}

/** The same of points whose figures are known: what they say together. */
export function runOf(header: RunHeader, points: readonly Point[]): Run {
  const repeats = repeatsOf(points)
  return {
    ...header,
    points,
    ...(repeats.length > 0 && { repeats }),
    ...modelOf(header, points),
    ...searchResult(header, points, deploymentOf(header)),
  }
}

/** What a run says of its deployment beside its points. */
export function deploymentOf({ hardware, workload }: Pick<RunHeader, 'hardware' | 'workload'>): Deployment {
  const { inputTokens: input, outputTokens: output } = workload
  return {
    ...(hardware.gpus !== undefined && { gpus: hardware.gpus }),
    ...(hardware.replicas !== undefined && { replicas: hardware.replicas }),
    ...(typeof input === 'number' && typeof output === 'number' && { lengths: { input, output } }),
  }
}

function modelOf(header: RunHeader, points: readonly Point[]): Pick<Run, 'fit' | 'frontier'> {
  // Means over several lanes are of a mix: no law is of that.
  if (points.some(({ simulation }) => simulation?.lanes !== undefined)) return {}
  const loads = pointsOfRun(points, header.hardware)
  if (loads.length === 0) return {}
  const deployment = deploymentOf(header)
  const fitted = fitLaw(loads, deployment)
  return { frontier: frontierOf(loads, createCurve(loads, fitted), deployment.gpus), fit: fitted.fit }
}
