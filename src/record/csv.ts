/** A CSV of plain cells: a header line, then rows, each with its line in the file. */
export interface CsvTable {
  readonly header: readonly string[]
  readonly rows: readonly { readonly line: number; readonly cells: readonly string[] }[]
}

/** A byte-order mark, CRLF and empty lines are fine. Undefined where there is not even a header. */
export function parseCsv(text: string): CsvTable | undefined {
  const [header, ...rows] = text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .map((line, index) => ({ line: index + 1, cells: cellsOf(line) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''))
  return header === undefined ? undefined : { header: header.cells, rows }
}

/** No cell that is read here holds a comma, so quotes need no more than taking off. */
const cellsOf = (line: string): string[] =>
  line.split(',').map((cell) =>
    cell
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .trim(),
  )

/** Beyond these no server is; their products and quotients would leave what a number can hold. */
const LEAST = 1e-9
const MOST = 1e12

/** Plain decimal notation only: `Number` alone would take an empty cell for 0, and `0x10` and `Infinity` for numbers. */
export function amountIn(cell: string): number | undefined {
  const value = /^\+?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(cell) ? Number(cell) : Number.NaN
  return value >= LEAST && value <= MOST ? value : undefined
}

/** What is wrong with a cell that `amountIn` does not take. */
export const noAmount = (cell: string): string => `${JSON.stringify(cell)} is no number above 0 and at most ${MOST}`

const SHOWN = 10

/** Problems in one sentence, the rest of many counted. */
export function told(problems: readonly string[]): string {
  const more = problems.length > SHOWN ? `; and ${problems.length - SHOWN} more` : ''
  return `${problems.slice(0, SHOWN).join('; ')}${more}.`
}
