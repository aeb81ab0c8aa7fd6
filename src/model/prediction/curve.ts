import type { Confidence, Fit, LimitCause } from '../../core/index.ts'
import type { Curve, OperatingPoint } from '../curve.ts'
import type { Deployment } from '../fit/deployment.ts'
import { type Fitted, fitLaw } from '../fit/fit.ts'
import type { LoadPoint } from '../points.ts'
import type { Link } from '../pools/link.ts'
import { nameOfPools } from '../pools/split.ts'
import { greatestLoad, splitLoop } from '../pools/split-loop.ts'
import { createSplitPools, placesBy, type SplitRequest } from '../pools/split-pools.ts'
import type { CalibrationSample } from '../roofline/calibrate.ts'
import { closedLoop, type PredictedPoint } from '../roofline/closed-loop.ts'
import { type Configuration, gpusOf, type Lengths } from '../roofline/configuration.ts'
import { type Memory, memoryOf } from '../roofline/memory.ts'
import type { StepModel } from '../roofline/step-model.ts'
import { basisOf } from './basis.ts'
import { loadsUpTo } from './predicted-load.ts'

/** The curve of a server that nobody ran: every load is foretold by itself, whole or not. */
export interface PredictedCurve {
  readonly curve: Curve
  readonly gpus: number
  /** As every load of it has. */
  readonly standing: Confidence['class']
  /** Of a replica, or of one of the instances that decode. */
  readonly memory: Memory
  /** Scaled by what was measured; of split pools the step of an instance that decodes. */
  readonly stepModel: StepModel
  /** Of split pools: the step of an instance that reads, and what lies between. */
  readonly reading?: { readonly stepModel: StepModel; readonly link: Link }
}

/** What a curve is drawn from. */
export interface Foretold {
  readonly gpus: number
  /** Those that stand for the whole curve, ascending. */
  readonly loads: readonly number[]
  /** The greatest load of use, where it is known, how many decode there, and what ends it: more in flight only wait longer for their first token. */
  readonly most?: { readonly load: number; readonly batch: number; readonly by?: LimitCause }
  /** Undefined where nothing is foretold. */
  at(load: number): ForetoldLoad | undefined
  confidenceAt(load: number): Pick<Confidence, 'class' | 'low' | 'high'>
  readonly deployment: Deployment
}

export type ForetoldLoad = Pick<PredictedPoint, 'batch' | 'tokensPerSecondPerUser' | 'outputTokensPerSecond' | 'ttftMs'>

/** Of one replica. Throws DOES_NOT_FIT. */
export function predictedCurve(
  configuration: Configuration,
  lengths: Lengths,
  samples?: readonly CalibrationSample[],
): PredictedCurve {
  const memory = memoryOf(configuration, lengths)
  const basis = basisOf(lengths, samples)
  const stepModel = basis.stepModelOf(configuration)
  const gpus = gpusOf(configuration.parallelism)
  const foretold: Foretold = {
    gpus,
    ...upTo(Math.min(memory.maxConcurrency, configuration.maxNumSeqs), placesBy(stepModel, memory)),
    at: (load) => closedLoop(stepModel, memory, lengths, load),
    confidenceAt: (load) => basis.confidenceOf({ configuration, load }),
    deployment: deploymentOf(configuration, lengths, gpus),
  }
  return { ...curveOf(foretold), memory, stepModel }
}

export interface SplitCurveOptions extends Omit<SplitRequest, 'stepModelOf'> {
  readonly samples?: readonly CalibrationSample[]
}

