import { textTable } from '../table.ts'
import type { Block, Document, Section } from './document.ts'

/** For a terminal: sections with a line between them. */
export function documentText({ sections }: Document): string {
  return sections.flatMap(sectionText).join('\n\n')
}

function sectionText({ title, isPlain, blocks }: Section): readonly string[] {
  const lines = blocks.flatMap(blockLines)
  if (lines.length === 0) return []
  return [[...(isPlain === true ? [] : [title]), ...lines].join('\n')]
}

function blockLines(block: Block): readonly string[] {
  switch (block.kind) {
    case 'sentences':
    case 'doubts':
      return block.lines
    case 'arithmetic':
      return block.lines.map((line) => `  ${line}`)
    case 'list':
      return block.items.map((item) => `- ${item}`)
    case 'commands':
      return block.commands.map(({ name, command, notes }) => `- ${name}: ${[command, ...notes].join('   ')}`)
    case 'table':
      return [textTable(block.table.columns, block.table.rows)]
    case 'cards':
    case 'chart':
      return []
  }
}
