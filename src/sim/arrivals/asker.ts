import type { PromptPart } from '../engine/sequence.ts'
import type { Arrival } from './source.ts'
import { createWork, type WorkPlan } from './work.ts'

/** What the users of one lane ask, each of whom may be in the middle of a conversation. */
export interface Asker {
  /** What a user says next, `atS`. */
  ask(user: number, atS: number): Arrival
  /** True: the user's conversation goes on. */
  goesOn(arrival: Arrival, endS: number): boolean
}

/** A conversation between two turns. */
interface Course {
  readonly turnsLeft: number
  /** Of all that was said. */
  readonly tokens: number
  /** All that was said, each stretch under the id of the request that brought it. */
  readonly parts: readonly PromptPart[]
}

export interface AskerPlan {
  readonly work: WorkPlan
  readonly seed: number | string
  readonly nextId: () => number
  /** How many turns a user's first conversation has; the others have all of them. */
  readonly firstTurns: (user: number, turns: number) => number
}

/**
 * Everything said so far goes along with every turn, so that prompts grow and begin like the ones before:
 *
 *     turn 1   user ────────┐                              parts  ()
 *     turn 2   user answer user ────────┐                  parts  (turn 1)
 *     turn 3   user answer user answer user                parts  (turn 1, turn 2)
 */
export function createAsker({ work, seed, nextId, firstTurns }: AskerPlan): Asker {
  const { turns = 1 } = work
  const said = createWork(work, seed, nextId)
  const courses = new Map<number, Course>()
  const opened = new Set<number>()

  const begin = (user: number): Course => {
    const turnsLeft = opened.has(user) ? turns : firstTurns(user, turns)
    opened.add(user)
    return { turnsLeft, tokens: 0, parts: [] }
  }
  if (turns === 1) {
    return {
      ask: (user, atS) => {
        const { inputTokens, outputTokens, prefix } = said.open()
        // There is one of each request, and to spread a part into it takes longer than all the rest.
        if (prefix === undefined) return { atS, promptTokens: inputTokens, outputTokens, user }
        return { atS, promptTokens: inputTokens, outputTokens, user, parts: [prefix] }
      },
      goesOn: () => false,
    }
  }
  return {
    ask: (user, atS) => {
      const course = courses.get(user) ?? begin(user)
      const { inputTokens, outputTokens, prefix } = course.tokens === 0 ? said.open() : said.goOn()
      const parts = prefix === undefined ? course.parts : [...course.parts, prefix]
      const promptTokens = course.tokens + inputTokens
      const isLast = course.turnsLeft === 1
      const ownId = isLast ? undefined : nextId()
      if (ownId === undefined) {
        courses.delete(user)
      } else {
        const own = inputTokens - (prefix?.tokens ?? 0) + outputTokens
        courses.set(user, {
          turnsLeft: course.turnsLeft - 1,
          tokens: promptTokens + outputTokens,
          parts: [...parts, { id: ownId, tokens: own }],
        })
      }
      return {
        atS,
        promptTokens,
        outputTokens,
        user,
        ...(parts.length > 0 && { parts }),
        ...(ownId !== undefined && { ownId }),
      }
    },
    goesOn: ({ user = 0, atS }, endS) => {
      // An answer takes time: what ended at once was refused, and a conversation ends where a request fails.
      if (endS <= atS) courses.delete(user)
      return courses.has(user)
    },
  }
}
