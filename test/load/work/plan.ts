import { plainDialect } from '../../../src/load/target/dialect.ts'
import type { WorkSource } from '../../../src/load/work/source.ts'
import { type Ask, createWork } from '../../../src/load/work/work.ts'

/** What a server counts: a template, and so many tokens a word. */
export interface Counting {
  readonly overhead: number
  readonly perWord: number
}

export const tokensOf = (text: string, { overhead, perWord }: Counting): number =>
  Math.round(overhead + perWord * text.split(' ').length)

export interface Given {
  readonly source: WorkSource
  readonly counting?: Counting
  readonly endpoint?: 'chat' | 'completions' | 'responses'
  readonly seed?: string
}

/** Work as a run has it after a preflight that asked for 16 and for 500 words. */
export function workOf({ source, counting = { overhead: 11, perWord: 1 }, endpoint = 'chat', seed = '1' }: Given) {
  const prompts = [16, 500].map((words) => ({ words, tokens: tokensOf('x '.repeat(words).trim(), counting) }))
  const found = { dialect: { ...plainDialect(endpoint, 'm'), ignoreEos: true }, words: 500, prompts }
  return createWork({ found, inputTokens: prompts[1]?.tokens ?? 0, source }, seed)
}

export const bodyOf = ({ body }: Ask): Readonly<Record<string, unknown>> => JSON.parse(body)

export interface Said {
  readonly role: string
  readonly content: string
}

export const messagesOf = (ask: Ask): readonly Said[] => bodyOf(ask).messages as readonly Said[]

export const textOf = (ask: Ask): string => messagesOf(ask).at(-1)?.content ?? ''
