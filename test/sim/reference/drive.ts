import type { EnginePolicy } from '../../../src/sim/engine/policy.ts'
import type { Sequence } from '../../../src/sim/engine/sequence.ts'
import type { StepTime } from '../../../src/sim/step/step-time.ts'
import type { createReferenceEngine } from './engine.ts'

/** What an engine is given. Ids are made in order of arrival. */
export interface Script {
  readonly policy: EnginePolicy
  readonly stepTime: StepTime
  readonly groups: number
  readonly requests: readonly ScriptedRequest[]
  /** Instants at which its state is noted. */
  readonly looksS: readonly number[]
  /** When it is stopped; absent: it may end all that it has. */
  readonly stopS?: number
}

export interface ScriptedRequest extends Omit<Sequence, 'id' | 'lane'> {
  /** When it comes, or so long after the answer to the one before it of the same user. */
  readonly afterS: number
  readonly user?: number
}

/** All that an engine tells, step by step. */
export interface Told {
  /** [end, decoding, of those by group …, prompt tokens, of those read before]. */
  readonly steps: number[][]
  /** [id, admitted, first token, last token, preemptions, cached, read again, gaps in µs …], in the order in which it was told. */
  readonly finished: number[][]
  /** [instant, id], in the order in which it was told. */
  readonly preempted: number[][]
  /** [id, gap in s]. */
  readonly resumed: number[][]
  /** [instant, running, waiting, blocks held, cached tokens of each request's prompt …]. */
  readonly looks: number[][]
  readonly neverHeld: number[]
  /** Of those that have not ended when it is stopped: [id, tokens, first token, gaps in µs …]. */
  readonly left: number[][]
}

/** Lets an engine live through a script: at one instant looks, then what comes, then the engine. */
export function drive(make: typeof createReferenceEngine, script: Script): Told {
  const told: Told = { steps: [], finished: [], preempted: [], resumed: [], looks: [], neverHeld: [], left: [] }
  const { requests, policy, stepTime, groups } = script
  const coming = requests.filter(({ user }) => user === undefined)
  const users = new Map<number, ScriptedRequest[]>()
  for (const request of requests) {
    const { user } = request
    if (user !== undefined) users.set(user, [...(users.get(user) ?? []), request])
  }
  const due: { readonly atS: number; readonly request: ScriptedRequest }[] = []
  const put = (request: ScriptedRequest | undefined, atS: number): void => {
    if (request === undefined) return
    const place = due.findIndex((other) => other.atS > atS)
    due.splice(place < 0 ? due.length : place, 0, { atS, request })
  }
  const userOf = new Map<number, number>()
  /** The user's next request: at the first whole microsecond after the answer, or later. */
  const askAgain = (user: number | undefined, endS: number): void => {
    if (user === undefined) return
    const next = users.get(user)?.shift()
    put(next, (Math.floor((endS + (next?.afterS ?? 0)) * 1e6) + 1) / 1e6)
  }

  const engine = make({
    index: 0,
    policy,
    stepTime,
    groups,
    listener: {
      segment(_, piece) {
        const { startS, firstS, growthS, from, steps, prefillTokens, recomputedTokens } = piece
        for (let j = from + 1; j <= from + steps; j++) {
          const endS = startS + j * firstS + (growthS * j * (j - 1)) / 2
          told.steps.push([endS, piece.decoding, ...piece.decodingByGroup, prefillTokens, recomputedTokens])
        }
      },
      finished(_, { sequence, admittedS, firstTokenS, lastTokenS, times, preemptions, ...counts }) {
        const { cachedTokens, recomputedTokens } = counts
        told.finished.push([
          sequence.id,
          admittedS,
          firstTokenS,
          lastTokenS,
          preemptions,
          cachedTokens,
          recomputedTokens,
          ...times.gapsUs(),
        ])
        askAgain(userOf.get(sequence.id), lastTokenS)
      },
      preempted: (_, sequence, nowS) => void told.preempted.push([nowS, sequence.id]),
      resumed: (_, sequence, gapS) => void told.resumed.push([sequence.id, gapS]),
    },
  })

  let ids = 0
  const take = ({ afterS, user, ...request }: ScriptedRequest, atS: number): void => {
    const sequence: Sequence = { ...request, id: ids++, lane: 0 }
    if (user !== undefined) userOf.set(sequence.id, user)
    if (engine.holds(sequence)) engine.submit(sequence, atS)
    else {
      told.neverHeld.push(sequence.id)
      askAgain(user, atS)
    }
  }
  const look = (atS: number): void => {
    const cached = requests.map((request) => engine.cachedTokens({ ...request, id: -1, lane: 0 }, atS))
    const { running, waiting } = engine
    told.looks.push([atS, running, waiting, engine.blocksHeld(atS), ...cached])
  }

  for (const request of coming) put(request, request.afterS)
  for (const list of users.values()) put(list.shift(), 0)
  const looksS = [...script.looksS].sort((a, b) => a - b)
  for (;;) {
    const nextS = Math.min(engine.nextS, due[0]?.atS ?? Number.POSITIVE_INFINITY)
    if (nextS >= (script.stopS ?? Number.POSITIVE_INFINITY)) {
      if (script.stopS !== undefined) {
        engine.stop(script.stopS, ({ sequence, outputTokens, firstTokenS, times }) => {
          told.left.push([sequence.id, outputTokens, firstTokenS, ...times.gapsUs()])
        })
      }
      return told
    }
    if ((looksS[0] ?? Number.POSITIVE_INFINITY) <= nextS) look(looksS.shift()!)
    else if (due[0] !== undefined && due[0].atS <= nextS) {
      const { atS, request } = due.shift()!
      take(request, atS)
    } else engine.advance()
  }
}
