import { createRandom, drawLength, type OwnPrompt, type RequestRecord } from '../../core/index.ts'
import type { RunPlan } from '../header.ts'
import type { Client, Exchange } from '../http/client.ts'
import { type BodyWriter, createBodyWriter } from './body.ts'
import { createConversations, type Talk } from './conversations.ts'
import { askOwn } from './own-prompts.ts'
import { createPlayedTrace } from './played-trace.ts'
import type { OwnSource, SyntheticSource } from './source.ts'
import { createSpeaker } from './synthetic.ts'
import { createWordCount, type WordCount } from './word-count.ts'

/** What one request asks for. */
export interface Ask extends Pick<Exchange, 'askedInputTokens' | 'askedOutputTokens' | 'keepText' | 'user'> {
  readonly body: string
}

/** What is asked of the server, request after request. The same seed asks the same. */
export interface Work {
  /** The next request of this user; in an open loop, of this arrival, counted from 0. */
  next(user: number): Ask
  /** Where requests go on from answers: this user's request has ended. */
  answered?(user: number, record: RequestRecord, text: string | undefined): void
}

type WorkPlan = Pick<RunPlan, 'inputTokens' | 'source'> & { readonly found: Pick<RunPlan['found'], FoundKeys> }
type FoundKeys = 'dialect' | 'words' | 'prompts'

export function createWork({ found, inputTokens, source }: WorkPlan, seed: string): Work {
  const bodies = createBodyWriter(found.dialect)
  const line = createWordCount(found.prompts)
  // Of the length that was tried, the count that was found for it; of others, the line through all that were tried.
  const prompt = (tokens: number): number => (tokens === inputTokens ? found.words : line.prompt(tokens))
  const words = { prompt, part: line.part }
  switch (source.kind) {
    case 'synthetic':
      return createSynthetic({ source, words, bodies, seed })
    case 'own':
      return createOwn(source, bodies, seed)
    case 'trace':
      return createPlayedTrace({ trace: source.trace, words, bodies, seed })
  }
}

/** Sends like `send`, and lets the work hear the answers where it goes on from them. */
export function heardBy(work: Work, send: Client['send']): Client['send'] {
  if (work.answered === undefined) return send
  return (exchange, onEnd) =>
    send(exchange, (record, seen) => {
      if (exchange.user !== undefined) work.answered?.(exchange.user, record, seen.text)
      onEnd(record, seen)
    })
}

interface SyntheticTask {
  readonly source: SyntheticSource
  readonly words: WordCount
  readonly bodies: BodyWriter
  readonly seed: string
}

function createSynthetic(task: SyntheticTask): Work {
  const { bodies } = task
  const { turns } = task.source
  const speaker = createSpeaker(task)
  if (turns > 1) {
    const nextTalk = (): Talk => {
      let said = 0
      return { turns, say: (template) => (said++ === 0 ? speaker.open() : speaker.goOn(template)) }
    }
    return createConversations(nextTalk, bodies)
  }
  return {
    next() {
      const { text, inputTokens, outputTokens } = speaker.open()
      return {
        body: bodies.words(text, outputTokens),
        askedInputTokens: inputTokens,
        askedOutputTokens: outputTokens,
      }
    },
  }
}

function createOwn({ prompts, output, turns }: OwnSource, bodies: BodyWriter, seed: string): Work {
  const random = createRandom(`${seed}/lengths`)
  const length = (): number | undefined => output && drawLength(output, random)
  let taken = 0
  const take = (): OwnPrompt => prompts[taken++ % prompts.length] ?? { kind: 'text', text: '' }
  if (turns === 1) return { next: () => askOwn(take(), bodies, length()) }
  const nextTalk = (): Talk => {
    const prompt = take()
    const { says, system } = prompt.kind === 'talk' ? prompt : { says: [''], system: undefined }
    let said = 0
    return {
      ...(system !== undefined && { system }),
      turns: Math.min(turns, says.length),
      say() {
        const outputTokens = length()
        return { text: says[said++] ?? '', ...(outputTokens !== undefined && { outputTokens }) }
      },
    }
  }
  return createConversations(nextTalk, bodies)
}
