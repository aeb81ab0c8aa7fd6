import { randomInt } from 'node:crypto'
import { createCounterHere } from '../counting/answer-counter.ts'
import { countingClient } from '../counting/token-counter.ts'
import { type CountTokens, loadTokenizer } from '../counting/tokenizer.ts'
import type { RunPlan } from '../header.ts'
import { createTransport } from '../http/transport.ts'
import type { MeasureOptions } from '../options.ts'
import type { Session } from '../session.ts'
import { extraBodyOf } from '../work/extra-body.ts'
import { createPrompts, type Prompts } from '../work/prompts.ts'
import { readSource, triedLengths } from '../work/source.ts'
import { createWork } from '../work/work.ts'
import { plainDialect } from './dialect.ts'
import { namedModel, onlyModel, type ServedModel } from './models.ts'
import { type Preflight, preflight } from './preflight.ts'
import { createProbe } from './probe.ts'
import { type CountedPrompt, isLength, wordsFor } from './prompt-length.ts'
import { createPatience } from './wait.ts'

/** A list takes no time to make; a server that is loading may be long in answering all the same. */
const MODELS_TIMEOUT_S = 30

/** Names that engines give as the owner of what they serve. */
const ENGINES: ReadonlySet<string> = new Set([
  'vllm',
  'sglang',
  'llamacpp',
  'tgi',
  'tensorrt_llm',
  'lmdeploy',
  'twospeed-llama',
  'twospeed-simulated',
])

export interface Prepared {
  readonly plan: RunPlan
  /** Of a lone request, where one was sent. */
  readonly timeInSystemS?: number
  /** Counts the tokens of answers, where the server does not say how many they are. */
  readonly countTokens?: CountTokens
}

/** Finds out what will be sent: the model, the dialect, the length of the prompts. */
export async function prepare(session: Session, options: MeasureOptions): Promise<Prepared> {
  const { address, client, credentials, note, signal, idPrefix } = session
  const countTokens = options.tokenizer === undefined ? undefined : await loadTokenizer(options.tokenizer)
  if (options.apiKeyFrom !== undefined) {
    note(
      credentials.sendsKey
        ? `using the key in ${options.apiKeyFrom}`
        : `not using the key in ${options.apiKeyFrom}: the URL or a --header says who asks`,
    )
  }
  let waitedFor: string | undefined
  const patiently = createPatience({
    limitS: options.waitS ?? 0,
    nowS: session.clock.nowS,
    signal,
    onWait: (why, sinceS) => {
      // A line for each new reason, and on a terminal how long it has been.
      if (why !== waitedFor) note(`waiting: ${why}`)
      waitedFor = why
      session.tell({ kind: 'status', text: `waiting for ${sinceS.toFixed(0)} s` })
    },
  })
  const seed = options.seed ?? randomInt(2 ** 31)
  // Of their own: how many a preflight takes must not shift those that are measured.
  const prompts = createPrompts(`${seed}/preflight`)
  const source = readSource(options, address.endpoint, note)
  const { inputTokens, outputTokens } = triedLengths(source)
  const extraBody = extraBodyOf(options)
  const transport = createTransport(new URL(address.url).origin, options.transport)

  const served = async (): Promise<ServedModel> => {
    const named = options.model ?? address.deployment
    if (address.modelsUrl === undefined || (named !== undefined && options.preflight === false))
      return { id: named ?? '' }
    const task = {
      url: address.modelsUrl,
      transport,
      headers: credentials.headers,
      shown: address.shown,
      signal,
      timeoutS: modelsTimeoutS(options),
    }
    return named === undefined ? onlyModel(task) : namedModel(named, task)
  }
  const { id: model, ownedBy = '' } = await patiently(served)
  const engine = options.engine ?? (ENGINES.has(ownedBy) ? ownedBy : undefined)
  note(`target: ${address.shown}, model ${model}${transport.proxy === undefined ? '' : `, through ${transport.proxy}`}`)

  const found: Preflight | undefined =
    options.preflight === false
      ? undefined
      : await preflight({
          endpoint: address.endpoint,
          model,
          inputTokens,
          outputTokens,
          ...(extraBody !== undefined && { extraBody }),
          prompts,
          shown: address.shown,
          send: createProbe({
            client: countTokens === undefined ? client : countingClient(client, createCounterHere(countTokens)),
            signal,
            idPrefix,
          }),
          countTokens,
          patiently,
        })
  for (const text of found === undefined ? [] : remarks(found, inputTokens, outputTokens)) note(text)
  const tried = countTokens === undefined ? [] : triedWith(countTokens, prompts, inputTokens)
  const words = found?.words ?? wordsFor(inputTokens, tried)
  if (found === undefined && source.kind !== 'own') {
    const as = countTokens === undefined ? 'taken for as many' : `by the tokenizer ${inputTokens}`
    note(`no preflight: prompts are ${words} words, ${as} tokens`)
  }
  if (sendsKeyInTheClear(address.url, credentials.headers))
    note('the key goes over the network unencrypted: the target is plain http')
  const dialect = found?.dialect ?? plainDialect(address.endpoint, model, extraBody)
  const sent = found ?? { dialect, words, prompts: tried, requests: 0 }
  const { body } = createWork({ found: sent, source, inputTokens }, `${seed}/shown`).next(0)
  // As it goes out: a user called "user" must not blank what a role is.
  session.tell({ kind: 'note', text: `body: ${shortened(body)}` })
  return {
    plan: {
      address,
      model,
      ...(engine !== undefined && { engine }),
      seed,
      inputTokens,
      outputTokens,
      source,
      found: sent,
      body: source.kind === 'synthetic' && body.length <= LONGEST_KEPT ? body : shortened(body),
      headerNames: Object.keys(credentials.headers),
      ...(transport.proxy !== undefined && { proxy: transport.proxy }),
    },
    // Where the server counts, no text need be kept.
    ...(countTokens !== undefined && found?.counted.tokenSource !== 'usage' && { countTokens }),
    ...(found !== undefined && { timeInSystemS: found.timeInSystemS }),
  }
}

