import {
  type LengthPair,
  type Lengths,
  meanLength,
  type OwnPrompt,
  parseLengths,
  type Trace,
  TwospeedError,
} from '../../core/index.ts'
import { parseLengthPairs, parsePrompts, parseTrace } from '../../record/index.ts'
import type { MeasureOptions } from '../options.ts'
import type { Endpoint } from '../target/target.ts'
import { linesOf } from './lines.ts'

const INPUT_TOKENS = 512
const OUTPUT_TOKENS = 128

/** What the requests of a run are made from, read and checked. */
export type WorkSource = SyntheticSource | OwnSource | TraceSource

/** Random words of lengths that are asked for. */
export interface SyntheticSource {
  readonly kind: 'synthetic'
  readonly input: Lengths
  readonly output: Lengths
  /** In place of both. */
  readonly pairs?: readonly LengthPair[]
  readonly prefix?: Prefix
  /** Requests of a conversation; 1: none is one. */
  readonly turns: number
}

/** Which share of a prompt is one of so many texts that others begin with too. */
export interface Prefix {
  readonly share: number
  readonly count: number
}

/** Somebody's own prompts. */
export interface OwnSource {
  readonly kind: 'own'
  readonly prompts: readonly OwnPrompt[]
  /** Absent: answers end where the model ends them. */
  readonly output?: Lengths
  readonly turns: number
}

export interface TraceSource {
  readonly kind: 'trace'
  readonly trace: Trace
}

/** Reads the files that the options name. Throws FILE_NOT_READABLE, INVALID_WORK, and what means nothing together. */
export function readSource(options: MeasureOptions, endpoint: Endpoint, note: (text: string) => void): WorkSource {
  const { trace, prompts, lengths, turns = 1 } = options
  if (trace !== undefined) {
    const played = parseTrace(linesOf(trace.path), trace.speedup)
    for (const text of played.notes) note(text)
    for (const { body } of played.rows) if (body !== undefined) needEndpoint(body, endpoint, trace.path)
    return { kind: 'trace', trace: played }
  }
  if (prompts !== undefined) return ownSource(prompts, options, endpoint, note)
  const { prefixShare, prefixes = 1 } = options
  return {
    kind: 'synthetic',
    input: lengthsOf(options.inputTokens) ?? { kind: 'fixed', tokens: INPUT_TOKENS },
    output: lengthsOf(options.outputTokens) ?? { kind: 'fixed', tokens: OUTPUT_TOKENS },
    ...(lengths !== undefined && { pairs: parseLengthPairs(linesOf(lengths)) }),
    ...(prefixShare !== undefined && { prefix: { share: prefixShare, count: prefixes } }),
    turns,
  }
}

function ownSource(path: string, options: MeasureOptions, endpoint: Endpoint, note: (text: string) => void): OwnSource {
  const { prompts, silent } = parsePrompts(linesOf(path))
  const { turns = 1 } = options
  const output = lengthsOf(options.outputTokens)
  for (const prompt of prompts) {
    if (prompt.kind === 'body') needEndpoint(prompt.body, endpoint, path)
    if (prompt.kind === 'messages' && endpoint === 'completions') throw wrongEndpoint('chat', endpoint, path)
    if (turns > 1 && prompt.kind !== 'talk') {
      throw new TwospeedError(
        'CONFLICTING_FLAGS',
        `--turns ${turns}, but ${path} holds prompts that are no conversations.`,
        'Leave out --turns, or give a file of conversations (ShareGPT).',
      )
    }
  }
  if (output !== undefined && prompts.every(({ kind }) => kind === 'body')) {
    throw new TwospeedError(
      'CONFLICTING_FLAGS',
      `--output-tokens, but ${path} holds whole requests, which say themselves how long an answer may be.`,
      'Leave out --output-tokens, or set the limit in the file.',
    )
  }
  if (endpoint === 'completions' && output === undefined && prompts.some(({ kind }) => kind !== 'body')) {
    throw new TwospeedError(
      'MISSING_VALUE',
      'A server ends a completion after 16 tokens where no limit is sent.',
      'Say how long answers are to be with --output-tokens.',
    )
  }
  if (silent > 0) note(`${silent} conversations in which the user says nothing are left out`)
  note(
    `${prompts.length} prompts of ${path}, in its order, from the first again when they are used up and at each load; ` +
      'a server that caches prompts then has them already, and its TTFT is shorter than for new ones',
  )
  return { kind: 'own', prompts, ...(output !== undefined && { output }), turns }
}