/** Of a group of split pools. Throws IMPOSSIBLE_CONFIGURATION or DOES_NOT_FIT where one of them cannot be. */
export function predictedSplitCurve({ samples, ...request }: SplitCurveOptions): PredictedCurve {
  const { lengths } = request
  const basis = basisOf(lengths, samples)
  const split = createSplitPools({ ...request, stepModelOf: basis.stepModelOf })
  const { memory, model: stepModel } = split.writer
  const { configuration } = stepModel
  const pools = nameOfPools(split.prefill, split.decode)
  const most = greatestLoad(split)
  const foretold: Foretold = {
    gpus: split.gpus,
    ...upTo(most.load, most.by, most.batch),
    at: (load) => splitLoop(split, load),
    confidenceAt: (load) => basis.confidenceOf({ configuration, pools, load: load / split.decode.count }),
    deployment: deploymentOf(configuration, lengths, split.gpus),
  }
  const reading = { stepModel: basis.stepModelOf(split.reader.configuration), link: split.link }
  return { ...curveOf(foretold), memory, stepModel, reading }
}

function upTo(most: number, by: LimitCause, batch?: number): Pick<Foretold, 'loads' | 'most'> {
  const load = Math.max(1, Math.floor(most))
  return { loads: loadsUpTo(load), most: { load, batch: batch ?? load, by } }
}

function deploymentOf({ model: { experts } }: Configuration, lengths: Lengths, gpus: number): Deployment {
  return {
    gpus,
    lengths: { input: lengths.inputTokens, output: lengths.outputTokens },
    ...(experts !== undefined && { experts: { active: experts.active, all: experts.all } }),
  }
}

export function curveOf(foretold: Foretold): Pick<PredictedCurve, 'curve' | 'gpus' | 'standing'> {
  const { gpus, loads } = foretold
  const { class: standing } = foretold.confidenceAt(1)
  const source = standing === 'interpolated' ? 'fitted' : 'extrapolated'
  const seen = new Map<number, ForetoldLoad | undefined>()
  const pointAt = (load: number): ForetoldLoad | undefined => {
    const known = seen.get(load)
    if (known !== undefined) return known
    const point = foretold.at(load)
    if (seen.size < REMEMBERED) seen.set(load, point)
    return point
  }
  const at = (load: number): OperatingPoint | undefined => {
    if (!(load > 0 && load < Number.POSITIVE_INFINITY)) return undefined
    // Less than one in flight is one, now and then.
    const [point, often] = [pointAt(Math.max(1, load)), Math.min(1, load)]
    if (point === undefined) return undefined
    const { low, high } = foretold.confidenceAt(Math.max(1, load))
    const pace = point.tokensPerSecondPerUser
    return {
      load,
      tokensPerSecondPerUser: pace,
      outputTokensPerSecond: often * point.outputTokensPerSecond,
      ttftMs: point.ttftMs,
      source,
      low: low * pace,
      high: high * pace,
    }
  }
  const points = loads.flatMap((load, i): readonly LoadPoint[] => {
    const point = pointAt(load)
    if (point === undefined) return []
    const { batch, tokensPerSecondPerUser, outputTokensPerSecond, ttftMs } = point
    return [{ members: [i], load, batch, stepS: 1 / tokensPerSecondPerUser, outputTokensPerSecond, ttftMs }]
  })
  return { curve: { points, fitted: fittedTo(points, foretold), at }, gpus, standing }
}

/** A curve is asked for the same few loads again and again. */
const REMEMBERED = 4096

/** The law is for those who want one, and costs more than all else here: it is fitted when it is first asked for. */
function fittedTo(points: readonly LoadPoint[], { most, deployment }: Foretold): Fitted {
  let fit: Fit | undefined
  return {
    get fit() {
      if (fit !== undefined) return fit
      const { setAside: _, ...fitted } = fitLaw(points, deployment).fit
      fit = {
        ...fitted,
        ...(most !== undefined && { serverLimit: most.batch }),
        ...(most?.by !== undefined && { serverLimitBy: most.by }),
        reliable: false,
        why: [FORETOLD, ...fitted.why],
      }
      return fit
    },
    ...(most !== undefined && { limit: { ...most, beyond: [] } }),
    between: 'points',
    beyond: false,
  }
}

const FORETOLD = 'it is fitted to loads that were foretold, and none of them was measured'
