import type { PredictedSearch, Prediction } from '../../core/index.ts'
import type { Candidate } from '../../plan/index.ts'
import { machineOf } from './machine.ts'
import type { MeasuredFlags } from './measured-sources.ts'

/** Whether parsed JSON is what `predict` prints, of one configuration or of a search. */
export function isPrediction(json: unknown): json is Prediction | PredictedSearch {
  const { frontier, confidence } = (json ?? {}) as Partial<Prediction>
  return Array.isArray(frontier) && confidence !== undefined
}

/** What `predict --json` printed: one candidate, or of a search one for each of its configurations. */
export async function ofPrediction(
  json: Prediction | PredictedSearch,
  path: string,
  flags: Pick<MeasuredFlags, 'machine'>,
): Promise<readonly Candidate[]> {
  const { toldCurves } = await import('../../model/index.ts')
  const { evidenceOfPrediction, measuredCandidate } = await import('../../plan/index.ts')
  const machine = machineOf(flags.machine, json.hardware.name)
  return toldCurves(json, path).map((told) => ({
    ...measuredCandidate(evidenceOfPrediction(told), {
      name: told.configuration === undefined ? path : `${path} ${told.configuration}`,
      kind: 'predicted',
      ...machine,
    }),
    ...copiesOf(json, told.configuration),
    ...(isSplit(json, told.configuration) && { isSplit: true }),
  }))
}

const isSplit = (json: Prediction | PredictedSearch, name: string | undefined): boolean =>
  name === undefined ? (json as Prediction).pools !== undefined : name.includes('prefill')

/** How many each take a limit of their own: copies of attention, and of a search the replicas, or the instances that decode. */
function copiesOf(json: Prediction | PredictedSearch, name: string | undefined): Pick<Candidate, 'copies'> {
  if (name === undefined) {
    const { dp = 1 } = (json as Prediction).hardware
    return dp > 1 ? { copies: dp } : {}
  }
  const [, count = '1', dp = '1'] = /(\d+) × TP\d+(?: PP\d+)?(?: DP(\d+))?[^,]*$/.exec(name) ?? []
  const copies = Number(count) * Number(dp)
  return copies > 1 ? { copies } : {}
}
