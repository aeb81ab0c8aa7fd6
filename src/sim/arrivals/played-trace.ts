import type { Trace, TraceRow } from '../../core/index.ts'
import type { PromptPart } from '../engine/sequence.ts'
import { inMicros } from './instants.ts'
import type { Arrival, Source } from './source.ts'

/** A row that says how long it is. */
export type CountedRow = TraceRow & { readonly inputTokens: number; readonly outputTokens: number }

export interface PlayedTracePlan {
  readonly rows: readonly CountedRow[]
  readonly blockTokens: Trace['blockTokens']
  readonly nextId: () => number
}

/** The requests of a trace, row for row, once. Prompts of the same blocks begin alike; what has no blocks shares nothing. */
export class PlayedTrace implements Source {
  private readonly rows: readonly CountedRow[]
  private readonly blockTokens: number
  private readonly nextId: () => number
  private readonly ids = new Map<number, number>()
  private next = 0

  constructor({ rows, blockTokens = 0, nextId }: PlayedTracePlan) {
    this.rows = rows
    this.blockTokens = blockTokens
    this.nextId = nextId
  }

  get nextS(): number {
    const row = this.rows[this.next]
    return row === undefined ? Number.POSITIVE_INFINITY : inMicros(row.atS)
  }

  readonly take = (): Arrival => {
    const row = this.rows[this.next]
    if (row === undefined) throw new RangeError(`a trace of ${this.rows.length} rows has no further one`)
    this.next += 1
    const { inputTokens: promptTokens, outputTokens, blocks } = row
    const atS = inMicros(row.atS)
    if (blocks === undefined) return { atS, promptTokens, outputTokens }
    return { atS, promptTokens, outputTokens, parts: this.partsOf(blocks, promptTokens) }
  }

  readonly ended = (): void => undefined

  /** Every block but a prompt's last is full. */
  private partsOf(blocks: readonly number[], inputTokens: number): readonly PromptPart[] {
    const { blockTokens } = this
    return blocks.map((block, index) => ({
      id: this.idOf(block),
      tokens: Math.min(blockTokens, inputTokens - index * blockTokens),
    }))
  }

  private idOf(block: number): number {
    const id = this.ids.get(block) ?? this.nextId()
    this.ids.set(block, id)
    return id
  }
}
