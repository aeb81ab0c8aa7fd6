import type { RequestRecord } from '../core/index.ts'
import { bodyOf, type Dialect, plainDialect, retreat } from './dialect.ts'
import { type CountedPrompt, isLength, wordsFor } from './prompt-length.ts'
import type { Prompts } from './prompts.ts'
import type { Endpoint } from './target.ts'
import { targetError } from './target-fault.ts'

/** The first request is small, so that a refusal costs little; its count shows the template around the words. */
const FIRST_WORDS = 16
const FIRST_OUTPUT = 16

export interface PreflightTask {
  readonly endpoint: Endpoint
  readonly model: string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly prompts: Prompts
  /** The target's name in errors. */
  readonly shown: string
  /** Sends one unmeasured request. */
  readonly send: (body: string) => Promise<RequestRecord>
  /** Runs an attempt again while its failure may pass. */
  readonly patiently: <T>(attempt: () => Promise<T>) => Promise<T>
}

export interface Preflight {
  readonly dialect: Dialect
  /** Words of each measured prompt. */
  readonly words: number
  readonly requests: number
  /** Of the last request, sent as the measured ones will be. Absent input: the server sends no usage. */
  readonly counted: {
    readonly inputTokens?: number
    readonly outputTokens: number
    readonly tokenSource: RequestRecord['tokenSource']
  }
  /** A lone request's whole time: over about so long the first users start. */
  readonly timeInSystemS: number
}

const isShort = (record: RequestRecord, asked: number): boolean => record.outputTokens < 0.98 * asked

/**
 * Two unmeasured requests, a third where lengths need a correction, and one more for each field that the server refuses: finds what it
 * takes and how many words make the length asked for.
 *
 * @throws TwospeedError as `targetError` says, when the target does not answer such requests with a stream.
 */
export async function preflight(task: PreflightTask): Promise<Preflight> {
  const { inputTokens, outputTokens, prompts, shown } = task
  let dialect: Dialect = { ...plainDialect(task.endpoint, task.model), ignoreEos: true }
  let minTokensKnown = false
  let requests = 0
  const counted: CountedPrompt[] = []

  /** One answered request, in whatever dialect it takes to get it. */
  const ask = async (words: number, output: number, mayBeEmpty: boolean): Promise<RequestRecord> => {
    for (;;) {
      requests++
      const record = await task.send(bodyOf(dialect, prompts.next(words), output))
      const { error } = record
      if (error === undefined || (mayBeEmpty && error.kind === 'empty')) {
        if (record.inputTokens !== undefined) counted.push({ words, tokens: record.inputTokens })
        return record
      }
      const next = retreat(dialect, error)
      if (next === undefined) throw targetError(error, shown)
      // Where the one extension is unknown, the other may be known.
      const tryFloor = dialect.ignoreEos && !next.ignoreEos && !minTokensKnown
      minTokensKnown ||= tryFloor
      dialect = tryFloor ? { ...next, minTokens: true } : next
    }
  }

  await task.patiently(() => ask(Math.min(FIRST_WORDS, inputTokens), Math.min(FIRST_OUTPUT, outputTokens), true))
  let words = wordsFor(inputTokens, counted)
  let record = await ask(words, outputTokens, false)
  const isOff = record.inputTokens !== undefined && !isLength(record.inputTokens, inputTokens)
  const mayHold = isShort(record, outputTokens) && dialect.ignoreEos && !minTokensKnown
  if ((isOff && wordsFor(inputTokens, counted) !== words) || mayHold) {
    const before = dialect
    if (mayHold) dialect = { ...dialect, minTokens: true }
    if (isOff) words = wordsFor(inputTokens, counted)
    record = await ask(words, outputTokens, false)
    // A floor that changes nothing is not carried along.
    if (mayHold && isShort(record, outputTokens)) dialect = before
  }
  return {
    dialect,
    words,
    requests,
    counted: {
      ...(record.inputTokens !== undefined && { inputTokens: record.inputTokens }),
      outputTokens: record.outputTokens,
      tokenSource: record.tokenSource,
    },
    timeInSystemS: record.endS - record.sentS,
  }
}
