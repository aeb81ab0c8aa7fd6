import { escapeMarkdown, markdownTable } from '../table.ts'
import type { Block, Command, Document, Section } from './document.ts'

/** For a README or a review. Text from outside is escaped, so that a name cannot make a link. */
export function documentMarkdown({ title, sections }: Document): string {
  return `${[`# ${escapeMarkdown(title)}`, ...sections.flatMap(sectionMarkdown)].join('\n\n')}\n`
}

function sectionMarkdown({ title, blocks }: Section): readonly string[] {
  const told = blocks.map(blockMarkdown).filter((part) => part !== '')
  return told.length === 0 ? [] : [`## ${escapeMarkdown(title)}`, ...told]
}

const items = (lines: readonly string[]): string => lines.map((line) => `- ${escapeMarkdown(line)}`).join('\n')

function blockMarkdown(block: Block): string {
  switch (block.kind) {
    case 'sentences':
      return block.lines.map(escapeMarkdown).join('\n\n')
    case 'arithmetic':
    case 'doubts':
      return items(block.lines)
    case 'list':
      return items(block.items)
    case 'commands':
      return block.commands.map(commandItem).join('\n')
    case 'table': {
      const { columns, rows } = block.table
      const escaped = columns.map((column) => ({ ...column, head: column.head.map(escapeMarkdown) }))
      return markdownTable(
        escaped,
        rows.map((row) => row.map(escapeMarkdown)),
      )
    }
    case 'cards':
    case 'chart':
      return ''
  }
}

function commandItem({ name, command, notes }: Command): string {
  const told = notes.map((note) => ` ${escapeMarkdown(note)}`).join('')
  return `- ${escapeMarkdown(name)}: \`${command.replaceAll('`', "'")}\`${told === '' ? '' : `.${told}`}`
}
