import { textTable } from '../table.ts'
import type { Block, Command, Document, Section } from './document.ts'

/** For a terminal: sections with a line between them. */
export function documentText({ sections }: Document): string {
  return sections
    .filter(({ isLong }) => isLong !== true)
    .flatMap(sectionText)
    .join('\n\n')
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
      return block.isLong === true ? [] : block.items.map((item) => `- ${item}`)
    case 'commands':
      return commandLines(block.commands)
    case 'table':
      return [textTable(block.table.columns, block.table.rows)]
    case 'cards':
    case 'chart':
      return []
  }
}

/** Under each other, and as a shell takes them: what stands beside a command is a comment there. */
function commandLines(commands: readonly Command[]): readonly string[] {
  const width = Math.max(...commands.map(({ name }) => [...name].length))
  return commands.map(({ name, command, notes }) => {
    const note = notes.length === 0 ? '' : `  # ${notes.join(' ')}`
    return `  ${name}${' '.repeat(width - [...name].length)}  ${command}${note}`
  })
}
