/** Run folders on disk: write one while it happens, read one back whatever happened. */
export { readRecords, readRunHeader } from './run-reader.ts'
export { createRunFolder, type RunWriter } from './run-writer.ts'
