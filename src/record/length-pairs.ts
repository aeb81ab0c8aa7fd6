import type { LengthPair } from '../core/index.ts'
import { createLineFaults, digitsIn, isTokens, NO_TOKENS, numberedLines, quoted } from './line-faults.ts'

const HINT =
  'It takes a line for each request, input and output tokens, such as 512,128; a line of names may stand above.'
const NAMES: ReadonlySet<string> = new Set(['input,output', 'inputTokens,outputTokens', 'input_tokens,output_tokens'])

/**
 * A CSV of length pairs, input and output tokens of one request in each line; a first line that names the two is skipped.
 *
 * Throws INVALID_WORK with every line that is no pair.
 */
export function parseLengthPairs(lines: Iterable<string>): readonly LengthPair[] {
  const faults = createLineFaults('The lengths file', HINT)
  const pairs: LengthPair[] = []
  let isFirst = true
  for (const { number, text } of numberedLines(lines)) {
    const cells = text.split(',').map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'))
    const [input = Number.NaN, output = Number.NaN] = cells.map(digitsIn)
    if (isFirst && NAMES.has(cells.join(','))) {
      isFirst = false
      continue
    }
    isFirst = false
    if (cells.length !== 2) faults.add(`line ${number}`, `it has ${cells.length} cells, not 2`)
    else if (!isTokens(input)) faults.add(`line ${number}, input`, `${quoted(cells[0])} ${NO_TOKENS}`)
    else if (!isTokens(output)) faults.add(`line ${number}, output`, `${quoted(cells[1])} ${NO_TOKENS}`)
    else pairs.push({ inputTokens: input, outputTokens: output })
  }
  faults.settle()
  if (pairs.length === 0) faults.add('the file', 'it has no pair')
  faults.settle()
  return pairs
}
