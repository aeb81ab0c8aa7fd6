/** Files of a run, from text to checked values. */
export { parseLengthPairs } from './length-pairs.ts'
export { parsePointsCsv } from './points-csv.ts'
export { parsePrompts } from './prompts.ts'
export { parseRecord } from './request-line.ts'
export { parseRunHeader } from './run-header.ts'
export { parseTrace } from './trace.ts'
