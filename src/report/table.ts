/** A column of a plain-text table: numbers to the right, words to the left. */
export interface Column {
  /** One line each, the last is the unit or the percentile. */
  readonly head: readonly string[]
  readonly align?: 'left' | 'right'
}

/** Rows under their heads, two blanks between columns, no line longer than it must be. */
export function textTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const heads = Math.max(...columns.map((column) => column.head.length))
  const headRows = Array.from({ length: heads }, (_, line) =>
    columns.map(({ head }) => head[line - (heads - head.length)] ?? ''),
  )
  const all = [...headRows, ...rows]
  const widths = columns.map((_, i) => all.reduce((most, row) => Math.max(most, width(row[i] ?? '')), 0))
  return all
    .map((row) =>
      columns
        .map(({ align = 'right' }, i) => pad(row[i] ?? '', widths[i] ?? 0, align))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Code points, so that λ and — count one each. */
const width = (text: string): number => [...text].length

function pad(text: string, to: number, align: 'left' | 'right'): string {
  const fill = ' '.repeat(Math.max(0, to - width(text)))
  return align === 'left' ? text + fill : fill + text
}

/** The same as a Markdown table; heads are joined into one line. */
export function markdownTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replace(/(?<!\\)\|/g, '\\|')).join(' | ')} |`
  return [
    line(columns.map(({ head }) => head.filter((part) => part !== '').join(' '))),
    line(columns.map(({ align = 'right' }) => (align === 'left' ? ':---' : '---:'))),
    ...rows.map(line),
  ].join('\n')
}

/** Text from outside, such as a model's name, cannot become markup. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>#|~]/g, '\\$&').replace(/[\r\n]+/g, ' ')
}
