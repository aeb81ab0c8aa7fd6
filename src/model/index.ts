/** The step-time law, fitted from points or given, and what follows from it. */
export { type Law, parseLaw, type Step, stepSeconds } from './law.ts'
export { summarizeRun } from './summary.ts'
