import type { Fit, FrontierPoint, PointsRow, Run } from '../core/index.ts'
import {
  type Curve,
  createCurve,
  type Deployment,
  deploymentOf,
  type Fitted,
  fitLaw,
  frontierOf,
  givenLaw,
  type Law,
  type LoadPoint,
  pointsOfRows,
  pointsOfRun,
} from '../model/index.ts'

/** All that a choice is made from: what was measured, the law fitted to it or given, and the frontier they draw. */
export interface Evidence {
  /** Every load measured; those whose speed is not the server's own too, which the curve leaves out. */
  readonly points: readonly LoadPoint[]
  readonly curve: Curve
  readonly fit: Fit
  readonly frontier: readonly FrontierPoint[]
  readonly gpus?: number
}

export interface EvidenceOptions {
  /** Believed instead of a fit. */
  readonly law?: Law
  /** From a run: judge by what this share of its requests got, not by the typical one. */
  readonly share?: number
}

/** From the rows of a points file, of one server. */
export function evidenceOfRows(
  rows: readonly PointsRow[],
  options: Omit<EvidenceOptions, 'share'> & Deployment = {},
): Evidence {
  const { law, ...deployment } = options
  return evidenceOf(pointsOfRows(rows), deployment, law)
}

/** From a run's points. */
export function evidenceOfRun(run: Run, options: EvidenceOptions = {}): Evidence {
  return evidenceOf(pointsOfRun(run.points, run.hardware, options.share), deploymentOf(run), options.law)
}

function evidenceOf(points: readonly LoadPoint[], deployment: Deployment, law: Law | undefined): Evidence {
  const fitted: Fitted = law === undefined ? fitLaw(points, deployment) : givenLaw(law, points, deployment)
  const curve = createCurve(points, fitted)
  return {
    points,
    curve,
    fit: fitted.fit,
    frontier: frontierOf(points, curve, deployment.gpus),
    ...(deployment.gpus !== undefined && { gpus: deployment.gpus }),
  }
}