/** What a person must know of the preflight: only what is not as asked. */
function remarks({ dialect, counted, words }: Preflight, inputTokens: number, outputTokens: number): readonly string[] {
  const { inputTokens: input, inputSource, outputTokens: output, tokenSource } = counted
  const said: string[] = []
  if (input === undefined) {
    said.push(`the server counts no input tokens: prompts are ${words} words, their length in tokens is unknown`)
  } else if (!isLength(input, inputTokens)) {
    said.push(
      `prompts are ${input} tokens long, not the ${inputTokens} asked for: that is as near as words and template come`,
    )
  }
  if (inputSource === 'tokenizer') {
    said.push('the server counts no input tokens: the tokenizer does, without the template around the prompt')
  }
  if (tokenSource === 'tokenizer') said.push('the server sends no usage: the tokenizer counts the text of each answer')
  if (tokenSource === 'events') said.push('the server sends no usage: each event that bears text counts as one token')
  if (output > Math.max(1.02 * outputTokens, outputTokens + 1)) {
    said.push(
      `answers run over: ${output} tokens, not the ${outputTokens} asked for; the server heeds no ${dialect.limitField}`,
    )
  }
  if (output < 0.98 * outputTokens) {
    const why =
      dialect.ignoreEos || dialect.minTokens ? 'although asked not to stop' : 'it takes no ignore_eos or min_tokens'
    said.push(`answers stop early: ${output} of ${outputTokens} tokens, ${why}`)
  }
  return said
}

/** Two prompts as a tokenizer counts them: they show how many words make any length. */
function triedWith(countTokens: CountTokens, prompts: Prompts, inputTokens: number): readonly CountedPrompt[] {
  return [Math.ceil(inputTokens / 2), inputTokens].map((words) => ({ words, tokens: countTokens(prompts.next(words)) }))
}

/** How long the list of models may take: no longer than the user would wait for a token, or for the whole server. */
function modelsTimeoutS({ firstTokenTimeoutS, requestTimeoutS, waitS }: MeasureOptions): number {
  return Math.min(
    firstTokenTimeoutS ?? MODELS_TIMEOUT_S,
    requestTimeoutS ?? MODELS_TIMEOUT_S,
    waitS ?? MODELS_TIMEOUT_S,
  )
}

/** On the loopback nobody else listens. */
function sendsKeyInTheClear(url: string, headers: Readonly<Record<string, string>>): boolean {
  const { protocol, hostname } = new URL(url)
  const isLoopback = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
  return protocol === 'http:' && !isLoopback && ('authorization' in headers || 'api-key' in headers)
}

const LONGEST_SHOWN = 60
/** Of a body of made-up words that the run keeps whole. */
const LONGEST_KEPT = 100_000

/** A body as one line, its prompt cut to its beginning. */
function shortened(body: string): string {
  const cut = (_: string, value: unknown): unknown =>
    typeof value === 'string' && value.length > LONGEST_SHOWN
      ? `${value.slice(0, LONGEST_SHOWN)}… (${value.split(' ').length} words)`
      : value
  return JSON.stringify(JSON.parse(body, cut))
}
