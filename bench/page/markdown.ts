/** How figures stand on the page. */
import type { Machine } from '../machine.ts'
import { median } from '../marks.ts'
import type { Mark } from '../results.ts'

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, i) => (i === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n')
}

/** The median of the repeats, and their span where they differ; a figure that no repeat has is a dash. */
export function spread(values: readonly number[], digits: number): string {
  const known = values.filter(Number.isFinite)
  if (known.length === 0) return '–'
  const [middle, low, high] = [median(known), Math.min(...known), Math.max(...known)].map((v) => v.toFixed(digits))
  return low === high ? `${middle}` : `${middle} (${low}–${high})`
}

export const marksTable = (marks: readonly Mark[]): string =>
  table(
    ['mark', 'measured', 'limit', ''],
    marks.map(({ name, value, limit, pass }) => [name, value, limit, pass ? 'held' : '**missed**']),
  )

export function whereAndWhen(machine: Machine, takenAt: string): string {
  const { cpu, cores, memoryGB, kernel, virtual, node, undici, twospeed, compiler } = machine
  const kind = virtual ? ', a virtual machine' : ''
  return (
    `Taken on ${takenAt.slice(0, 10)}: ${cpu}, ${cores} cores, ${memoryGB} GB${kind}, Linux ${kernel}; twospeed ${twospeed}, Node ${node}, ` +
    `undici ${undici}, ${compiler}.`
  )
}
