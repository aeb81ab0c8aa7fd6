/** Choosing where on the frontier a product should run. */
export { type Advice, adviceOf, adviceOn, DOUBTFUL_PCT, sentences } from './advice.ts'
export type { Choice, ChosenPoint } from './choice.ts'
export { choose } from './choose.ts'
export { type Evidence, type EvidenceOptions, evidenceOfRows, evidenceOfRun } from './evidence.ts'
export { PRODUCTS, type Product } from './product.ts'
