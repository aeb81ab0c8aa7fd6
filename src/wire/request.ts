export type Endpoint = 'chat' | 'completions' | 'responses'

/** What to ask for, apart from the dialect. A field that is absent is not sent: a server may refuse what it does not know. */
export interface Ask {
  readonly model: string
  readonly prompt: string
  /** The most tokens to generate, and the name that the server knows this limit by. */
  readonly outputTokens?: number
  readonly limitField?: 'max_tokens' | 'max_completion_tokens' | 'max_output_tokens'
  /** Beside the limit: generate no fewer. Extensions that some engines take. */
  readonly minTokens?: number
  readonly ignoreEos?: boolean
  /** Ask for a last chunk with the usage; Responses always sends it. */
  readonly includeUsage?: boolean
  /** Responses: `false` asks that the answer be not kept. OpenAI keeps each for a month unless told not to. */
  readonly store?: false
  readonly temperature?: number
  readonly seed?: number
}

const LIMIT_FIELD: Readonly<Record<Endpoint, NonNullable<Ask['limitField']>>> = {
  chat: 'max_tokens',
  completions: 'max_tokens',
  responses: 'max_output_tokens',
}

/** The body of a streamed request, its keys in the order in which a person reads them. */
export function requestBody(endpoint: Endpoint, ask: Ask): Readonly<Record<string, unknown>> {
  const { model, prompt, outputTokens, minTokens, ignoreEos, includeUsage, temperature, seed, store } = ask
  return {
    model,
    ...promptOf(endpoint, prompt),
    ...(outputTokens !== undefined && { [ask.limitField ?? LIMIT_FIELD[endpoint]]: outputTokens }),
    ...(minTokens !== undefined && { min_tokens: minTokens }),
    ...(ignoreEos !== undefined && { ignore_eos: ignoreEos }),
    ...(temperature !== undefined && { temperature }),
    ...(seed !== undefined && { seed }),
    ...(store !== undefined && { store }),
    stream: true,
    ...(includeUsage === true && endpoint !== 'responses' && { stream_options: { include_usage: true } }),
  }
}

function promptOf(endpoint: Endpoint, prompt: string): Readonly<Record<string, unknown>> {
  if (endpoint === 'chat') return { messages: [{ role: 'user', content: prompt }] }
  return endpoint === 'completions' ? { prompt } : { input: prompt }
}
