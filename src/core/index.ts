/** The vocabulary: every other folder speaks in these words. */
export { type Amount, checkAmounts, isWithin, RANGES } from './amounts.ts'
export { type ArrivalPlan, type ArrivalProcess, arrivalsOf, exponential } from './arrivals.ts'
export type {
  Against,
  Alternative,
  Binding,
  Choice,
  ChoiceTable,
  ChosenPoint,
  EngineSettings,
  LimitCause,
  PaceConfidence,
  PoolAdvice,
  PriceOfPace,
  Product,
  ProductChoice,
  Search,
  ServerEngine,
  ServerSettings,
} from './choice.ts'
export type { CacheEffect, CacheWay, Day, DayFleet, Trough, TroughWay } from './day.ts'
export { createDriftWatch, type DriftWatch } from './drift-watch.ts'
export type { PlanEnergy } from './energy.ts'
export { ERRORS, type ErrorCode, TwospeedError } from './errors.ts'
export { counted, figure, percent } from './figure.ts'
export type { FitAnswer, FittedPoint, MeasuredLoad, UnknownLoad } from './fit-answer.ts'
export { portion } from './goodput.ts'
export { greatestWhole } from './greatest-whole.ts'
export { createGrowth, type Growth } from './growth.ts'
export { hardwareOf, type PoolHardware } from './hardware.ts'
export { drawLength, type LengthPair, type Lengths, MOST_TOKENS, meanLength, parseLengths } from './lengths.ts'
export { loadName } from './load.ts'
export { objectivesName } from './objectives-name.ts'
export type { ChatMessage, OwnPrompt } from './own-prompt.ts'
export type {
  BatchFill,
  BreaksFirst,
  Cost,
  FleetPlan,
  FleetSize,
  KvNeed,
  Peak,
  Plan,
  PlanAlternative,
  PlanBinding,
  PlannedPool,
  ProductWork,
  ReplicaLoad,
  SharedPlan,
} from './plan.ts'
export type { CheckedFleet, CheckedReplay, DrainCheck, PlanCheck, PoolInstances, TailCheck } from './plan-check.ts'
export { type CountedMetrics, createCountedMetrics, createPointMetrics, type PointMetrics } from './point-metrics.ts'
export type { PointsRow } from './points.ts'
export type {
  Confidence,
  PredictedBinding,
  PredictedLoad,
  PredictedPart,
  PredictedPoolStep,
  PredictedSearch,
  Prediction,
  PredictionPools,
} from './prediction.ts'
export { printable } from './printable.ts'
export { createRandom, type Random } from './random.ts'
export {
  ERROR_KINDS,
  type ErrorKind,
  type Outcome,
  type RequestFault,
  type RequestRecord,
  type TokenSource,
} from './record.ts'
export { repeatsOf } from './repeats.ts'
export {
  type Fit,
  type FrontierPoint,
  type Generator,
  type GeneratorLoad,
  type Hardware,
  type Interval,
  type LatencySummary,
  type LawName,
  type LittlesLaw,
  type Load,
  type Objectives,
  type Point,
  type PointHeader,
  RUN_SCHEMA,
  type Run,
  type RunHeader,
  type SpeedSummary,
  type Target,
  type Trend,
  type Window,
} from './run.ts'
export type { SimulatedInstant, SimulatedLane, SimulatedLink, SimulatedPoint, SimulatedPool } from './simulation.ts'
export { mean, percentile } from './statistics.ts'
export { streamOf, type TokenTimes, tokensInside } from './stream.ts'
export { t95, withinT } from './student.ts'
export type { Trace, TraceRow } from './trace.ts'
export { parseDuration } from './units.ts'
export type { Difference, WhatIf } from './what-if.ts'
