/** Files of a run, from text to checked values. */
export { parseLengthPairs } from './length-pairs.ts'
export { parsePointsCsv } from './points-csv.ts'
export { parsePrompts } from './prompts.ts'
export { parseRecord } from './request-line.ts'
export { parseRunHeader } from './run-header.ts'
export { sweepName } from './sweep-name.ts'
export { isSweepsCsv, parseSweepsCsv, type Sweep, type SweepRow, type SweepSetup } from './sweeps-csv.ts'
export { parseTrace } from './trace.ts'
