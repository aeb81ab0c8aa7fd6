import { type Choice, type Evidence } from '../plan/index.ts'
/** What `choose` prints for a person: the two speeds, the law, then the choice, or advice where no objective was given. */
export declare function choiceText(evidence: Evidence, choice: Choice | undefined): string
