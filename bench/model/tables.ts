/** The public measurements in bench/data, as they were published; its README says where each is from. */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

/** One line of a table, its cells under the names of the header. */
export type Row = Readonly<Record<string, string>>

export const readText = (name: string): string =>
  gunzipSync(readFileSync(new URL(`../data/${name}.gz`, import.meta.url))).toString('utf8')

/** A line may end before its last cells, which are then empty. */
export function readTable(name: string): readonly Row[] {
  const [header = '', ...lines] = readText(name)
    .split(/\r?\n/)
    .filter((line) => line !== '')
  const keys = cellsOf(header)
  return lines.map((line) => {
    const cells = cellsOf(line)
    if (cells.length > keys.length) throw new Error(`${name}: ${cells.length} cells for ${keys.length}: ${line}`)
    return Object.fromEntries(keys.map((key, i) => [key.trim(), cells[i] ?? '']))
  })
}

/** A cell in quotes may hold commas; none of these tables has a quote or a line end inside one. */
const cellsOf = (line: string): readonly string[] =>
  line.includes('"')
    ? [...line.matchAll(/(?:^|,)(?:"([^"]*)"|([^,]*))/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
    : line.split(',')
