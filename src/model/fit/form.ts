import { timeOf } from '../law.ts'
import { foretold, rootMeanSquare } from './leave-one-out.ts'
import { AFFINE, type Experts, extent, type Form, fitLine, type Sample, type Term } from './line.ts'

/** Contexts and prompts tell a term of their own only where they differ from run to run: in one run they are as the batch. */
const VARIES = 1.2

/** A term more has to bring the error down by so much. */
const WORTH = 0.9

/** Below this, in the root mean square, no law is better than another. */
const NOTHING = 0.003

/**
 * Which terms the samples speak for, by how well each law foretells the samples that it has not seen. A law with more terms has to be
 * better by a tenth, at the samples that both can judge. Three loads leave an expert law nothing to foretell: it is taken where the straight line misses them.
 */
export function formOf(samples: readonly Sample[], experts: Experts | undefined): Form {
  const more: Term[] = []
  if (varies(samples, (sample) => sample.contextTokens)) more.push('kv')
  if (varies(samples, (sample) => sample.promptTokens)) more.push('prefill')
  if (experts !== undefined) more.push('experts')
  if (more.length === 0) return AFFINE
  let best: { readonly form: Form; readonly errors: Errors } | undefined
  for (const form of formsOf(more, experts)) {
    if (samples.length < form.terms.length) continue
    const errors = errorsOf(samples, form)
    if (errors === undefined) continue
    if (best === undefined || sizeOf(errors, best.errors) < WORTH * sizeOf(best.errors, errors)) best = { form, errors }
  }
  return best?.form ?? AFFINE
}

/** The straight line and every set of terms beside it, the fewest first. */
function formsOf(more: readonly Term[], experts: Experts | undefined): readonly Form[] {
  const sets = Array.from({ length: 2 ** more.length }, (_, mask) => more.filter((__, i) => (mask >> i) % 2 === 1))
  return sets.sort((a, b) => a.length - b.length).map((set) => formWith(set, experts))
}

function formWith(more: readonly Term[], experts: Experts | undefined): Form {
  if (more.length === 0) return AFFINE
  return {
    terms: [...AFFINE.terms, ...more],
    ...(experts !== undefined && more.includes('experts') && { experts }),
  }
}

/** At each sample, where it can be told. */
type Errors = readonly (number | undefined)[]

/** Of samples not seen where there are enough. Undefined: the law cannot be fitted, or lacks a term that it asks for. */
function errorsOf(samples: readonly Sample[], form: Form): Errors | undefined {
  const line = fitLine(samples, form)
  if (line === undefined) return undefined
  if (line.clamped.some((term) => term !== 'base' && term !== 'perSequence')) return undefined
  const unseen = samples.length > 3 && samples.length > form.terms.length ? foretold(samples, form) : []
  return unseen.some((error) => error !== undefined)
    ? unseen
    : samples.map((sample) => timeOf(line, sample) / sample.stepS - 1)
}

/** In the root mean square, where the others are told too. */
const sizeOf = (errors: Errors, others: Errors): number =>
  Math.max(NOTHING, rootMeanSquare(errors.flatMap((error, i) => (others[i] === undefined ? [] : (error ?? [])))))

function varies(samples: readonly Sample[], of: (sample: Sample) => number | undefined): boolean {
  const values = samples.flatMap((sample) => of(sample) ?? [])
  if (values.length < samples.length || values.length === 0) return false
  const { min, max } = extent(values)
  return max >= VARIES * min
}
