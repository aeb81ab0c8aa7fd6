import type { Candidate, MeanLengths } from '../candidate.ts'
import { unitOfEvidence } from '../check/index.ts'
import type { Evidence } from '../evidence.ts'
import { withOtherLengths } from './other-lengths.ts'

/** What is known of a server beside its figures. */
export type KnownServer = Pick<Candidate, 'name' | 'kind' | 'gpu' | 'powerW' | 'pricePerHour' | 'engine'>

/** A server that was measured, or of which a law is known. Where the evidence is of a share of its requests, `typical` is that of the typical one. */
export function measuredCandidate(evidence: Evidence, known: KnownServer, typical: Evidence = evidence): Candidate {
  return {
    ...known,
    evidenceFor: (lengths?: MeanLengths) => withOtherLengths(evidence, lengths),
    unitFor: (lengths) => unitOfEvidence(typical, lengths),
  }
}
