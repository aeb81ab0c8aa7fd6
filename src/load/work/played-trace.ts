import type { Trace, TraceRow } from '../../core/index.ts'
import type { BodyWriter } from './body.ts'
import { askWhole } from './own-prompts.ts'
import { createNumberedTexts, createPrompts } from './prompts.ts'
import type { WordCount } from './word-count.ts'
import type { Work } from './work.ts'

/** Of a prompt's last block, at least so many words stand: they tell it from another that shares all blocks before. */
const LEAST_LAST_WORDS = 3

/**
 * Asks what the rows of a trace asked, row for row. A block of a prompt is always the same text, so prompts that began alike then begin
 * alike again; what has no blocks shares nothing.
 *
 *     row 1   [ block 0 ][ block 1 ][ blo      the last block is cut where the prompt's length ends
 *     row 2   [ block 0 ][ block 1 ][ block 3 ][ bl
 */
export function createPlayedTrace({ trace, words, bodies, seed }: PlayedTraceTask): Work {
  const { rows, blockTokens = 1 } = trace
  const prompts = createPrompts(seed)
  const blockText = createNumberedTexts(`${seed}/blocks`)
  const blockWords = words.part(blockTokens)

  const ofBlocks = (blocks: readonly number[], total: number): string => {
    const last = Math.max(Math.min(total, LEAST_LAST_WORDS), total - (blocks.length - 1) * blockWords)
    const texts: string[] = []
    // The template around a prompt takes its room from the end of it.
    let left = total - last
    for (const [index, id] of blocks.entries()) {
      const isLast = index === blocks.length - 1
      const count = isLast ? last : Math.min(left, blockWords)
      if (count > 0) texts.push(blockText(id, count))
      left -= count
    }
    return texts.join(' ')
  }

  const textOf = ({ blocks }: TraceRow, inputTokens: number): string => {
    const total = words.prompt(inputTokens)
    return blocks === undefined || blocks.length === 0 ? prompts.next(total) : ofBlocks(blocks, total)
  }

  return {
    next(arrival) {
      const row = rows[arrival % rows.length]
      const { inputTokens = 1, outputTokens = 1, body } = row ?? {}
      if (row === undefined) throw new RangeError(`a trace of ${rows.length} rows has no row ${arrival}`)
      if (body !== undefined) return askWhole(body, bodies)
      return {
        body: bodies.words(textOf(row, inputTokens), outputTokens),
        askedInputTokens: inputTokens,
        askedOutputTokens: outputTokens,
      }
    },
  }
}

interface PlayedTraceTask {
  readonly trace: Trace
  readonly words: WordCount
  readonly bodies: BodyWriter
  readonly seed: string
}
