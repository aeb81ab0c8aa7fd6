import { availableParallelism } from 'node:os'
import { basename } from 'node:path'
import { createRandom, type Random } from '../core/index.ts'
import { createDetokenizer, type Detokenizer } from './detokenizer.ts'
import {
  contextExceeded,
  type Engine,
  type EngineLimits,
  type EngineRequest,
  type FinishReason,
  type Listener,
  type Prompt,
  RequestRefused,
} from './engine.ts'
import { type Binding, loadBinding, type Sampler } from './llama-binding.ts'
import { randomModelFile } from './random-model.ts'
import { createScheduler, type Sequence, type StepPlan } from './scheduler.ts'

export interface LlamaOptions {
  /** A model file; absent: a small model of random weights, made once and kept. */
  readonly gguf?: string
  /** The name under which it is served; absent: the name of its file. */
  readonly model?: string
  /** The KV cache is shared out evenly: one sequence holds `kvTokens / maxNumSeqs`. */
  readonly limits?: Partial<EngineLimits>
  /** Absent: all cores but one, which is left to the server, and at least 1. */
  readonly threads?: number
  readonly seed?: number
}

const DEFAULT_LIMITS: EngineLimits = { maxNumSeqs: 16, maxBatchedTokens: 128, kvTokens: 16 * 2048 }

interface Active extends Sequence {
  readonly prompt: Uint32Array
  readonly request: EngineRequest
  readonly listener: Listener
  readonly sampler: Sampler
  readonly text: Detokenizer
  /** Its place in the KV cache, from its first step on. */
  slot: number | undefined
  last: number
  made: number
  left: boolean
}

/**
 * A real llama.cpp. One loop owns it: admit, put a token of every active sequence and the chunks of prompts into one batch, decode it
 * once, emit. While llama.cpp decodes on its own thread, the event loop serves the sockets.
 *
 * Throws LLAMA_NOT_INSTALLED, LLAMA_UNAVAILABLE or MODEL_NOT_LOADABLE.
 */
export async function createLlamaEngine(options: LlamaOptions = {}): Promise<Engine> {
  const { gguf = randomModelFile(), seed = 0, threads = Math.max(1, availableParallelism() - 1) } = options
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const binding = await loadBinding({
    gguf,
    sequences: limits.maxNumSeqs,
    contextTokens: Math.floor(limits.kvTokens / limits.maxNumSeqs),
    batchTokens: Math.max(limits.maxBatchedTokens, limits.maxNumSeqs),
    threads,
  })
  const name = options.model ?? basename(gguf).replace(/\.gguf$/, '')
  return driveLlama(binding, name, limits, createRandom(seed))
}

