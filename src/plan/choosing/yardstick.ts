import { figure, TwospeedError } from '../../core/index.ts'
import type { Candidate } from '../candidate.ts'
import type { ChosenPoint } from '../choice.ts'
import { shown } from '../choose.ts'
import type { Evidence } from '../evidence.ts'
import { money } from '../planned-server.ts'
import type { Held } from './tried.ts'

/** By which of several points the best is known: tokens for each GPU, or for the money where GPUs differ in price. */
export interface Yardstick {
  readonly what: 'perGpu' | 'money'
  readonly unit: 'for the GPU' | 'for the money'
  /** More is better. */
  worth(candidate: Candidate, evidence: Evidence, outputTokensPerSecond: number): number
  /** `923 tok/s/GPU`, `0.84 a million output tokens`. */
  told(value: number): string
  /** Why this one. */
  readonly why: string
}

export const priceOf = ({ pricePerHour }: Candidate, gpuHour: number | undefined): number | undefined =>
  pricePerHour ?? gpuHour

/** Throws MISSING_VALUE, which names them, where several are to be compared and the GPUs of one are not known. */
export function refuseUnknownGpus(held: readonly Held[]): void {
  const unknown = held.filter(({ evidence }) => evidence.gpus === undefined)
  if (held.length < 2 || unknown.length === 0) return
  throw new TwospeedError(
    'MISSING_VALUE',
    `of ${unknown.map(({ candidate }) => candidate.name).join(', ')} the GPUs are not known, and several are compared by what each GPU makes`,
    'Add --gpus N, those of the whole server, or measure with it.',
  )
}

export function yardstickOf(candidates: readonly Candidate[], gpuHour: number | undefined): Yardstick {
  const prices = candidates.map((candidate) => priceOf(candidate, gpuHour))
  const known = prices.filter((price) => price !== undefined)
  const differ = new Set(known).size > 1
  const perGpu = (evidence: Evidence, output: number): number => output / (evidence.gpus ?? 1)
  if (differ && known.length === prices.length && known.every((price) => price > 0)) {
    return {
      what: 'money',
      unit: 'for the money',
      worth: (candidate, evidence, output) => perGpu(evidence, output) / (priceOf(candidate, gpuHour) ?? 1),
      told: (value) => `${money(1e6 / (3600 * value))} a million output tokens`,
      why: 'by money, since their GPUs differ in price',
    }
  }
  const why =
    known.length === 0
      ? ''
      : differ || known.length < prices.length
        ? ', since not all have a price above 0'
        : ', since all GPUs cost the same'
  return {
    what: 'perGpu',
    unit: 'for the GPU',
    worth: (_, evidence, output) => perGpu(evidence, output),
    told: (value) => `${figure(value)} tok/s/GPU`,
    why: `by what each GPU makes${why}`,
  }
}

/** A point with whose it is, and what its tokens cost. */
export function pricedPoint(
  { candidate, evidence, point }: Pick<Held, 'candidate' | 'evidence' | 'point'>,
  gpuHour: number | undefined,
  isNamed: boolean,
): ChosenPoint {
  const cost = costPerMillion(point.outputTokensPerSecond, evidence.gpus, priceOf(candidate, gpuHour))
  return {
    ...shown(point, evidence),
    ...(isNamed && { configuration: candidate.name }),
    ...(cost !== undefined && { perMillionOutputTokens: cost }),
  }
}

function costPerMillion(
  outputTokensPerSecond: number,
  gpus: number | undefined,
  price: number | undefined,
): number | undefined {
  return gpus === undefined || price === undefined ? undefined : (1e6 * gpus * price) / (3600 * outputTokensPerSecond)
}
