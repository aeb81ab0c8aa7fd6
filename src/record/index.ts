/** Files of a run, from text to checked values. */
export { parsePointsCsv } from './points-csv.ts'
export { parseRecord } from './request-line.ts'
export { parseRunHeader } from './run-header.ts'
