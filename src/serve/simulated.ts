import { createRandom, type Random } from '../core/index.ts'
import { type Law, stepSeconds } from '../model/index.ts'
import { type Clock, realClock } from './clock.ts'
import {
  contextExceeded,
  type Engine,
  type EngineLimits,
  type EngineRequest,
  type FinishReason,
  type Listener,
  type Prompt,
} from './engine.ts'
import { createScheduler, type Sequence } from './scheduler.ts'
import { WORDS } from './words.ts'

export interface SimulatedOptions {
  readonly law: Law
  readonly model?: string
  readonly limits?: Partial<EngineLimits>
  readonly contextTokens?: number
  /** How long an answer is by nature: there the model ends it, unless told to ignore that or stopped before by `max_tokens`. */
  readonly answerTokens?: number
  readonly seed?: number
  readonly clock?: Clock
}

const DEFAULTS = { model: 'simulated', contextTokens: 131_072, answerTokens: 256, seed: 0 } as const

const DEFAULT_LIMITS: EngineLimits = { maxNumSeqs: 4096, maxBatchedTokens: 8192, kvTokens: Number.POSITIVE_INFINITY }

/** What a chat template adds in tokens: the marks of each message, and the opening of the answer. */
const PER_MESSAGE = 4
const PER_ANSWER = 3

const MOST_LAG_S = 0.25

/** A step's tokens are handed out in so many turns of the event loop at most, so that a request that arrives meanwhile is heard at once. */
const TURNS = 64

const NOTHING = { sequences: [], next: 0, batch: 0 } as const

interface Simulated extends Sequence {
  readonly listener: Listener
  readonly random: Random
  readonly reason: FinishReason
  made: number
  active: boolean
}

/**
 * An engine whose steps take what `law` says, on a real clock. Words are tokens.
 *
 * The next step is decided when the one before has ended, and tokens are handed out while it runs, as servers do whose engine and whose
 * sockets are served by threads of their own. So who answers a token with a new request meets a step that has begun, be the client
 * quick or slow:
 *
 *     step 7          |step 8               |step 9 reads the new prompt
 *              tokens → → →  last of a user → new request
 *
 * A step is due when the previous one was due plus its own time, so errors do not add up. After a late step (a busy machine) the next
 * ones are shortened, by half at most, until the lag is made good: the pace holds in the mean, and tokens are never poured out in a
 * burst. A machine that lags further cannot keep the law: the schedule moves, and that is counted (`slips`, `slippedMs`).
 */
export function createSimulatedEngine(options: SimulatedOptions): Engine {
  const { law, model, contextTokens, answerTokens, seed, clock = realClock } = { ...DEFAULTS, ...options }
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const scheduler = createScheduler<Simulated>(limits)
  const status = { steps: 0, slips: 0, slippedMs: 0 }
  let callOff: (() => void) | undefined
  let lastEndS = Number.NEGATIVE_INFINITY
  let inHand: { readonly sequences: readonly Simulated[]; readonly next: number; readonly batch: number } = NOTHING
  let callOffHandOut: (() => void) | undefined

  /** Plans the next step. It follows on the step that was due at `previous`. */
  function begin(previous: number): void {
    const plan = scheduler.plan()
    callOff = undefined
    if (plan === undefined) return
    const takes = stepSeconds(law, plan)
    const due = previous + takes
    const end = Math.max(due, clock.now() + takes / 2)
    const slipped = end - due > MOST_LAG_S
    if (slipped) {
      status.slips += 1
      status.slippedMs += (end - due) * 1000
    }
    callOff = clock.at(end, () => {
      status.steps += 1
      // What a slow machine has still in hand of the step before.
      callOffHandOut?.()
      while (handOut());
      // First tokens go first: of all they are the ones that are waited for, and later ones keep their distance from each other.
      const made = [...plan.prefill.filter(({ last }) => last).map(({ sequence }) => sequence), ...plan.decode]
      for (const sequence of made) make(sequence)
      inHand = { sequences: made, next: 0, batch: plan.batch }
      lastEndS = slipped ? end : due
      begin(lastEndS)
      handOutInTurns()
    })
  }

  /** A place is free when the last token is there, not when it has been handed out. */
  function make(sequence: Simulated): void {
    sequence.made += 1
    if (sequence.made === sequence.maxTokens) scheduler.remove(sequence)
  }

  /** What is due of a turn. True: there is more. */
  function handOut(): boolean {
    const { sequences, next, batch } = inHand
    const stop = next + Math.ceil(sequences.length / TURNS)
    for (const sequence of sequences.slice(next, stop)) emit(sequence, batch)
    inHand = { sequences, next: stop, batch }
    return stop < sequences.length
  }

  function handOutInTurns(): void {
    callOffHandOut = handOut() ? clock.at(clock.now(), handOutInTurns) : undefined
  }

  function emit(sequence: Simulated, batch: number): void {
    if (!sequence.active) return
    const word = WORDS[sequence.random.below(WORDS.length)] ?? ''
    const ended = sequence.made === sequence.maxTokens
    if (ended) sequence.active = false
    sequence.listener.token(sequence.made === 1 ? word : ` ${word}`, batch)
    if (ended) sequence.listener.end(sequence.reason)
  }

  function leave(sequence: Simulated): void {
    sequence.active = false
    scheduler.remove(sequence)
  }

  function accept(request: EngineRequest, listener: Listener): Simulated {
    const promptTokens = countTokens(request.prompt)
    const holds = Math.min(contextTokens, limits.kvTokens)
    const room = holds - promptTokens
    const { maxTokens = 1 } = request
    const param = request.prompt.kind === 'chat' ? 'messages' : 'prompt'
    if (room < maxTokens) throw contextExceeded(param, holds, promptTokens, maxTokens)
    const most = request.maxTokens ?? room
    const natural = request.ignoreEos ? Number.POSITIVE_INFINITY : Math.max(answerTokens, request.minTokens)
    return {
      promptTokens,
      maxTokens: Math.min(most, natural),
      listener,
      random: createRandom(`${seed}/${request.seed ?? 0}/${tail(request.prompt)}`),
      reason: natural < most ? 'stop' : 'length',
      made: 0,
      active: true,
    }
  }

  return {
    kind: 'simulated',
    model,
    contextTokens,
    submit(request, listener, agoS = 0) {
      const receivedS = clock.now() - agoS
      const sequence = accept(request, listener)
      scheduler.add(sequence)
      // What this process took to read the request is no part of the law.
      if (callOff === undefined) begin(Math.max(receivedS, lastEndS))
      return { promptTokens: sequence.promptTokens, cancel: () => leave(sequence) }
    },
    status: () => ({ running: scheduler.running, waiting: scheduler.waiting, ...status }),
    async close() {
      callOff?.()
      callOffHandOut?.()
      callOff = undefined
    },
  }
}

function countTokens(prompt: Prompt): number {
  if (prompt.kind === 'tokens') return prompt.tokens.length
  if (prompt.kind === 'text') return Math.max(1, countWords(prompt.text))
  return prompt.messages.reduce((sum, { text }) => sum + countWords(text) + PER_MESSAGE, PER_ANSWER)
}

function countWords(text: string): number {
  return text.match(/\S+/g)?.length ?? 0
}

/** The end of the prompt, enough to make answers to different prompts differ. */
function tail(prompt: Prompt): string {
  if (prompt.kind === 'tokens') return prompt.tokens.slice(-64).join(' ')
  return (prompt.kind === 'text' ? prompt.text : (prompt.messages.at(-1)?.text ?? '')).slice(-256)
}
