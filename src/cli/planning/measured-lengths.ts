import { figure } from '../../core/index.ts'
import type { AskedProduct, Candidate } from '../../plan/index.ts'

type Known = NonNullable<ReturnType<Candidate['evidenceFor']>['fit']['lengths']>

/**
 * Requests of which nothing says how long they are, as those of the first candidate that knows it were: measured, or foretold. `warning`: others
 * were measured with other requests.
 */
export function withMeasuredLengths(
  all: readonly AskedProduct[],
  candidates: readonly Candidate[],
): { readonly asked: readonly AskedProduct[]; readonly warning?: string } {
  if (all.every(isSaid)) return { asked: all }
  const first = candidates.find((candidate) => lengthsOf(candidate) !== undefined)
  const lengths = first && lengthsOf(first)
  if (lengths === undefined) return { asked: all }
  const { input, output } = lengths
  const asked = all.map((one): AskedProduct => {
    if (isSaid(one)) return one
    const { inputTokens = input } = { ...one.product, ...one.demand }
    return { ...one, demand: { ...one.demand, inputTokens, outputTokens: output } }
  })
  const isOneOfSeveral = candidates.some((other) => other.kind === 'measured' && !areAlike(lengthsOf(other), lengths))
  if (!isOneOfSeveral) return { asked }
  return {
    asked,
    warning: `Nothing says how long requests are: they are taken as ${first?.name} has them, ${figure(input)} tokens in and ${figure(output)} out, and not all were measured with such.`,
  }
}

const isSaid = ({ product, demand }: AskedProduct): boolean =>
  (demand.outputTokens ?? product.outputTokens) !== undefined || demand.day?.kind === 'trace'

const lengthsOf = (candidate: Candidate): Known | undefined => candidate.evidenceFor().fit.lengths

/** Nearer than that is of one length. */
const NEAR = 0.1

function areAlike(own: Known | undefined, { input, output }: Known): boolean {
  if (own === undefined) return true
  const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= NEAR * Math.max(a, b)
  return isNear(own.input, input) && isNear(own.output, output)
}
