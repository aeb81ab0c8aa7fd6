import { type PointsRow, TwospeedError } from '../core/index.ts'
import { amountIn, noAmount, parseCsv, told } from './csv.ts'

const NEEDED = ['concurrency', 'outputTokensPerSecond'] as const
const OPTIONAL = ['tokensPerSecondPerUser', 'ttftMs'] as const
type Column = (typeof NEEDED)[number] | (typeof OPTIONAL)[number]

/**
 * A points file: a header line, then one row per measured load. Columns are found by name, in any order; a byte-order mark, CRLF and
 * empty lines are fine; several rows of one load are repeats. An empty cell of a column that need not be there is a figure that is not known.
 *
 * Throws INVALID_POINTS with every problem of the file: a missing, unknown or double column, or a cell that is no number above 0.
 */
export function parsePointsCsv(text: string): readonly PointsRow[] {
  const table = parseCsv(text)
  if (table === undefined) throw invalid(['it is empty'])
  const columns = columnsOf(table.header)
  if (table.rows.length === 0) throw invalid(['it has no row below the header'])

  const problems: string[] = []
  const points = table.rows.map(({ line, cells }): PointsRow => {
    if (cells.length !== columns.length) problems.push(`line ${line} has ${cells.length} cells, not ${columns.length}`)
    const read = (column: Column): number => {
      const cell = cells[columns.indexOf(column)]
      const value = amountIn(cell ?? '')
      if (value === undefined && cell !== undefined) problems.push(`line ${line}, ${column}: ${noAmount(cell)}`)
      return value ?? Number.NaN
    }
    const isKnown = (column: Column): boolean => (cells[columns.indexOf(column)] ?? '') !== ''
    return {
      concurrency: read('concurrency'),
      outputTokensPerSecond: read('outputTokensPerSecond'),
      ...(isKnown('tokensPerSecondPerUser') && { tokensPerSecondPerUser: read('tokensPerSecondPerUser') }),
      ...(isKnown('ttftMs') && { ttftMs: read('ttftMs') }),
    }
  })
  if (problems.length > 0) throw invalid(problems)
  return points
}

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

function invalid(problems: readonly string[]): TwospeedError {
  return new TwospeedError(
    'INVALID_POINTS',
    `The points file: ${told(problems)}`,
    `It takes the columns ${NEEDED.join(', ')} and, where known, ${OPTIONAL.join(', ')}.`,
  )
}
