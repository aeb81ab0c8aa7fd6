import type { LineFaults } from './line-faults.ts'

/** How many tokens the blocks of a trace have: where no row says it, their numbers tell it. */
export interface TraceBlocks {
  /** A prompt in so many blocks, and their size where its row says it. */
  add(line: number, inputTokens: number, blocks: number, blockTokens?: number): void
  /** Tokens of a block, and a fault for every prompt that does not make as many of them; undefined of no prompt. */
  settle(faults: LineFaults): number | undefined
}

/** Of Mooncake's own traces. */
const USUAL = 512
/** One prompt that says otherwise may be a slip. */
const ENOUGH = 2

export function createTraceBlocks(): TraceBlocks {
  const prompts: { readonly line: number; readonly tokens: number; readonly blocks: number }[] = []
  /** Prompts that make whole blocks of so many tokens. */
  const votes = new Map<number, number>()
  const told: { readonly line: number; readonly size: number }[] = []
  const chosen = (): number => {
    const [[size, count] = [USUAL, 0]] = [...votes].sort(([, a], [, b]) => b - a)
    return count >= ENOUGH && count > (votes.get(USUAL) ?? 0) ? size : USUAL
  }
  return {
    add(line, tokens, blocks, blockTokens) {
      prompts.push({ line, tokens, blocks })
      if (blockTokens !== undefined && blockTokens !== told[0]?.size) told.push({ line, size: blockTokens })
      const size = powerOfTwo(tokens, blocks)
      if (size !== undefined) votes.set(size, (votes.get(size) ?? 0) + 1)
    },
    settle(faults) {
      if (prompts.length === 0) return undefined
      const [first, ...others] = told
      for (const { line, size } of others) {
        faults.add(`line ${line}, block_size`, `${size}, where line ${first?.line} says ${first?.size}`)
      }
      const size = first?.size ?? chosen()
      for (const { line, tokens, blocks } of prompts) {
        const needed = Math.ceil(tokens / size)
        if (blocks === needed) continue
        faults.add(`line ${line}, hash_ids`, `${blocks} blocks, where ${tokens} tokens make ${needed} of ${size}`)
      }
      return size
    },
  }
}

/**
 * The size of n blocks that L tokens make, as far as it is a power of two, which caches take. Every block but the last is full, so
 *
 *     (n − 1)·size < L ≤ n·size
 *
 * which, from n = 2 on, at most one of them is; one block says only that it is no smaller than the prompt.
 */
function powerOfTwo(tokens: number, blocks: number): number | undefined {
  if (blocks < 2) return undefined
  const size = 2 ** Math.max(0, Math.ceil(Math.log2(tokens / blocks)))
  return (blocks - 1) * size < tokens ? size : undefined
}
