/** Data to SVG: pure strings, no DOM. */
export { type DayChart, daySvg } from './day.ts'
export { frontierSvg } from './frontier.ts'
export type { BandPoint, ChartPoint, ChosenMark, FrontierChart, LawLine } from './frontier-data.ts'
export { type OverTimeChart, type OverTimePoint, overTimeSvg } from './over-time.ts'
