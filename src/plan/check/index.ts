/** The simulator's word on a plan. */
export { checkTail } from './check-tail.ts'
export { instancesWords } from './instances.ts'
export { type SplitInstances, unitOfConfiguration, unitOfSplit } from './unit-of-configuration.ts'
export { unitOfEvidence } from './unit-of-evidence.ts'
export { withCheck } from './with-check.ts'
