import { type PredictedLoad, type PredictedSearch, type Prediction, TwospeedError } from '../../core/index.ts'
import type { Deployment } from '../fit/deployment.ts'
import { curveOf, type ForetoldLoad, type PredictedCurve } from './curve.ts'

/** A way to serve of a prediction that was printed. */
export interface ToldCurve extends Pick<PredictedCurve, 'curve' | 'gpus' | 'standing'> {
  /** Of a search, as it names it: `2 × TP4`. */
  readonly configuration?: string
}

/**
 * The curves of what `predict --json` prints, each configuration of a search by itself: the loads that were told, and straight pieces between
 * them, for nothing in it says more. Throws INVALID_VALUE, which names the file, where it holds no such loads.
 */
export function toldCurves(json: Prediction | PredictedSearch, file: string): readonly ToldCurve[] {
  check(json, file)
  const { hardware, frontier, lengths } = json
  const most = 'memory' in json ? json.memory.maxConcurrency : undefined
  const names = [...new Set(frontier.map(({ configuration }) => configuration))]
  return names.map((configuration) => {
    const loads = frontier.filter((load) => load.configuration === configuration)
    const sorted = loads.toSorted((a, b) => a.concurrency - b.concurrency)
    const gpus = sorted[0]?.gpus ?? hardware.gpus
    const told = curveOfLoads(sorted, { gpus, lengths }, most)
    return { ...told, ...(configuration !== undefined && { configuration }) }
  })
}

function curveOfLoads(
  loads: readonly PredictedLoad[],
  deployment: Deployment & { readonly gpus: number },
  most = Number.POSITIVE_INFINITY,
): Pick<PredictedCurve, 'curve' | 'gpus' | 'standing'> {
  const greatest = loads.at(-1)?.concurrency ?? 1
  const placeOf = (load: number): Place => {
    const next = loads.findIndex(({ concurrency }) => concurrency >= load)
    const [before, after] = [loads[Math.max(0, next - 1)], loads[Math.max(0, next)]]
    const [from = 1, to = 1] = [before?.concurrency, after?.concurrency]
    return { before, after, share: to > from ? Math.max(0, (load - from) / (to - from)) : 1 }
  }
  const at = (load: number): ForetoldLoad | undefined => {
    const { before, after, share } = placeOf(load)
    const isOutside = load < (loads[0]?.concurrency ?? 1) || load > greatest
    if (isOutside || before === undefined || after === undefined) return undefined
    const between = (of: (told: PredictedLoad) => number): number => of(before) + share * (of(after) - of(before))
    const pace = 1 / between((told) => 1 / told.tokensPerSecondPerUser)
    // What grows straight with the load is a stay: of answers of N tokens W = N × load ÷ output.
    const outputTokensPerSecond = load / between((told) => told.concurrency / told.outputTokensPerSecond)
    return {
      batch: outputTokensPerSecond / pace,
      tokensPerSecondPerUser: pace,
      outputTokensPerSecond,
      ttftMs: between(({ ttftMs }) => ttftMs),
    }
  }
  return curveOf({
    gpus: deployment.gpus,
    loads: loads.map(({ concurrency }) => concurrency),
    ...(greatest >= most && { most: { load: most, batch: most } }),
    at,
    confidenceAt(load) {
      const { after = loads.at(-1) } = placeOf(load)
      const {
        class: standing = 'uncalibrated',
        tokensPerSecondPerUser: pace = 1,
        low = pace,
        high = pace,
      } = after ?? {}
      return { class: standing, low: low / pace, high: high / pace }
    },
    deployment,
  })
}

interface Place {
  readonly before: PredictedLoad | undefined
  readonly after: PredictedLoad | undefined
  readonly share: number
}

const FIGURES = ['concurrency', 'tokensPerSecondPerUser', 'outputTokensPerSecond', 'low', 'high', 'ttftMs'] as const

function check({ frontier, hardware, lengths }: Partial<Prediction | PredictedSearch>, file: string): void {
  const isAmount = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value) && value > 0
  const problems = [
    ...(isAmount(hardware?.gpus) ? [] : ['hardware.gpus is missing']),
    ...(isAmount(lengths?.input) && isAmount(lengths?.output) ? [] : ['lengths are missing']),
    ...(Array.isArray(frontier) && frontier.length > 0 ? [] : ['frontier is empty']),
    ...(Array.isArray(frontier) ? frontier : []).flatMap((load: Partial<PredictedLoad>, i) =>
      FIGURES.filter((key) => !isAmount(load?.[key])).map((key) => `frontier[${i}].${key} is no number above 0`),
    ),
  ]
  if (problems.length === 0) return
  throw new TwospeedError(
    'INVALID_VALUE',
    `${file}: ${problems.slice(0, MOST_PROBLEMS).join('; ')}${problems.length > MOST_PROBLEMS ? '; and more' : ''}`,
    'Give what `twospeed predict --json` prints.',
  )
}

const MOST_PROBLEMS = 10
