import { closeSync, openSync, readSync } from 'node:fs'
import type { ChatHistoryItem, Llama, LlamaContext, LlamaModel, Token } from 'node-llama-cpp'
import { TwospeedError } from '../core/index.ts'
import type { ChatMessage } from './engine.ts'
import { importNodeLlamaCpp, loadLlama, type NodeLlamaCpp, unavailable } from './llama-install.ts'

/**
 * llama.cpp through node-llama-cpp. Its documented `evaluate` gives every request a loop and so a decode of its own. What a
 * continuously batching server needs, one batch that the owner of the step puts together and decodes, lies below that: the addon's
 * context and sampler. They are no documented interface, hence one exact version of the package and a check of their shape.
 */
export interface Binding {
  /** Prompt and answer of one sequence fit in so many tokens. */
  readonly contextTokens: number
  readonly context: Context
  createSampler(): Sampler
  /** Marks of the chat template that stand in the text are taken as such. */
  tokenize(text: string): readonly number[]
  /** By the model's own template, up to where the answer begins. */
  tokenizeChat(messages: readonly ChatMessage[]): readonly number[]
  /** What tokens add to a text that ends in `before`. */
  detokenize(tokens: readonly number[], before: readonly number[]): string
  readonly vocabularySize: number
  /** The tokens that end an answer. */
  readonly ends: ReadonlySet<number>
  close(): Promise<void>
}

/** One batch at a time. Sequences, positions and indexes count from 0. */
export interface Context {
  initBatch(tokens: number): void
  /** Puts tokens of a sequence at `position`; gives the places of the logits of those whose index is in `logits`. */
  addToBatch(sequence: number, position: number, tokens: Uint32Array, logits: Uint32Array): Uint32Array
  decodeBatch(): Promise<void>
  /** −1 where no token could be chosen. */
  sampleToken(place: number, sampler: Sampler): Promise<number>
  disposeSequence(sequence: number): void
}

export interface Sampler {
  applyConfig(config: SamplerConfig): void
  dispose(): void
}

export interface SamplerConfig {
  readonly temperature: number
  /** 0: all. */
  readonly topK: number
  readonly topP: number
  readonly seed: number
  readonly tokenBiasKeys?: Uint32Array
  readonly tokenBiasValues?: Float32Array
}

export interface BindingOptions {
  readonly gguf: string
  readonly sequences: number
  /** Of one sequence; cut to what the model was trained for. */
  readonly contextTokens: number
  readonly batchTokens: number
  readonly threads: number
}

/** Throws LLAMA_NOT_INSTALLED, LLAMA_UNAVAILABLE, FILE_NOT_READABLE, or MODEL_NOT_LOADABLE where the file or the memory does not do. */
export async function loadBinding(options: BindingOptions): Promise<Binding> {
  checkIsGguf(options.gguf)
  const library = await importNodeLlamaCpp()
  const { llama, complaints } = await loadLlama(library)
  complaints.length = 0
  try {
    const model = await llama.loadModel({ modelPath: options.gguf, gpuLayers: 0 })
    const contextTokens = Math.min(options.contextTokens, model.trainContextSize)
    const context = await model.createContext({
      sequences: options.sequences,
      contextSize: contextTokens,
      batchSize: options.batchTokens,
      threads: options.threads,
      flashAttention: 'auto',
      failedCreationRemedy: false,
    })
    return bind(library, llama, model, context, contextTokens)
  } catch (error) {
    if (error instanceof TwospeedError) throw error
    // llama.cpp says why first, and then, on each of its levels, that it failed. Its lines come by way of the event loop.
    await new Promise((resolve) => setTimeout(resolve, 20))
    throw notLoadable(options.gguf, complaints[0] ?? (error instanceof Error ? error.message : String(error)))
  }
}

/** A file of another kind would keep the package's own reader busy for ever. */
function checkIsGguf(path: string): void {
  const start = Buffer.alloc(8)
  let read: number
  try {
    const file = openSync(path, 'r')
    read = readSync(file, start)
    closeSync(file)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new TwospeedError('FILE_NOT_READABLE', why, 'Give --gguf a model file in the GGUF format.')
  }
  const version = start.readUInt32LE(4)
  if (read < 8 || start.toString('latin1', 0, 4) !== 'GGUF' || version < 1 || version > 3) {
    throw notLoadable(path, 'it is no GGUF file of a known version')
  }
}

function notLoadable(path: string, why: string): TwospeedError {
  return new TwospeedError(
    'MODEL_NOT_LOADABLE',
    `${path}: ${why}`,
    'Give a GGUF file that llama.cpp can run, and memory for it; --kv-tokens and --max-num-seqs make the context smaller.',
  )
}

function bind(
  library: NodeLlamaCpp,
  llama: Llama,
  model: LlamaModel,
  context: LlamaContext,
  contextTokens: number,
): Binding {
  const addon = findAddon(llama, model, context)
  const template = model.fileInfo.metadata.tokenizer?.chat_template
  const chat =
    template === undefined ? new library.ChatMLChatWrapper() : new library.JinjaTemplateChatWrapper({ template })
  const all = [...model.iterateAllTokens()]
  const withBos = (tokens: Token[]): Token[] => {
    const { bos, shouldPrependBosToken } = model.tokens
    return shouldPrependBosToken && bos !== null && tokens[0] !== bos ? [bos, ...tokens] : tokens
  }
  return {
    contextTokens,
    context: addon.context,
    createSampler: addon.createSampler,
    tokenize: (text) => withBos(model.tokenize(text, true)),
    tokenizeChat(messages) {
      const chatHistory = [...messages.map(historyItem), { type: 'model', response: [] } satisfies ChatHistoryItem]
      return withBos(chat.generateContextState({ chatHistory }).contextText.tokenize(model.tokenizer))
    },
    detokenize: (tokens, before) => model.detokenize(tokens as Token[], false, before as Token[]),
    vocabularySize: all.length,
    ends: new Set(all.filter((token) => model.isEogToken(token))),
    // The library itself stays: it is one for the whole process, whoever else may use it.
    async close() {
      await context.dispose()
      await model.dispose()
    },
  }
}

function historyItem({ role, text }: ChatMessage): ChatHistoryItem {
  return role === 'assistant' ? { type: 'model', response: [text] } : { type: role, text }
}

interface Addon {
  readonly context: Context
  createSampler(): Sampler
}

function findAddon(llama: Llama, model: LlamaModel, context: LlamaContext): Addon {
  const { _bindings: bindings } = llama as unknown as { _bindings?: { AddonSampler?: new (model: unknown) => Sampler } }
  const { _model: addonModel } = model as unknown as { _model?: unknown }
  const { _ctx: addonContext } = context as unknown as { _ctx?: Context }
  const Sampler = bindings?.AddonSampler
  const steps = ['initBatch', 'addToBatch', 'decodeBatch', 'sampleToken', 'disposeSequence'] as const
  const fits = steps.every((step) => typeof addonContext?.[step] === 'function')
  if (Sampler === undefined || addonModel === undefined || addonContext === undefined || !fits) {
    throw unavailable('this version of node-llama-cpp has another inside than the one that twospeed knows')
  }
  return { context: addonContext, createSampler: () => new Sampler(addonModel) }
}
