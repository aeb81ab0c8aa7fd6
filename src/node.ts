/** What runs: the load generator, the reference server and its engines, run folders, the report of a run. */
export { type MeasureOptions, measure, type Progress } from './load/index.ts'
export {
  parsePointsCsv,
  parseSweepsCsv,
  type Sweep,
  type SweepRow,
  type SweepSetup,
  sweepName,
} from './record/index.ts'
export {
  adviceDocument,
  choiceDocument,
  type Document,
  documentMarkdown,
  documentPage,
  documentText,
  type FitReport,
  fitMarkdown,
  fitText,
  fleetDocument,
  htmlReport,
  markdownReport,
  planDocument,
  pointsTable,
  productsDocument,
  textReport,
} from './report/index.ts'
export {
  createLlamaEngine,
  createSimulatedEngine,
  type Engine,
  type LlamaOptions,
  type RandomModel,
  type RunningServer,
  randomModelFile,
  type ServerOptions,
  type SimulatedOptions,
  startServer,
  type TruthRecord,
} from './serve/index.ts'
export { createRunFolder, type RunWriter, readRecords, readRunHeader } from './store/index.ts'
