import { type Fit, figure } from '../core/index.ts'

type StepMs = NonNullable<Fit['stepMs']>

/** One term of the law: a time, and what it is taken times. */
interface Term {
  readonly ms: string
  /** Empty for the base. */
  readonly times: string
}

/** The terms in the order of the equation. */
export function termsOf({ base, perSequence, experts, perThousandKvTokens, perPrefillToken }: StepMs): readonly Term[] {
  const terms: readonly (readonly [number | undefined, string])[] = [
    [base, ''],
    [perSequence, 'B'],
    [experts?.ms, `(1 − (1 − ${experts?.active}/${experts?.all})^B)`],
    [perThousandKvTokens, 'K/1000'],
    [perPrefillToken, 'P'],
  ]
  return terms.flatMap(([ms, times]) => (ms === undefined ? [] : [{ ms: `${figure(ms)} ms`, times }]))
}

/** `T(B) = 5 ms + 0.25 ms × B`, and whatever terms the law has beyond. */
export function equationOf(stepMs: StepMs): string {
  return `T(B) = ${termsOf(stepMs)
    .map(({ ms, times }) => (times === '' ? ms : `${ms} × ${times}`))
    .join(' + ')}`
}

/** What the equation's further symbols stand for, as the rest of a sentence; empty for a law of B alone. */
export function symbolsOf({ perThousandKvTokens, perPrefillToken }: StepMs): string {
  return [
    ...(perThousandKvTokens === undefined ? [] : ['K the KV tokens that they hold together']),
    ...(perPrefillToken === undefined ? [] : ['P the prompt tokens that are read in the same step']),
  ].join(', ')
}
