import {
  createPointMetrics,
  type Point,
  type RequestRecord,
  type Run,
  type RunHeader,
  repeatsOf,
  TwospeedError,
} from '../core/index.ts'
import { findModel } from './catalogue/find.ts'
import { createCurve } from './curve.ts'
import type { Deployment } from './fit/deployment.ts'
import { fitLaw } from './fit/fit.ts'
import { frontierOf } from './frontier.ts'
import { measuredLengths, pointsOfRun } from './points.ts'
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
    ...searchResult(header, points, deploymentOf(header, points)),
  }
}

/**
 * What a run says of its deployment. Its experts are those of its model, where the catalogue knows it; lengths that were not asked for as
 * plain numbers are the means of what these points measured.
 */
export function deploymentOf(
  { hardware, workload, target }: Pick<RunHeader, 'hardware' | 'workload' | 'target'>,
  points: readonly Point[],
): Deployment {
  const lengths = lengthsOf(workload, points)
  return {
    ...(hardware.gpus !== undefined && { gpus: hardware.gpus }),
    ...(hardware.replicas !== undefined && { replicas: hardware.replicas }),
    ...(lengths !== undefined && { lengths }),
    ...expertsOf(target.model),
  }
}

function lengthsOf(
  { inputTokens, outputTokens }: RunHeader['workload'],
  points: readonly Point[],
): Deployment['lengths'] {
  const measured = measuredLengths(points)
  const input = typeof inputTokens === 'number' ? inputTokens : measured?.input
  const output = typeof outputTokens === 'number' ? outputTokens : measured?.output
  return input === undefined || output === undefined ? undefined : { input, output }
}

function expertsOf(model: string): Pick<Deployment, 'experts'> {
  try {
    const { experts } = findModel(model)
    return experts === undefined ? {} : { experts: { active: experts.active, all: experts.all } }
  } catch (error) {
    if (error instanceof TwospeedError) return {}
    throw error
  }
}

function modelOf(header: RunHeader, points: readonly Point[]): Pick<Run, 'fit' | 'frontier'> {
  // Means over several lanes are of a mix: no law is of that.
  if (points.some(({ simulation }) => simulation?.lanes !== undefined)) return {}
  const loads = pointsOfRun(points, header.hardware)
  if (loads.length === 0) return {}
  const deployment = deploymentOf(header, points)
  const fitted = fitLaw(loads, deployment)
  return { frontier: frontierOf(loads, createCurve(loads, fitted), deployment.gpus), fit: fitted.fit }
}
