import type { Trace, TraceRow } from '../../core/index.ts'
import type { PromptPart } from '../engine/sequence.ts'
import { inMicros } from './instants.ts'
import type { Source } from './source.ts'

/** A row that says how long it is. */
export type CountedRow = TraceRow & { readonly inputTokens: number; readonly outputTokens: number }

export interface PlayedTracePlan {
  readonly rows: readonly CountedRow[]
  readonly blockTokens: Trace['blockTokens']
  readonly nextId: () => number
}

/** The requests of a trace, row for row, once. Prompts of the same blocks begin alike; what has no blocks shares nothing. */
export function createPlayedTrace({ rows, blockTokens = 0, nextId }: PlayedTracePlan): Source {
  const ids = new Map<number, number>()
  const idOf = (block: number): number => {
    const id = ids.get(block) ?? nextId()
    ids.set(block, id)
    return id
  }
  /** Every block but a prompt's last is full. */
  const partsOf = (blocks: readonly number[], inputTokens: number): readonly PromptPart[] =>
    blocks.map((block, index) => ({
      id: idOf(block),
      tokens: Math.min(blockTokens, inputTokens - index * blockTokens),
    }))
  let next = 0
  return {
    get nextS() {
      const row = rows[next]
      return row === undefined ? Number.POSITIVE_INFINITY : inMicros(row.atS)
    },
    take: () => {
      const row = rows[next]
      if (row === undefined) throw new RangeError(`a trace of ${rows.length} rows has no further one`)
      next += 1
      const { atS, inputTokens, outputTokens, blocks } = row
      return {
        atS: inMicros(atS),
        promptTokens: inputTokens,
        outputTokens,
        ...(blocks !== undefined && { parts: partsOf(blocks, inputTokens) }),
      }
    },
    ended: () => undefined,
  }
}
