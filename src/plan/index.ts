/** Choosing where on the frontier a product should run. */
export { DOUBTFUL_PCT } from '../model/index.ts'
export { type Advice, adviceOf, adviceOn, sentences } from './advice.ts'
export type { Candidate, MeanLengths } from './candidate.ts'
export { layoutCandidate, layoutCandidates } from './candidates/layout-candidate.ts'
export { type KnownServer, measuredCandidate } from './candidates/measured-candidate.ts'
export { splitCandidate } from './candidates/split-candidate.ts'
export type { Choice, ChosenPoint } from './choice.ts'
export { choose } from './choose.ts'
export { chooseAmong } from './choosing/choose-among.ts'
export { chooseForProducts, type ProductsOptions } from './choosing/choose-for-products.ts'
export type { ChoosingOptions } from './choosing/tried.ts'
export { type DaySource, demandOfDay } from './day/index.ts'
export type { Demand } from './demand.ts'
export {
  type Evidence,
  type EvidenceOptions,
  evidenceOfPoints,
  evidenceOfPrediction,
  evidenceOfRows,
  evidenceOfRun,
} from './evidence.ts'
export type { AskedProduct, FleetOptions, SplitSource } from './fleets/asked.ts'
export { planFleet } from './fleets/plan-fleet.ts'
export { planProducts } from './fleets/plan-products.ts'
export { splitCandidates } from './fleets/split-candidates.ts'
export { type PlanOptions, plan } from './plan.ts'
export { lasting } from './plan-words.ts'
export { money, moneyBeside } from './planned-server.ts'
export { PRODUCTS, type Product } from './product.ts'
