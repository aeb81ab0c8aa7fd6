/** The step-time law, given or fitted to points, and what follows from it at every load. */
export { type Curve, createCurve, type OperatingPoint } from './curve.ts'
export { type Deployment, DOUBTFUL_PCT, type Fitted, fitLaw, givenLaw } from './fit.ts'
export { frontierOf } from './frontier.ts'
export { type Law, parseLaw, type Step, stepSeconds } from './law.ts'
export { type LoadPoint, pointsOfRows, pointsOfRun } from './points.ts'
export { HIGHEST_LOAD, type SearchState, searchOf } from './search/search.ts'
export { deploymentOf, summarizeRun } from './summary.ts'
