import type { ChatMessage, RequestRecord } from '../../core/index.ts'
import type { BodyWriter } from './body.ts'
import type { Ask, Work } from './work.ts'

/** One user's side of a conversation. */
export interface Talk {
  readonly system?: string
  /** How often the user speaks. */
  readonly turns: number
  /** `template`: tokens that the server puts around a turn, as far as it is known. */
  say(template: number): Turn
}

/** What is said next; the lengths that it and its answer are to have, where those were asked for. */
interface Turn {
  readonly text: string
  readonly inputTokens?: number
  readonly outputTokens?: number
}

interface Course {
  readonly talk: Talk
  readonly messages: readonly ChatMessage[]
  readonly turnsLeft: number
  /** Tokens of all that was said so far, as the server counts them where it does; unknown once a part of it is. */
  readonly tokens: number | undefined
}

/** A turn under way. */
interface Asked extends Course {
  /** Where it is not the first: the template that was allowed for. */
  readonly template?: number
}

/**
 * Each user has one conversation after another. Everything said so far goes along with every turn, the server's own answers too, so that
 * prompts grow and begin like the ones before:
 *
 *     turn 1   user ────────┐
 *     turn 2   user answer user ────────┐
 *     turn 3   user answer user answer user
 *
 * A conversation whose request fails or is cancelled ends there. Users would all be at the same turn for long, so the first conversation
 * of each is cut to another length. What a server puts around an answer and a question shows in its count of the second turn, and is
 * taken off the words of those that follow.
 */
export function createConversations(nextTalk: () => Talk, bodies: BodyWriter): Work {
  const courses = new Map<number, Course>()
  const asked = new Map<number, Asked>()
  const opened = new Set<number>()
  const templates = { sum: 0, count: 0 }

  const open = (user: number): Course => {
    const talk = nextTalk()
    const turnsLeft = opened.has(user) ? talk.turns : 1 + (user % talk.turns)
    opened.add(user)
    const messages = talk.system === undefined ? [] : [{ role: 'system', content: talk.system }]
    return { talk, messages, turnsLeft, tokens: talk.system === undefined ? 0 : undefined }
  }

  return {
    next(user): Ask {
      const { talk, messages: before, turnsLeft, tokens: tokensBefore } = courses.get(user) ?? open(user)
      courses.delete(user)
      const isFirst = before.every(({ role }) => role === 'system')
      const template = templates.count === 0 ? 0 : Math.max(0, Math.round(templates.sum / templates.count))
      const { text, inputTokens, outputTokens } = talk.say(isFirst ? 0 : template)
      const messages = [...before, { role: 'user', content: text }]
      const tokens = sum(tokensBefore, inputTokens)
      asked.set(user, { talk, messages, turnsLeft: turnsLeft - 1, tokens, ...(!isFirst && { template }) })
      return {
        body: bodies.messages(messages, outputTokens),
        keepText: true,
        user,
        ...(tokens !== undefined && { askedInputTokens: tokens }),
        ...(outputTokens !== undefined && { askedOutputTokens: outputTokens }),
      }
    },
    answered(user: number, record: RequestRecord, text: string | undefined): void {
      const course = asked.get(user)
      asked.delete(user)
      if (course === undefined || record.outcome !== 'ok' || text === undefined) return
      const { talk, messages, turnsLeft, tokens, template } = course
      if (template !== undefined && tokens !== undefined && record.inputTokens !== undefined) {
        templates.sum += template + record.inputTokens - tokens
        templates.count++
      }
      if (turnsLeft === 0) return
      courses.set(user, {
        talk,
        messages: [...messages, { role: 'assistant', content: text }],
        turnsLeft,
        tokens: sum(tokens && (record.inputTokens ?? tokens), record.outputTokens),
      })
    },
  }
}

const sum = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a + b
