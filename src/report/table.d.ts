/** A column of a plain-text table: numbers to the right, words to the left. */
export interface Column {
  /** One line each, the last is the unit or the percentile. */
  readonly head: readonly string[]
  readonly align?: 'left' | 'right'
}
/** Rows under their heads, two blanks between columns, no line longer than it must be. */
export declare function textTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string
/** The same as a Markdown table; heads are joined into one line. */
export declare function markdownTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string