function driveLlama(binding: Binding, model: string, limits: EngineLimits, random: Random): Engine {
  const { context, contextTokens } = binding
  const scheduler = createScheduler<Active>(limits)
  const present = new Set<Active>()
  const slots = createSlots(limits.maxNumSeqs)
  const noEnds = {
    tokenBiasKeys: Uint32Array.from(binding.ends),
    tokenBiasValues: new Float32Array(binding.ends.size).fill(Number.NEGATIVE_INFINITY),
  }
  let leaving: Active[] = []
  let loop: Promise<void> | undefined
  let failure: string | undefined
  let steps = 0

  /** Runs until there is nothing left to do. */
  async function run(): Promise<void> {
    // Never inside `submit`; and whoever comes in the same moment is in the first step too.
    await undefined
    try {
      for (;;) {
        for (const sequence of leaving) release(sequence)
        leaving = []
        const plan = scheduler.plan()
        if (plan === undefined) break
        await step(plan)
        steps += 1
      }
    } catch (error) {
      const cause = error instanceof Error ? error : new Error(String(error))
      failure = cause.message
      for (const { listener } of present) listener.failed(cause)
      present.clear()
    }
    loop = undefined
  }

  async function step(plan: StepPlan<Active>): Promise<void> {
    const rows = [
      ...plan.decode.map((sequence) => decodeRow(sequence, slotOf(sequence))),
      ...plan.prefill.map(({ sequence, from, count, last }) => ({
        sequence,
        slot: slotOf(sequence),
        position: from,
        tokens: sequence.prompt.subarray(from, from + count),
        makes: last,
      })),
      // llama.cpp takes sequences into one pass over the weights only as far as their slots follow on each other.
    ].sort((one, other) => one.slot - other.slot)
    context.initBatch(plan.decode.length + plan.prefillTokens)
    const places = rows.flatMap(({ sequence, slot, position, tokens, makes }) => {
      const logits = makes ? Uint32Array.of(tokens.length - 1) : new Uint32Array()
      const [place] = context.addToBatch(slot, position, tokens, logits)
      return place === undefined ? [] : [{ sequence, place }]
    })
    await context.decodeBatch()
    const made = await Promise.all(
      places.map(async ({ sequence, place }) => ({
        sequence,
        token: await context.sampleToken(place, sequence.sampler),
      })),
    )
    for (const { sequence, token } of made) emit(sequence, token, plan.batch)
  }

  function slotOf(sequence: Active): number {
    sequence.slot ??= slots.take()
    return sequence.slot
  }

  function emit(sequence: Active, token: number, batch: number): void {
    if (sequence.left) return
    if (token === -1) throw new Error('llama.cpp could not choose a token')
    if (binding.ends.has(token)) {
      end(sequence, 'stop')
      return
    }
    sequence.last = token
    sequence.made += 1
    if (sequence.made === sequence.request.minTokens && !sequence.request.ignoreEos) configure(sequence, true)
    const text = sequence.text.push(token)
    const full = sequence.made === sequence.maxTokens
    sequence.listener.token(full ? text + sequence.text.end() : text, batch)
    if (full) end(sequence, 'length')
  }

  function end(sequence: Active, reason: FinishReason): void {
    leave(sequence)
    sequence.listener.end(reason)
  }

  /** What is in a batch right now stays there; its place is free before the next step. */
  function leave(sequence: Active): void {
    if (sequence.left) return
    sequence.left = true
    scheduler.remove(sequence)
    present.delete(sequence)
    leaving.push(sequence)
  }

  function release({ slot, sampler }: Active): void {
    sampler.dispose()
    if (slot === undefined) return
    context.disposeSequence(slot)
    slots.give(slot)
  }

  function configure({ sampler, request }: Active, mayEnd: boolean): void {
    const { temperature, topK = 0, topP = 1, seed = random.below(2 ** 32) } = request
    sampler.applyConfig({ temperature, topK, topP, seed: seed >>> 0, ...(mayEnd ? {} : noEnds) })
  }

  function accept(request: EngineRequest, listener: Listener): Active {
    if (failure !== undefined) throw new Error(failure)
    const prompt = tokenize(binding, request.prompt)
    const room = contextTokens - prompt.length
    const { maxTokens = 1 } = request
    const param = request.prompt.kind === 'chat' ? 'messages' : 'prompt'
    if (prompt.length === 0 || prompt.some((token) => token >= binding.vocabularySize)) {
      const what = `The prompt is empty, or has a token beyond the model's ${binding.vocabularySize}.`
      throw new RequestRefused(param, 'invalid_value', what)
    }
    if (room < maxTokens) throw contextExceeded(param, contextTokens, prompt.length, maxTokens)
    const sequence = {
      promptTokens: prompt.length,
      maxTokens: request.maxTokens ?? room,
      prompt: Uint32Array.from(prompt),
      request,
      listener,
      sampler: binding.createSampler(),
      text: createDetokenizer(binding.detokenize, prompt),
      slot: undefined,
      last: 0,
      made: 0,
      left: false,
    }
    configure(sequence, !request.ignoreEos && request.minTokens === 0)
    return sequence
  }

  return {
    kind: 'llama',
    model,
    contextTokens,
    submit(request, listener) {
      const sequence = accept(request, listener)
      scheduler.add(sequence)
      present.add(sequence)
      loop ??= run()
      return { promptTokens: sequence.promptTokens, cancel: () => leave(sequence) }
    },
    status: () => ({
      running: scheduler.running,
      waiting: scheduler.waiting,
      steps,
      ...(failure === undefined ? {} : { failure }),
    }),
    async close() {
      for (const sequence of present) leave(sequence)
      await loop
      await binding.close()
    },
  }
}

interface Row {
  readonly sequence: Active
  readonly slot: number
  readonly position: number
  readonly tokens: Uint32Array
  /** The sequence makes a token in this step. */
  readonly makes: boolean
}

function decodeRow(sequence: Active, slot: number): Row {
  const position = sequence.promptTokens + sequence.made - 1
  return { sequence, slot, position, tokens: Uint32Array.of(sequence.last), makes: true }
}

function tokenize(binding: Binding, prompt: Prompt): readonly number[] {
  if (prompt.kind === 'tokens') return prompt.tokens
  return prompt.kind === 'text' ? binding.tokenize(prompt.text) : binding.tokenizeChat(prompt.messages)
}

/** The lowest that is free goes first, so that the slots in use follow on each other as far as they can. */
function createSlots(count: number): { take(): number; give(slot: number): void } {
  const taken = Array.from({ length: count }, () => false)
  return {
    take() {
      const slot = taken.indexOf(false)
      taken[slot] = true
      return slot
    },
    give(slot) {
      taken[slot] = false
    },
  }
}
