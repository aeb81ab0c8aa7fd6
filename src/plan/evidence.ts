import type { Confidence, Fit, FrontierPoint, Objectives, PointsRow, Run } from '../core/index.ts'
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
  type PredictedCurve,
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
  /** Of a mixture of experts. */
  readonly experts?: true
  /** Of a run: pace and wait are means and medians, or with a share what this share of the requests had at least. */
  readonly isOfRun: boolean
  readonly share?: number
  /** What the attainments of the points are of. */
  readonly objectives?: Objectives
  /** Of a prediction, and of lengths that were not measured: on what the pace stands. */
  readonly standing?: Confidence['class']
  /** Nothing was measured: the loads of the curve are foretold, each by itself. */
  readonly isPredicted?: true
}

type Known = Pick<Fit, 'errorPct' | 'errorFrom' | 'reliable' | 'why'>

export interface EvidenceOptions {
  /** Believed instead of a fit. */
  readonly law?: Law
  /** What is known of the law's error where no point judges it. */
  readonly known?: Known
  /** From a run: judge by what this share of its requests got, not by the typical one. */
  readonly share?: number
}

/** From the rows of a points file, of one server. */
export function evidenceOfRows(
  rows: readonly PointsRow[],
  options: Omit<EvidenceOptions, 'share'> & Deployment = {},
): Evidence {
  return evidenceOfPoints(pointsOfRows(rows), options)
}

/** From points, of one server. */
export function evidenceOfPoints(
  points: readonly LoadPoint[],
  options: Omit<EvidenceOptions, 'share'> & Deployment = {},
): Evidence {
  const { law, known, ...deployment } = options
  return { ...evidenceOf(points, deployment, law, known), isOfRun: false }
}

/** From a run's points. */
export function evidenceOfRun(run: Run, options: EvidenceOptions = {}): Evidence {
  const { law, share } = options
  const ofShare = share !== undefined && { share }
  return {
    ...evidenceOf(pointsOfRun(run.points, run.hardware, share), { ...deploymentOf(run, run.points), ...ofShare }, law),
    isOfRun: true,
    ...ofShare,
    ...(run.objectives !== undefined && { objectives: run.objectives }),
  }
}

/** From a prediction. Law and frontier are made when they are first asked for: of many candidates only one is chosen. */
export function evidenceOfPrediction({
  curve,
  gpus,
  standing,
}: Omit<PredictedCurve, 'memory' | 'stepModel'>): Evidence {
  let frontier: readonly FrontierPoint[] | undefined
  return {
    points: curve.points,
    curve,
    get fit() {
      return curve.fitted.fit
    },
    get frontier() {
      frontier ??= foretoldFrontier(curve, gpus)
      return frontier
    },
    gpus,
    isOfRun: false,
    standing,
    isPredicted: true,
  }
}

function foretoldFrontier({ points, at }: Curve, gpus: number): readonly FrontierPoint[] {
  return points.flatMap(({ load }): readonly FrontierPoint[] => {
    const point = at(load)
    if (point === undefined) return []
    const { tokensPerSecondPerUser, outputTokensPerSecond, low, high } = point
    return [
      {
        concurrency: load,
        tokensPerSecondPerUser,
        outputTokensPerSecond,
        tokensPerSecondPerGpu: outputTokensPerSecond / gpus,
        source: 'fitted',
        ...(low !== undefined && high !== undefined && { low, high }),
      },
    ]
  })
}

function evidenceOf(
  points: readonly LoadPoint[],
  deployment: Deployment,
  law: Law | undefined,
  known?: Known,
): Omit<Evidence, 'isOfRun'> {
  const fitted: Fitted = law === undefined ? fitLaw(points, deployment) : givenLaw(law, points, deployment, known)
  const curve = createCurve(points, fitted)
  return {
    points,
    curve,
    fit: fitted.fit,
    frontier: frontierOf(points, curve, deployment.gpus),
    ...(deployment.gpus !== undefined && { gpus: deployment.gpus }),
    ...(deployment.experts !== undefined && { experts: true }),
  }
}
