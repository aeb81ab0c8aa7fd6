import type { RequestRecord } from '../../core/index.ts'
import type { CountTokens } from '../counting/tokenizer.ts'
import type { Prompts } from '../work/prompts.ts'
import { bodyOf, type Dialect, plainDialect } from './dialect.ts'
import { createNegotiation } from './negotiation.ts'
import type { Probed } from './probe.ts'
import { type CountedPrompt, isLength, wordsFor } from './prompt-length.ts'
import type { Endpoint } from './target.ts'

/** The first request is small, so that a refusal costs little; its count shows the template around the words. */
const FIRST_WORDS = 16
const FIRST_OUTPUT = 16

/** Beyond so many times the length asked for, an answer is not waited for: a server that ignores the limit may go on for an hour. */
const MOST_TIMES = 4

export interface PreflightTask {
  readonly endpoint: Endpoint
  readonly model: string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly extraBody?: Dialect['extraBody']
  readonly prompts: Prompts
  /** The target's name in errors. */
  readonly shown: string
  /** Sends one unmeasured request, and cuts its answer off after so many events that bear a token. */
  readonly send: (body: string, mostEvents: number) => Promise<Probed>
  /** For prompts whose tokens the server does not count. */
  readonly countTokens?: CountTokens | undefined
  /** Runs an attempt again while its failure may pass. */
  readonly patiently: <T>(attempt: () => Promise<T>) => Promise<T>
}

export interface Preflight {
  readonly dialect: Dialect
  /** Words of each measured prompt. */
  readonly words: number
  /** Every prompt whose tokens are known: from them, words for any other length. */
  readonly prompts: readonly CountedPrompt[]
  readonly requests: number
  /** Of the last request, sent as the measured ones will be. */
  readonly counted: {
    /** Absent: nobody counts them. Counted by a tokenizer, they lack the template around the prompt. */
    readonly inputTokens?: number
    readonly inputSource?: 'usage' | 'tokenizer'
    readonly outputTokens: number
    readonly tokenSource: RequestRecord['tokenSource']
  }
  /** A lone request's whole time: over about so long the first users start. */
  readonly timeInSystemS: number
}

const isShort = (record: RequestRecord, asked: number): boolean => record.outputTokens < 0.98 * asked

/**
 * Two unmeasured requests, a third where lengths need a correction, and one more for each field that the server refuses and for a limit
 * that it does not heed: finds what it takes and how many words make the length asked for.
 *
 * @throws TwospeedError as `Negotiation.stands` says, when the target does not answer such requests with a stream that ends.
 */
export async function preflight(task: PreflightTask): Promise<Preflight> {
  const { inputTokens, outputTokens, prompts } = task
  const talk = createNegotiation(
    { ...plainDialect(task.endpoint, task.model, task.extraBody), ignoreEos: true },
    task.shown,
  )
  const counted: CountedPrompt[] = []
  let requests = 0

  /** One answered request, in whatever dialect it takes to get it, and the tokens of its prompt. */
  const ask = async (words: number, output: number, mayBeEmpty: boolean) => {
    for (;;) {
      requests++
      const prompt = prompts.next(words)
      const probed = await task.send(bodyOf(talk.dialect(), prompt, output), MOST_TIMES * outputTokens)
      if (!talk.stands(probed, output, mayBeEmpty)) continue
      const { record } = probed
      const tokens = record.inputTokens ?? task.countTokens?.(prompt)
      if (tokens !== undefined) counted.push({ words, tokens })
      return { record, tokens }
    }
  }

  await task.patiently(() => ask(Math.min(FIRST_WORDS, inputTokens), Math.min(FIRST_OUTPUT, outputTokens), true))
  let words = wordsFor(inputTokens, counted)
  let last = await ask(words, outputTokens, false)
  const isOff = last.tokens !== undefined && !isLength(last.tokens, inputTokens)
  const mayHold = isShort(last.record, outputTokens) && talk.mayHold()
  if ((isOff && wordsFor(inputTokens, counted) !== words) || mayHold) {
    if (mayHold) talk.hold(true)
    if (isOff) words = wordsFor(inputTokens, counted)
    last = await ask(words, outputTokens, false)
    // A floor that changes nothing is not carried along.
    if (mayHold && isShort(last.record, outputTokens)) talk.hold(false)
  }
  const { record, tokens } = last
  return {
    dialect: talk.dialect(),
    words,
    prompts: counted,
    requests,
    counted: {
      ...(tokens !== undefined && {
        inputTokens: tokens,
        inputSource: record.inputTokens === undefined ? 'tokenizer' : 'usage',
      }),
      outputTokens: record.outputTokens,
      tokenSource: record.tokenSource,
    },
    timeInSystemS: record.endS - record.sentS,
  }
}
