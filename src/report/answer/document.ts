import type { Table } from '../points-table.ts'

/** An answer as it is read, the same in a terminal, as Markdown and as a page: each form lays it out in its own way, with the same words. */
export interface Document {
  /** A terminal shows it no title: whoever reads there has just typed it. */
  readonly title: string
  readonly sections: readonly Section[]
}

export interface Section {
  /** None where the sentences say for themselves what they are of. */
  readonly title?: string
  readonly blocks: readonly Block[]
}

export type Block =
  /** One line each. */
  | { readonly kind: 'sentences'; readonly lines: readonly string[] }
  /** How a figure comes about, step by step. */
  | { readonly kind: 'arithmetic'; readonly lines: readonly string[] }
  /** What is to be doubted. */
  | { readonly kind: 'doubts'; readonly lines: readonly string[] }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'table'; readonly name: string; readonly table: Table }
  /** Figures large, of which sentences beside them tell the same. On a page only. */
  | { readonly kind: 'cards'; readonly cards: readonly Card[] }
  /** SVG of our own making. On a page only. */
  | { readonly kind: 'chart'; readonly name: string; readonly svg: string; readonly caption: string }

export interface Card {
  readonly title: string
  readonly headline: string
  readonly figures: readonly { readonly value: string; readonly unit: string }[]
}

/** Without blocks that say nothing, and without sections that hold none. */
export function section(title: string | undefined, ...blocks: readonly (Block | undefined)[]): readonly Section[] {
  const told = blocks.filter((block) => block !== undefined).filter((block) => !isEmpty(block))
  return told.length === 0 ? [] : [{ ...(title !== undefined && { title }), blocks: told }]
}

function isEmpty(block: Block): boolean {
  switch (block.kind) {
    case 'table':
      return block.table.rows.length === 0
    case 'list':
      return block.items.length === 0
    case 'cards':
      return block.cards.length === 0
    case 'chart':
      return false
    default:
      return block.lines.length === 0
  }
}

export const sentences = (...lines: readonly (string | undefined)[]): Block => ({
  kind: 'sentences',
  lines: lines.filter((line): line is string => line !== undefined && line !== ''),
})
