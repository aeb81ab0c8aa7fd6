/** Data to SVG: pure strings, no DOM. */
export { type BandPoint, type ChartPoint, type ChosenMark, type FrontierChart, frontierSvg } from './frontier.ts'
