import { type Lengths, meanLength, type ProductWork, parseLengths } from '../../core/index.ts'
import type { FleetOptions, MeanLengths } from '../../plan/index.ts'
import { lengthsApart } from '../fit-flags.ts'
import { given } from '../given.ts'
import type { SourceFlags } from './source-flags.ts'

/** Closed forms and Little's law ask for means only. */
const meanOf = (length: number | string | undefined): number | undefined => {
  const parsed = distributionOf(length)
  return parsed && meanLength(parsed)
}

const distributionOf = (length: number | string | undefined): Lengths | undefined =>
  length === undefined ? undefined : parseLengths(String(length))

/** The simulator draws them as they are. */
export function distributionsOf(tokens: Pick<SourceFlags, 'inputTokens' | 'outputTokens'>): FleetOptions['lengths'] {
  const { inputTokens, outputTokens } = tokens
  return given({ input: distributionOf(inputTokens), output: distributionOf(outputTokens) })
}

/** What the flags say of lengths. */
export function lengthsOf({ inputTokens, outputTokens }: SourceFlags): Partial<MeanLengths> {
  const [input, output] = [meanOf(inputTokens), meanOf(outputTokens)]
  return { ...(input !== undefined && { input }), ...(output !== undefined && { output }) }
}

/** Of requests of which nothing else says it: the flags, else a product. */
export function usualLengths(flags: SourceFlags, products: readonly ProductWork[]): Partial<MeanLengths> {
  const known = lengthsOf(flags)
  const input = known.input ?? products.find(({ inputTokens }) => inputTokens !== undefined)?.inputTokens
  const output = known.output ?? products.find(({ outputTokens }) => outputTokens !== undefined)?.outputTokens
  return { ...(input !== undefined && { input }), ...(output !== undefined && { output }) }
}

/** Throws MISSING_VALUE of a prompt without an answer. */
export function wholeLengths(lengths: Partial<MeanLengths>): MeanLengths | undefined {
  const { input, output } = lengths
  if (output === undefined) {
    if (input !== undefined) throw lengthsApart()
    return undefined
  }
  return { output, ...(input !== undefined && { input }) }
}
