/** Load on a real server: one call from a URL to a run folder with its figures. */
export { measure } from './measure.ts'
export type { MeasureOptions, Progress } from './options.ts'
