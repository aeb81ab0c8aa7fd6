import { type EngineSettings, figure, type ServerEngine } from '../../core/index.ts'

/** What is to be set, in no server's words. */
export interface Limits {
  /** The most in flight, of one replica. */
  readonly inFlight: number
  /** Engines in a replica that each take a limit of their own, and that limit. */
  readonly copies: number
  readonly perCopy: number
  /** Those that decode of split pools: servers by themselves. */
  readonly isSplit?: boolean
  /** Prompt and answer of one request, in the mean. */
  readonly requestTokens?: number
  /** Of one copy, those that decode included. */
  readonly stepTokens?: { readonly least: number; readonly most?: number }
}

/** What vLLM, SGLang and TensorRT-LLM let a step take on accelerators for servers where nothing is said. */
const USUAL_STEP_TOKENS = 8192

/** A context of llama.cpp comes in multiples of this. */
const CONTEXT_STEP = 256

type Named = Omit<EngineSettings, 'measured' | 'command'>

/**
 * As the servers' own pages have it (2026): vLLM and TensorRT-LLM take a limit for each data-parallel rank, SGLang one for all of them, which it
 * divides; llama.cpp divides its context among the slots that are asked for, Ollama's is of one request.
 */
const ENGINES: Readonly<Record<ServerEngine, (limits: Limits) => Named | undefined>> = {
  vllm: (limits) => {
    const budget = budgetOf(limits)
    return {
      engine: 'vllm',
      settings: {
        '--max-num-seqs': limits.perCopy,
        ...(budget !== undefined && { '--max-num-batched-tokens': budget }),
      },
      notes: [...ofEach(limits), ...budgetNotes('--max-num-batched-tokens', limits.stepTokens)],
    }
  },
  sglang: (limits) => {
    const { copies, perCopy, inFlight, isSplit } = limits
    const budget = budgetOf(limits)
    const prompts = (tokens: number): number => Math.max(1, copies * (tokens - perCopy))
    const { least, most } = limits.stepTokens ?? {}
    const chunk =
      least === undefined ? undefined : { least: prompts(least), ...(most !== undefined && { most: prompts(most) }) }
    return {
      engine: 'sglang',
      settings: {
        '--max-running-requests': isSplit ? perCopy : inFlight,
        ...(budget !== undefined && { '--chunked-prefill-size': prompts(budget) }),
      },
      notes: [
        ...(copies > 1 && !isSplit
          ? [`For all ${figure(copies)} data-parallel copies together: it divides both among them.`]
          : ofEach(limits)),
        ...budgetNotes('--chunked-prefill-size', chunk),
      ],
    }
  },
  'tensorrt-llm': (limits) => {
    const budget = budgetOf(limits)
    return {
      engine: 'tensorrt-llm',
      settings: { '--max_batch_size': limits.perCopy, ...(budget !== undefined && { '--max_num_tokens': budget }) },
      notes: [...ofEach(limits), ...budgetNotes('--max_num_tokens', limits.stepTokens)],
    }
  },
  'llama.cpp': ({ copies, inFlight, requestTokens, isSplit }) => {
    if (copies > 1 || isSplit) return undefined
    const slot = requestTokens === undefined ? undefined : slotOf(requestTokens)
    return {
      engine: 'llama.cpp',
      settings: { '--parallel': inFlight, ...(slot !== undefined && { '--ctx-size': inFlight * slot }) },
      notes: [
        slot === undefined
          ? `--ctx-size is divided among the slots: ${figure(inFlight)} times the longest request.`
          : `--ctx-size is divided among the slots: ${figure(slot)} tokens for each, room for a request of the mean length; a longer one needs more.`,
      ],
    }
  },
  ollama: ({ copies, inFlight, requestTokens, isSplit }) => {
    if (copies > 1 || isSplit) return undefined
    const slot = requestTokens === undefined ? undefined : slotOf(requestTokens)
    return {
      engine: 'ollama',
      settings: { OLLAMA_NUM_PARALLEL: inFlight, ...(slot !== undefined && { OLLAMA_CONTEXT_LENGTH: slot }) },
      notes: ['OLLAMA_CONTEXT_LENGTH is of one request: it takes that memory for each that may run at once.'],
    }
  },
}

/** As a run's own word for it begins; what else there is, is not known. */
const NAMES: readonly (readonly [RegExp, ServerEngine])[] = [
  [/vllm/i, 'vllm'],
  [/sglang|sgl\b/i, 'sglang'],
  [/tensorrt|trt/i, 'tensorrt-llm'],
  [/ollama/i, 'ollama'],
  [/llama/i, 'llama.cpp'],
]

/** The settings of every server that can be so set, that of the run first. */
export function engineSettings(limits: Limits, engine: string | undefined): readonly EngineSettings[] {
  const own = NAMES.find(([name]) => engine !== undefined && name.test(engine))?.[1]
  const all = Object.values(ENGINES).flatMap((named) => named(limits) ?? [])
  const shown = all.map(
    (one): EngineSettings => ({
      ...one,
      ...(one.engine === own && { measured: true }),
      command: commandOf(one.settings),
    }),
  )
  return shown.toSorted((a, b) => Number(b.measured ?? false) - Number(a.measured ?? false))
}

/** Flags stand apart from their values, variables of the environment do not. */
const commandOf = (settings: Named['settings']): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name}${name.startsWith('-') ? ' ' : '='}${value}`)
    .join(' ')

const slotOf = (requestTokens: number): number => CONTEXT_STEP * Math.ceil(requestTokens / CONTEXT_STEP)

function ofEach({ copies, isSplit }: Limits): readonly string[] {
  if (copies === 1) return isSplit ? ['For the instance that decodes.'] : []
  return [`For each of the ${figure(copies)} ${isSplit ? 'that decode' : 'data-parallel ranks'}.`]
}

/** To be set only where the usual one cannot keep up; what lies between the bounds is a matter of taste, and told. */
function budgetOf({ stepTokens }: Limits): number | undefined {
  return stepTokens !== undefined && stepTokens.least > USUAL_STEP_TOKENS ? stepTokens.least : undefined
}

function budgetNotes(name: string, tokens: Limits['stepTokens']): readonly string[] {
  if (tokens === undefined) return []
  const { least, most } = tokens
  if (most === undefined) return [`${name} must be ${figure(least)} at least, for prompts to be kept up with.`]
  return [
    `${name} must be ${figure(least)} at least, for prompts to be kept up with; up to ${figure(most)} no step is longer than the floor allows, and a greater one has first tokens come sooner and some steps late.`,
  ]
}