/** Which endpoint a body is for shows in the key of its prompt. */
function needEndpoint(body: object, endpoint: Endpoint, path: string): void {
  const key = { chat: 'messages', completions: 'prompt', responses: 'input' }[endpoint]
  if (key in body) return
  throw wrongEndpoint('messages' in body ? 'chat' : 'prompt' in body ? 'completions' : 'responses', endpoint, path)
}

const wrongEndpoint = (wanted: Endpoint, endpoint: Endpoint, path: string): TwospeedError =>
  new TwospeedError(
    'CONFLICTING_FLAGS',
    `${path} holds requests for ${wanted}, and the endpoint is ${endpoint}.`,
    `Give --endpoint ${wanted}, or a file of requests for ${endpoint}.`,
  )

/** Lengths as an option gives them, which `checkOptions` has looked at. */
const lengthsOf = (value: number | string | undefined): Lengths | undefined =>
  value === undefined ? undefined : parseLengths(String(value))

/** With a shorter prompt than this beside its first, a preflight could not tell the words from the template. */
const LEAST_TRIED = 128

/** What a preflight asks for: the lengths themselves where all are alike, else such that words for any other can be told. */
export function triedLengths(source: WorkSource): LengthPair {
  const { inputTokens, outputTokens } = meanLengths(source)
  const isAlike = source.kind === 'synthetic' && source.pairs === undefined && source.input.kind === 'fixed'
  return isAlike && source.turns === 1
    ? { inputTokens, outputTokens }
    : { inputTokens: Math.max(LEAST_TRIED, inputTokens), outputTokens }
}

function meanLengths(source: WorkSource): LengthPair {
  switch (source.kind) {
    case 'synthetic':
      return source.pairs === undefined
        ? { inputTokens: meanLength(source.input), outputTokens: meanLength(source.output) }
        : meanPair(source.pairs)
    case 'own':
      return {
        inputTokens: INPUT_TOKENS,
        outputTokens: source.output === undefined ? OUTPUT_TOKENS : meanLength(source.output),
      }
    case 'trace':
      return meanPair(source.trace.rows)
  }
}

/** Of those that tell their lengths. */
function meanPair(pairs: readonly Partial<LengthPair>[]): LengthPair {
  let [input, output, count] = [0, 0, 0]
  for (const { inputTokens, outputTokens } of pairs) {
    if (inputTokens === undefined || outputTokens === undefined) continue
    input += inputTokens
    output += outputTokens
    count++
  }
  if (count === 0) return { inputTokens: INPUT_TOKENS, outputTokens: OUTPUT_TOKENS }
  return {
    inputTokens: Math.max(1, Math.round(input / count)),
    outputTokens: Math.max(1, Math.round(output / count)),
  }
}

/** What `run.json` says was asked. Plain lengths are numbers, as every reader of runs knows them; others are told as they were given. */
export function workloadOf(source: WorkSource, options: MeasureOptions): Readonly<Record<string, unknown>> {
  const { turns, prompts, lengths } = options
  const talks = turns !== undefined && turns > 1 ? { turns } : {}
  if (source.kind === 'trace') {
    return { trace: { ...options.trace, requests: source.trace.rows.length, ...meansOf(source) } }
  }
  if (source.kind === 'own') {
    const { outputTokens } = options
    return {
      prompts,
      promptCount: source.prompts.length,
      ...(outputTokens !== undefined && { outputTokens }),
      ...talks,
    }
  }
  const prefix = source.prefix && { prefixShare: source.prefix.share, prefixes: source.prefix.count }
  if (source.pairs !== undefined)
    return { lengths, pairs: source.pairs.length, ...meansOf(source), ...prefix, ...talks }
  const { input, output } = source
  const isPlain = input.kind === 'fixed' && output.kind === 'fixed'
  return {
    inputTokens: input.kind === 'fixed' ? input.tokens : options.inputTokens,
    outputTokens: output.kind === 'fixed' ? output.tokens : options.outputTokens,
    ...(!isPlain && meansOf(source)),
    ...prefix,
    ...talks,
  }
}

function meansOf(source: WorkSource): { readonly meanInputTokens: number; readonly meanOutputTokens: number } {
  const { inputTokens, outputTokens } = meanLengths(source)
  return { meanInputTokens: inputTokens, meanOutputTokens: outputTokens }
}
