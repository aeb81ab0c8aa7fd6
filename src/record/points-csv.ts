import { type PointsRow, TwospeedError } from '../core/index.ts'

const NEEDED = ['concurrency', 'outputTokensPerSecond'] as const
const OPTIONAL = ['tokensPerSecondPerUser', 'ttftMs'] as const
type Column = (typeof NEEDED)[number] | (typeof OPTIONAL)[number]

/**
 * A points file: a header line, then one row per measured load. Columns are found by name, in any order; a byte-order mark, CRLF and
 * empty lines are fine; several rows of one load are repeats.
 *
 * Throws INVALID_POINTS with every problem of the file: a missing, unknown or double column, or a cell that is no number above 0.
 */
export function parsePointsCsv(text: string): readonly PointsRow[] {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .map((line, index) => ({ number: index + 1, cells: cellsOf(line) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''))
  const [header, ...rows] = lines
  if (header === undefined) throw invalid(['it is empty'])
  const columns = columnsOf(header.cells)
  if (rows.length === 0) throw invalid(['it has no row below the header'])

  const problems: string[] = []
  const points = rows.map(({ number, cells }): PointsRow => {
    if (cells.length !== columns.length)
      problems.push(`line ${number} has ${cells.length} cells, not ${columns.length}`)
    const read = (column: Column): number => {
      const cell = cells[columns.indexOf(column)]
      const value = numberOf(cell ?? '')
      if (value === undefined && cell !== undefined) {
        problems.push(`line ${number}, ${column}: ${JSON.stringify(cell)} is no number above 0 and at most ${MOST}`)
      }
      return value ?? Number.NaN
    }
    return {
      concurrency: read('concurrency'),
      outputTokensPerSecond: read('outputTokensPerSecond'),
      ...(columns.includes('tokensPerSecondPerUser') && { tokensPerSecondPerUser: read('tokensPerSecondPerUser') }),
      ...(columns.includes('ttftMs') && { ttftMs: read('ttftMs') }),
    }
  })
  if (problems.length > 0) throw invalid(problems)
  return points
}

/** No cell of a points file holds a comma, so quotes need no more than taking off. */
const cellsOf = (line: string): string[] =>
  line.split(',').map((cell) =>
    cell
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .trim(),
  )

function columnsOf(cells: readonly string[]): readonly Column[] {
  const known: readonly string[] = [...NEEDED, ...OPTIONAL]
  const problems = [
    ...NEEDED.filter((name) => !cells.includes(name)).map((name) => `column ${name} is missing`),
    ...cells.filter((name) => !known.includes(name)).map((name) => `unknown column ${JSON.stringify(name)}`),
    ...known
      .filter((name) => cells.filter((cell) => cell === name).length > 1)
      .map((name) => `column ${name} is double`),
  ]
  if (problems.length > 0) throw invalid(problems)
  return cells as readonly Column[]
}

/** Beyond these no server is; their products and quotients would leave what a number can hold. */
const LEAST = 1e-9
const MOST = 1e12

/** Plain decimal notation only: `Number` alone would take an empty cell for 0, and `0x10` and `Infinity` for numbers. */
function numberOf(cell: string): number | undefined {
  const value = /^\+?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(cell) ? Number(cell) : Number.NaN
  return value >= LEAST && value <= MOST ? value : undefined
}

const SHOWN = 10

function invalid(problems: readonly string[]): TwospeedError {
  const more = problems.length > SHOWN ? `; and ${problems.length - SHOWN} more` : ''
  return new TwospeedError(
    'INVALID_POINTS',
    `The points file: ${problems.slice(0, SHOWN).join('; ')}${more}.`,
    `It takes the columns ${NEEDED.join(', ')} and, where known, ${OPTIONAL.join(', ')}.`,
  )
}
