/** A load to try. */
export interface Rung {
  readonly streams: number
  /** Of each stream. */
  readonly tokensPerSecond: number
}

/** `full`: it was borne as far as the server could write it, and more than that it cannot. */
export type Outcome = 'borne' | 'full' | 'notBorne'

export interface TriedRung extends Rung {
  readonly outcome: Outcome
}

/** Of each stream: faster than a person reads, as slow as a busy server. */
const TOKENS_PER_SECOND = 50
const STREAMS = [16, 64, 256, 512, 1024, 2048, 4096]
const MOST_STREAMS = 4096
/** So many times the streams, for the same events: what a connection costs apart from what comes on it. */
const WIDER = 2
/** So many in a row that are not borne are a limit; one may have been another program, and then the next is borne. */
const MOST_IN_A_ROW = 2

/**
 * What to try next with one number of workers; undefined: no more. No load has fewer streams or fewer events than one that was borne
 * before it, so the last that is borne is what is trusted, both at once.
 *
 *     streams                  ×    two in a row are not borne: a limit
 *                       ○   ×       and then (○) as many events as were borne, on twice the streams
 *                       ●
 *                     ●
 *                   ×               one alone: the next is borne, so it was something else
 *                 ●
 *                  events/s →
 *
 * With `asked`, the streams that a user named, there is no wider load at the end.
 */
export function nextRung(tried: readonly TriedRung[], asked?: readonly number[]): Rung | undefined {
  const streams = (asked ?? STREAMS).toSorted((a, b) => a - b)
  const next = streams[tried.length]
  if (tried.some(({ tokensPerSecond }) => tokensPerSecond !== TOKENS_PER_SECOND)) return undefined
  const isLimit = tried.length >= MOST_IN_A_ROW && tried.slice(-MOST_IN_A_ROW).every(isNotBorne)
  if (next !== undefined && !isLimit && tried.at(-1)?.outcome !== 'full') {
    return { streams: next, tokensPerSecond: TOKENS_PER_SECOND }
  }
  const most = tried.findLast((rung) => !isNotBorne(rung))
  if (asked !== undefined || most === undefined || most.streams >= MOST_STREAMS) return undefined
  const wide = Math.min(MOST_STREAMS, WIDER * most.streams)
  return { streams: wide, tokensPerSecond: (TOKENS_PER_SECOND * most.streams) / wide }
}

const isNotBorne = ({ outcome }: TriedRung): boolean => outcome === 'notBorne'

/** Is there reason to try a load once more? Not after one that was not borne: then it is there to tell whether that one is the limit. */
export const isWorthAnother = (outcome: Outcome, before: Outcome | undefined): boolean =>
  outcome !== 'borne' && before !== 'notBorne'
