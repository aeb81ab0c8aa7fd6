import { randomInt } from 'node:crypto'
import { bodyOf, plainDialect } from './dialect.ts'
import type { RunPlan } from './header.ts'
import { namedModel, onlyModel, type ServedModel } from './models.ts'
import type { MeasureOptions } from './options.ts'
import { type Preflight, preflight } from './preflight.ts'
import { isLength } from './prompt-length.ts'
import { createPrompts } from './prompts.ts'
import type { Session } from './session.ts'
import { createTransport } from './transport.ts'
import { createPatience } from './wait.ts'

const INPUT_TOKENS = 512
const OUTPUT_TOKENS = 128

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

/** Finds out what will be sent: the model, the dialect, the length of the prompts. */
export async function prepare(
  session: Session,
  options: MeasureOptions,
): Promise<{ readonly plan: RunPlan; readonly timeInSystemS?: number }> {
  const { address, credentials, note } = session
  let waitedFor: string | undefined
  const patiently = createPatience({
    limitS: options.waitS ?? 0,
    nowS: session.clock.nowS,
    signal: session.signal,
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
  const inputTokens = options.inputTokens ?? INPUT_TOKENS
  const outputTokens = options.outputTokens ?? OUTPUT_TOKENS
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
      signal: session.signal,
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
          prompts,
          shown: address.shown,
          send: session.probe,
          patiently,
        })
  for (const text of found === undefined ? [] : remarks(found, inputTokens, outputTokens)) note(text)
  if (found === undefined) note(`no preflight: prompts are ${inputTokens} words, taken for as many tokens`)
  if (sendsKeyInTheClear(address.url, credentials.headers))
    note('the key goes over the network unencrypted: the target is plain http')
  const dialect = found?.dialect ?? plainDialect(address.endpoint, model)
  const words = found?.words ?? inputTokens
  const body = bodyOf(dialect, prompts.next(words), outputTokens)
  note(`body: ${shortened(body)}`)
  return {
    plan: {
      address,
      model,
      ...(engine !== undefined && { engine }),
      seed,
      inputTokens,
      outputTokens,
      found: found ?? { dialect, words, requests: 0 },
      body,
      headerNames: Object.keys(credentials.headers),
      ...(transport.proxy !== undefined && { proxy: transport.proxy }),
    },
    ...(found !== undefined && { timeInSystemS: found.timeInSystemS }),
  }
}

/** What a person must know of the preflight: only what is not as asked. */
function remarks({ dialect, counted, words }: Preflight, inputTokens: number, outputTokens: number): readonly string[] {
  const { inputTokens: input, outputTokens: output, tokenSource } = counted
  const said: string[] = []
  if (input === undefined) {
    said.push(`the server counts no input tokens: prompts are ${words} words, their length in tokens is unknown`)
  } else if (!isLength(input, inputTokens)) {
    said.push(
      `prompts are ${input} tokens long, not the ${inputTokens} asked for: that is as near as words and template come`,
    )
  }
  if (tokenSource === 'events') said.push('the server sends no usage: each event that bears text counts as one token')
  if (output < 0.98 * outputTokens) {
    const why =
      dialect.ignoreEos || dialect.minTokens ? 'although asked not to stop' : 'it takes no ignore_eos or min_tokens'
    said.push(`answers stop early: ${output} of ${outputTokens} tokens, ${why}`)
  }
  return said
}

/** On the loopback nobody else listens. */
function sendsKeyInTheClear(url: string, headers: Readonly<Record<string, string>>): boolean {
  const { protocol, hostname } = new URL(url)
  const isLoopback = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
  return protocol === 'http:' && !isLoopback && ('authorization' in headers || 'api-key' in headers)
}

const LONGEST_SHOWN = 60

/** A body as one line, its prompt cut to its beginning. */
function shortened(body: string): string {
  const cut = (_: string, value: unknown): unknown =>
    typeof value === 'string' && value.length > LONGEST_SHOWN
      ? `${value.slice(0, LONGEST_SHOWN)}… (${value.split(' ').length} words)`
      : value
  return JSON.stringify(JSON.parse(body, cut))
}
