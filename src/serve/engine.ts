/**
 * What the server asks of an engine. Two keep it: `simulated`, whose steps take what a law says, and `llama`, which is llama.cpp.
 * Both batch continuously: requests join and leave between steps, and each active sequence makes one token a step.
 */
export type Prompt =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tokens'; readonly tokens: readonly number[] }
  | { readonly kind: 'chat'; readonly messages: readonly ChatMessage[] }

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly text: string
}

export interface EngineRequest {
  readonly prompt: Prompt
  /** The most output tokens; absent: as many as the model cares to give and the context holds. */
  readonly maxTokens?: number
  /** No end of answer before so many tokens. */
  readonly minTokens: number
  /** The model may not end its answer: it runs to `maxTokens`. */
  readonly ignoreEos: boolean
  readonly temperature: number
  readonly topP?: number
  readonly topK?: number
  readonly seed?: number
}

/** `stop`: the model ended its answer. `length`: it reached `maxTokens` or the end of the context. */
export type FinishReason = 'stop' | 'length'

/** How an engine answers. Called from its step loop, never from inside `submit`. */
export interface Listener {
  /**
   * One token. `text` is what it adds to the answer: empty where it is a part of a character that later tokens complete.
   * `batch` is the number of sequences that made a token in the same step.
   */
  token(text: string, batch: number): void
  end(reason: FinishReason): void
  /** The engine broke; no further call follows. */
  failed(error: Error): void
}

export interface Ticket {
  readonly promptTokens: number
  /** Gives up: frees the sequence before the next step. No call follows. */
  cancel(): void
}

export interface EngineStatus {
  readonly running: number
  readonly waiting: number
  readonly steps: number
  /** Simulated engine: how often, and by how much in all, the machine was too slow for the law and the schedule moved. */
  readonly slips?: number
  readonly slippedMs?: number
  /** Why the engine can answer nothing any more. */
  readonly failure?: string
}

export interface Engine {
  readonly kind: 'simulated' | 'llama'
  /** The name under which the model is served. */
  readonly model: string
  /** Prompt and answer of one request together fit in so many tokens. */
  readonly contextTokens: number
  /** Takes a request in that the server received `agoS` ago. Throws `RequestRefused` where the request can never run. */
  submit(request: EngineRequest, listener: Listener, agoS?: number): Ticket
  status(): EngineStatus
  close(): Promise<void>
}

/** A request that this engine can never run, in terms of the request's own field. */
export class RequestRefused extends Error {
  readonly param: string
  readonly code: string
  constructor(param: string, code: string, message: string) {
    super(message)
    this.name = 'RequestRefused'
    this.param = param
    this.code = code
  }
}

/** How much an engine takes on at once. */
export interface EngineLimits {
  /** Sequences in a batch. */
  readonly maxNumSeqs: number
  /** Tokens in a step: one per decoding sequence, the rest for prompts. */
  readonly maxBatchedTokens: number
  /** Tokens that the KV cache holds, over all sequences. */
  readonly kvTokens: number
}

export function contextExceeded(param: string, holds: number, prompt: number, answer: number): RequestRefused {
  const message = `The context holds ${holds} tokens; the prompt has ${prompt} and the answer asks for ${answer}.`
  return new RequestRefused(param, 'context_length_exceeded', message)
}
