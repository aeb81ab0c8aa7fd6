import type { Fit, Interval, LawName } from '../../core/index.ts'
import { type Law, type PerSequence, timeOf } from '../law.ts'
import type { LoadPoint } from '../points.ts'
import type { Deployment } from './deployment.ts'
import { extent, type Form, type Line, type Term } from './line.ts'

const NAMES = { experts: 'expert', kv: 'kv', prefill: 'prefill' } as const

/** `affine`, or the terms beside a and b: `expert+kv`. */
export function lawName({ terms }: Form): LawName {
  const more = (['experts', 'kv', 'prefill'] as const).filter((term) => terms.includes(term))
  return more.length === 0 ? 'affine' : (more.map((term) => NAMES[term]).join('+') as LawName)
}

/** The law's terms in ms, as a fit prints them. */
export function termsOf(law: Law): Pick<Fit, 'stepMs'> {
  const { baseS, perSequenceS, perThousandKvTokensS: kv, perPrefillTokenS: prefill, experts } = law
  return {
    stepMs: {
      base: 1000 * baseS,
      perSequence: 1000 * perSequenceS,
      ...(kv !== undefined && { perThousandKvTokens: 1000 * kv }),
      ...(prefill !== undefined && { perPrefillToken: 1000 * prefill }),
      ...(experts !== undefined && {
        experts: { active: experts.active, all: experts.all, ms: 1000 * experts.seconds },
      }),
    },
  }
}

/** In which each term lies nine times in ten. */
export function intervalsOf(line: Line): Pick<Fit, 'stepMsInterval'> {
  const { baseS, perSequenceS, perThousandKvTokensS: kv, perPrefillTokenS: prefill, experts } = line
  const around = (value: number, term: Term): Interval => {
    const error = line.errorS[term] ?? 0
    return { low: 1000 * Math.max(0, value - error), high: 1000 * (value + error) }
  }
  return {
    stepMsInterval: {
      base: around(baseS, 'base'),
      perSequence: around(perSequenceS, 'perSequence'),
      ...(kv !== undefined && { perThousandKvTokens: around(kv, 'kv') }),
      ...(prefill !== undefined && { perPrefillToken: around(prefill, 'prefill') }),
      ...(experts !== undefined && { experts: around(experts.seconds, 'experts') }),
    },
  }
}

/**
 * What a law says of the whole server of R replicas, for sequences that hold so much context and bring so much prefill: their cost
 * goes into b. What would be infinite is absent.
 *
 *     solo limit 1/a · ceiling and stability limit R/b · half-batch a/b · price of speed −dy/du = R·a/b
 *
 * What stands on a term that is not told from 0, by the half-width of its interval in `errorS`, is absent too: it has no bound. So is one
 * user alone where the law is not followed so far down, and of a law of the slow requests' pace all that the server makes.
 */
export function figuresOf(
  law: Law,
  deployment: Deployment,
  of: PerSequence,
  { errorS = {}, solo = true, ofAll = true }: FigureOptions = {},
): Partial<Fit> {
  const { gpus, replicas = 1, lengths } = deployment
  const { baseS: a } = law
  const isBaseTold = a > (errorS.base ?? 0)
  const isCostTold = ofAll && law.perSequenceS > (errorS.perSequence ?? 0)
  const b = costOf(law, of)
  const ceiling = replicas / b
  const half = halfBatchOf(law, b)
  const price = replicas * priceOf(law, b, half)
  return {
    ...(isBaseTold && { soloLimitTokensPerSecond: 1 / a }),
    ...(solo && { soloTokensPerSecond: 1 / timeOf(law, { ...of, batch: 1, othersShare: 0 }) }),
    ...(isCostTold && {
      ceilingTokensPerSecond: ceiling,
      ...(gpus !== undefined && { ceilingTokensPerSecondPerGpu: ceiling / gpus }),
      stability: {
        tokensPerSecond: ceiling,
        ...(lengths !== undefined && { requestsPerSecond: ceiling / lengths.output }),
      },
    }),
    ...(isCostTold &&
      (isBaseTold || law.experts !== undefined) && {
        halfBatch: half,
        priceOfSpeed: {
          tokensPerSecond: price,
          ...(gpus !== undefined && { tokensPerSecondPerGpu: price / gpus }),
          ...(law.experts !== undefined && { batch: half }),
        },
      }),
    ...kvLimitOf(deployment, of),
  }
}

interface FigureOptions {
  readonly errorS?: Line['errorS']
  readonly solo?: boolean
  /** Its pace is that of all requests, not of the slow ones among them. */
  readonly ofAll?: boolean
}

/** b with what a sequence costs through its context and its share of prefill. */
function costOf(law: Law, { contextTokens = 0, promptTokens = 0 }: PerSequence): number {
  const { perSequenceS, perThousandKvTokensS: c = 0, perPrefillTokenS: d = 0 } = law
  return perSequenceS + (c * contextTokens) / 1000 + d * promptTokens
}

/** The experts' term grows ever more slowly, so that this settles long before. */
const ROUNDS = 200

/** B/T(B) = ½·1/b, that is b·B = a + m·(1 − (1 − k/E)^B): from above, where all experts are touched, down to where both sides agree. */
function halfBatchOf({ baseS, experts }: Law, b: number): number {
  if (experts === undefined) return baseS / b
  const stays = 1 - experts.active / experts.all
  let batch = (baseS + experts.seconds) / b
  for (let round = 0; round < ROUNDS; round++) batch = (baseS + experts.seconds * (1 - stays ** batch)) / b
  return batch
}

/** −dy/du of one replica, y = B/T and u = 1/T: (dy/dB) ÷ (du/dB) is B − T/T′. On a straight line that is −a/b at every batch. */
function priceOf({ baseS, experts }: Law, b: number, batch: number): number {
  if (experts === undefined) return baseS / b
  const stays = (1 - experts.active / experts.all) ** batch
  const time = baseS + b * batch + experts.seconds * (1 - stays)
  const slope = b + (stays > 0 ? -experts.seconds * Math.log1p(-experts.active / experts.all) * stays : 0)
  return time / slope - batch
}

function kvLimitOf({ kvTokens: tokens, lengths }: Deployment, { contextTokens }: PerSequence): Partial<Fit> {
  const tokensPerRequest = lengths === undefined ? contextTokens : lengths.input + lengths.output / 2
  if (tokens === undefined || tokensPerRequest === undefined) return {}
  return { kvLimit: { tokens, tokensPerRequest, concurrency: Math.floor(tokens / tokensPerRequest) } }
}

/** The least and the greatest batch. */
export function rangeOf(points: readonly LoadPoint[]): { min: number; max: number } {
  return points.length === 0 ? { min: 0, max: 0 } : extent(points.map((point) => point.batch))
}

/** Of the first run: figures that depend on lengths are for its requests. */
export function perSequenceOf([first]: readonly LoadPoint[]): PerSequence {
  const { contextTokens, promptTokens } = first ?? {}
  return {
    ...(contextTokens !== undefined && { contextTokens }),
    ...(promptTokens !== undefined && { promptTokens }),
  }
}
