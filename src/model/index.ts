/** The step-time law, given or fitted to points, and what follows from it at every load. */
export type { Accelerator } from './catalogue/accelerator.ts'
export { ACCELERATORS, type Catalogue, MODELS } from './catalogue/catalogue.ts'
export { modelOfConfig } from './catalogue/config/config.ts'
export { findAccelerator, findModel } from './catalogue/find.ts'
export type { ModelShape } from './catalogue/model-shape.ts'
export { parseCatalogue } from './catalogue/own.ts'
export { parametersOf } from './catalogue/parameters.ts'
export { contradictionsIn, excessesIn } from './contradictions.ts'
export { type Curve, createCurve, type OperatingPoint, repeating } from './curve.ts'
export type { Deployment } from './fit/deployment.ts'
export { DOUBTFUL_PCT } from './fit/errors.ts'
export { type Fitted, fitLaw } from './fit/fit.ts'
export { givenLaw } from './fit/given.ts'
export { fitPoints } from './fit-points.ts'
export { frontierOf } from './frontier.ts'
export { type Law, parseLaw, type Step, stepSeconds, touchedShare } from './law.ts'
export { type FittedServer, serverOfFit } from './loads.ts'
export { type LoadPoint, pointsOfRows, pointsOfRun } from './points.ts'
export { fewestPools, leastPools } from './pools/fewest-pools.ts'
export { layoutsOf } from './pools/layouts.ts'
export { defaultLink, parseLink, transferSeconds } from './pools/link.ts'
export { PREFILL_SHARE, readingCapacity } from './pools/prompt-reading.ts'
export { layoutName, nameOfPools, type Pool, parallelismOf, parsePool } from './pools/split.ts'
export { type MixEnd, type MixedLoad, mostBeside } from './pools/split-mix.ts'
export type { SplitRequest } from './pools/split-pools.ts'
export { type SplitMeasurement, splitSamples } from './pools/split-samples.ts'
export { type SplitLoad, type SplitWay, splitHolds, splitLoadAt } from './pools/split-way.ts'
export { type PredictedCurve, predictedCurve, predictedSplitCurve } from './prediction/curve.ts'
export { matchedGroups } from './prediction/matched-groups.ts'
export { type PredictionOptions, predict } from './prediction/predict.ts'
export { predictSearch, type SearchOptions } from './prediction/search.ts'
export { predictSplit, type SplitOptions } from './prediction/split.ts'
export { type SplitFleet, type SplitFleetsRequest, splitFleets } from './prediction/split-fleets.ts'
export { splitWayOfLengths } from './prediction/split-lengths.ts'
export { type ToldCurve, toldCurves } from './prediction/told-curve.ts'
export type { CalibrationSample } from './roofline/calibrate.ts'
export { confidenceOfSpecifications } from './roofline/confidence.ts'
export {
  type Configuration,
  type ConfigurationOptions,
  createConfiguration,
  createStepModel,
  type Lengths,
  memoryOf,
  type Parallelism,
  type StepModel,
  type StepWork,
} from './roofline/index.ts'
export { HIGHEST_LOAD, type SearchState, searchOf } from './search/search.ts'
export { trialsOf } from './search/trial.ts'
export { deploymentOf, runOf, summarizeRun } from './summary.ts'
