import { TwospeedError } from '../../core/index.ts'
import type { Configuration, Lengths, PredictedCurve } from '../../model/index.ts'
import type { Candidate, MeanLengths, SimulatedUnit } from '../candidate.ts'
import { type Evidence, evidenceOfPrediction } from '../evidence.ts'
import type { SplitSource } from '../fleets/asked.ts'

/** What a server that nobody ran gives requests of any lengths. */
export interface Foretold {
  readonly name: string
  readonly configuration: Configuration
  readonly copies?: number
  readonly isSplit?: true
  /** How many hold a cache like that which is foretold. Absent: one. */
  readonly instances?: number
  /** Throws DOES_NOT_FIT. */
  curveFor(lengths: Lengths): PredictedCurve
  unitFor(lengths: Lengths, curve: PredictedCurve): SimulatedUnit | undefined
}

interface Made {
  readonly predicted: PredictedCurve
  readonly evidence: Evidence
}

/** `usual` are the lengths of requests of which nobody says others. What was foretold for some lengths is kept. */
export function foretoldCandidate(
  { gpu, pricePerHour }: SplitSource,
  foretold: Foretold,
  usual?: MeanLengths,
): Candidate {
  const { name, configuration, copies, isSplit, instances = 1 } = foretold
  const made = new Map<string, Made>()
  const of = (lengths: Lengths): Made => {
    const key = `${lengths.inputTokens} ${lengths.outputTokens}`
    const known = made.get(key)
    if (known !== undefined) return known
    const predicted = foretold.curveFor(lengths)
    const one = { predicted, evidence: evidenceOfPrediction(predicted) }
    made.set(key, one)
    return one
  }
  const whole = (lengths: MeanLengths | undefined): Lengths => lengthsOf(name, lengths, usual)
  return {
    name,
    kind: 'predicted',
    gpu: gpu.id,
    configuration,
    ...(gpu.powerW !== undefined && { powerW: gpu.powerW }),
    ...(pricePerHour !== undefined && { pricePerHour }),
    ...(copies !== undefined && { copies }),
    ...(isSplit !== undefined && { isSplit }),
    evidenceFor: (lengths) => of(whole(lengths)).evidence,
    unitFor: (lengths) => foretold.unitFor(whole(lengths), of(whole(lengths)).predicted),
    memoryFor(lengths) {
      const { kvCapacityTokens, kvBytesPerToken } = of(whole(lengths)).predicted.memory
      return { kvCapacityTokens: kvCapacityTokens * instances, kvBytesPerToken }
    },
  }
}

function lengthsOf(name: string, lengths: MeanLengths | undefined, usual: MeanLengths | undefined): Lengths {
  const { input, output } = { ...usual, ...lengths }
  if (input !== undefined && output !== undefined) return { inputTokens: input, outputTokens: output }
  const missing = [
    ...(input === undefined ? ['--input-tokens'] : []),
    ...(output === undefined ? ['--output-tokens'] : []),
  ]
  throw new TwospeedError(
    'MISSING_VALUE',
    `what ${name} gives depends on how long its requests are: ${missing.join(' and ')}`,
    'Such as --input-tokens 1024 --output-tokens 256.',
  )
}
