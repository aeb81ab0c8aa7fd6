import { type CheckedReplay, figure, type TailCheck } from '../../core/index.ts'
import { lasting } from '../plan-words.ts'

type Played = Pick<TailCheck, 'judgedBy'> & { readonly replay: CheckedReplay }

/** What was played, what the fleet of the peak made of it, and which of it and of what comes by chance is harder to hold. */
export function replaySentences({ replay, judgedBy }: Played, fleet: string): readonly string[] {
  const { rows, of, fromS, toS, requests } = replay
  const dealt =
    requests < rows ? ` (${figure(requests)} of them dealt out by chance to the part that is simulated)` : ''
  const what =
    rows === of
      ? `all ${figure(of)} requests`
      : `the ${figure(rows)} of its ${figure(of)} requests with most in flight, ${lasting(fromS)} to ${lasting(toS)} after the first`
  return [
    `The trace played as it was recorded, ${what}${dealt}, ${fleet}`,
    judgedBy === 'trace'
      ? 'Of the two the trace is the harder to hold, and decides.'
      : 'What comes by chance is no easier to hold, and decides.',
  ]
}
