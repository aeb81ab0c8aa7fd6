import type { Table } from '../points-table.ts'

/** An answer as it is read, the same in a terminal, as Markdown and as a page: each form lays it out in its own way, with the same words. */
export interface Document {
  /** A terminal shows it no title: whoever reads there has just typed it. */
  readonly title: string
  readonly sections: readonly Section[]
}

export interface Section {
  readonly title: string
  /** Its sentences say for themselves what they are of: a terminal shows no title. */
  readonly isPlain?: boolean
  /** So long that a terminal leaves it out. */
  readonly isLong?: boolean
  readonly blocks: readonly Block[]
}

export type Block =
  /** One line each. */
  | { readonly kind: 'sentences'; readonly lines: readonly string[] }
  /** How a figure comes about, step by step. */
  | { readonly kind: 'arithmetic'; readonly lines: readonly string[] }
  /** What is to be doubted. */
  | { readonly kind: 'doubts'; readonly lines: readonly string[] }
  /** Where it is long, a terminal leaves it out. */
  | { readonly kind: 'list'; readonly items: readonly string[]; readonly isLong?: boolean }
  /** To be typed as they stand. */
  | { readonly kind: 'commands'; readonly commands: readonly Command[] }
  | { readonly kind: 'table'; readonly name: string; readonly table: Table }
  /** Figures large, of which sentences beside them tell the same. On a page only. */
  | { readonly kind: 'cards'; readonly cards: readonly Card[] }
  /** SVG of our own making. On a page only. */
  | { readonly kind: 'chart'; readonly name: string; readonly svg: string; readonly caption: string }

export interface Command {
  readonly name: string
  readonly command: string
  readonly notes: readonly string[]
}

export interface Card {
  readonly title: string
  readonly headline: string
  readonly figures: readonly { readonly value: string; readonly unit: string }[]
}

/** Without blocks that say nothing, and none where no block is left. */
export function section(title: string, ...blocks: readonly (Block | undefined)[]): readonly Section[] {
  const told = blocks.filter((block) => block !== undefined && !isEmpty(block)) as readonly Block[]
  return told.length === 0 ? [] : [{ title, blocks: told }]
}

/** The same without a title in a terminal. */
export const plain = (title: string, ...blocks: readonly (Block | undefined)[]): readonly Section[] =>
  section(title, ...blocks).map((each) => ({ ...each, isPlain: true }))

function isEmpty(block: Block): boolean {
  switch (block.kind) {
    case 'table':
      return block.table.rows.length === 0
    case 'list':
      return block.items.length === 0
    case 'commands':
      return block.commands.length === 0
    case 'cards':
      return block.cards.length === 0
    case 'chart':
      return block.svg === ''
    default:
      return block.lines.length === 0
  }
}

export const sentences = (...lines: readonly (string | undefined)[]): Block => ({
  kind: 'sentences',
  lines: lines.filter((line): line is string => line !== undefined && line !== ''),
})

/** One of several answers, each under its name; what others there are, a terminal leaves out. */
export const oneOf = (name: string, told: readonly Section[], others: readonly Section[]): readonly Section[] => [
  ...told.map((each, i) => ({ ...each, title: i === 0 ? name : `${each.title}: ${name}` })),
  ...others.map((each) => ({ ...each, title: `${each.title}: ${name}`, isLong: true })),
]
