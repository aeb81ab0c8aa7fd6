/** Choosing where on the frontier a product should run. */
export { DOUBTFUL_PCT } from '../model/index.ts'
export { type Advice, adviceOf, adviceOn, sentences } from './advice.ts'
export type { Choice, ChosenPoint } from './choice.ts'
export { choose } from './choose.ts'
export type { Demand } from './demand.ts'
export { type Evidence, type EvidenceOptions, evidenceOfPoints, evidenceOfRows, evidenceOfRun } from './evidence.ts'
export { type PlanOptions, plan } from './plan.ts'
export { PRODUCTS, type Product } from './product.ts'
