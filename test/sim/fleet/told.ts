import type { FleetState, Observer } from '../../../src/sim/answer/observer.ts'
import type { Arrival, Source } from '../../../src/sim/arrivals/source.ts'
import type { PromptPart } from '../../../src/sim/engine/sequence.ts'

export interface Asked {
  readonly promptTokens: number
  readonly outputTokens: number
  readonly parts?: readonly PromptPart[]
  readonly ownId?: number
  /** When it comes; of a user's later requests, so long after the answer to the one before. */
  readonly afterS: number
  readonly user?: number
}

const toUs = (seconds: number): number => Math.round(seconds * 1e6)

/** Requests that come at their times, and those of users, one after the other. */
export function scriptedSource(asked: readonly Asked[]): Source {
  const due: Arrival[] = []
  const put = ({ afterS, ...rest }: Asked, atS: number): void => {
    due.push({ ...rest, atS })
    due.sort((a, b) => a.atS - b.atS)
  }
  const later = new Map<number, Asked[]>()
  for (const one of asked) {
    const row = one.user === undefined ? undefined : later.get(one.user)
    if (row !== undefined) row.push(one)
    else put(one, toUs(one.afterS) / 1e6)
    if (one.user !== undefined && row === undefined) later.set(one.user, [])
  }
  return {
    get nextS() {
      return due[0]?.atS ?? Infinity
    },
    take() {
      const arrival = due.shift()
      if (arrival === undefined) throw new RangeError('none')
      return arrival
    },
    ended({ user }, endS) {
      const next = user === undefined ? undefined : later.get(user)?.shift()
      if (next !== undefined) put(next, (Math.floor((endS + next.afterS) * 1e6) + 1) / 1e6)
    },
  }
}

/** Writes down all that a fleet tells, and where it stands at each arrival and each look. */
export function createTold(
  pools: number,
  looksS: readonly number[] = [],
  groups = 2,
): { readonly lines: string[]; readonly observer: Observer } {
  const lines: string[] = []
  const waiting = [...looksS].sort((a, b) => a - b)
  const stand = (state: FleetState, nowS?: number): string => {
    const ofPools = Array.from({ length: pools }, (_, pool) =>
      [state.running(pool), state.waiting(pool), nowS === undefined ? '' : state.kvShare(pool, nowS)].join('/'),
    )
    return `${ofPools.join(' ')} ${state.inTransfer}`
  }
  let arrivals = 0
  const observer: Observer = {
    groups,
    arrived(lane, nowS, state) {
      lines.push(`${nowS} arrives in ${lane}: ${stand(state)}`)
      return arrivals++ % groups
    },
    ended({ id, lane, arrival, group, pool }, done) {
      const { sequence, admittedS, firstTokenS, lastTokenS, times, preemptions, cachedTokens, recomputedTokens } = done
      const figures = { admittedS, firstTokenS, lastTokenS, preemptions, cachedTokens, recomputedTokens }
      lines.push(`ended ${JSON.stringify({ id, lane, arrival, group, pool, ...figures, gaps: times.gapsUs() })}`)
      if (sequence.id !== id) lines.push('another sequence')
    },
    refused: ({ id, lane, group }, nowS) => void lines.push(`${nowS} refused ${id} of ${lane} in ${group}`),
    get nextLookS() {
      return waiting[0] ?? Infinity
    },
    look(nowS, state) {
      waiting.shift()
      lines.push(`${nowS} look: ${stand(state, nowS)}`)
    },
    isDone: () => false,
    segment({ index }, { startS, firstS, growthS, from, steps, decoding, prefillTokens }) {
      const of = [startS, firstS, growthS, from, steps, decoding, prefillTokens]
      lines.push(`engine ${index} ran ${of.join(' ')}`)
    },
    preempted: ({ index }, { id }, nowS) => void lines.push(`${nowS} engine ${index} preempts ${id}`),
    resumed: ({ index }, { id }, gapS) => void lines.push(`engine ${index} resumes ${id} after ${gapS}`),
  }
  return { lines, observer }
}
