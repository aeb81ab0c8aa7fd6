/** A run, or a choice made from one, for a person to read. */
export { choiceText } from './choice-text.ts'
export { htmlReport } from './html.ts'
export { lawLines } from './law-lines.ts'
export { markdownReport } from './markdown.ts'
export { pointsTable } from './points-table.ts'
export { textTable } from './table.ts'
export { textReport } from './text.ts'
