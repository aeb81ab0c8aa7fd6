import { figure, type PredictedBinding, type PredictedLoad } from '../../core/index.ts'
import type { ModelShape } from '../catalogue/model-shape.ts'
import type { Configuration, Lengths } from '../roofline/configuration.ts'
import type { Memory } from '../roofline/memory.ts'
import type { StepModel } from '../roofline/step-model.ts'

/** A prediction in plain words, one sentence each: what a step costs at least, where it bends, what binds, what memory allows. */
export function explanationOf(
  model: StepModel,
  memory: Memory,
  lengths: Lengths,
  ridge: number,
  frontier: readonly PredictedLoad[],
): readonly string[] {
  const { configuration } = model
  return [
    solo(model, lengths),
    `Memory-bound until about ${figure(ridge)} tokens per step${ofEach(configuration)}, those of streams and of prompts together: up to there reading the weights takes longer than the arithmetic, beyond it the arithmetic does.`,
    ...bindings(frontier),
    room(configuration, memory),
    ...beyondContext(configuration.model, lengths),
  ]
}

function ofEach({ parallelism: { dp } }: Configuration): string {
  return dp > 1 ? ` of each of the ${dp} data-parallel copies` : ''
}

/** What one stream alone reads of the weights, and the pace that memory allows it even if nothing else took time. */
function solo(model: StepModel, { inputTokens, outputTokens }: Lengths): string {
  const contextTokens = inputTokens + outputTokens / 2
  const alone = { sequences: 1, contextTokens, prefillTokens: 0, prefillContextTokens: 0 }
  const bytes = model.parts(alone).reduce((sum, part) => sum + (part.binds === 'weights' ? part.bytes : 0), 0)
  const { gpu, parallelism } = model.configuration
  const { pp } = parallelism
  const seconds = bytes / gpu.memoryBytesPerSecond
  return `A step of one stream reads ${figure(bytes / 1e9)} GB of weights ${pp > 1 ? `through its ${pp} stages` : 'a GPU'}, which takes ${figure(1000 * seconds)} ms at the bandwidth of the datasheet: no user can get more than ${figure(1 / seconds)} tok/s. Decoding alone, with all else, ${figure(1 / model.stepSeconds(alone))} is predicted.`
}

const GOES: Readonly<Record<PredictedBinding, string>> = {
  weights: 'it is the reading of the weights that binds',
  kv: 'it is the reading of the KV cache that binds',
  compute: 'it is arithmetic that binds',
  communication: 'it is the exchange between GPUs that binds',
  capacity: 'all places are taken, and more load only waits for its first token',
}

/** Neighbouring loads of one binding stand together. */
export function bindings(frontier: readonly PredictedLoad[]): readonly string[] {
  const groups: PredictedLoad[][] = []
  for (const point of [...frontier].sort((a, b) => a.concurrency - b.concurrency)) {
    const group = groups.at(-1)
    if (group?.[0]?.binding === point.binding) group.push(point)
    else groups.push([point])
  }
  return groups.flatMap((group) => {
    const [first, last] = [group[0], group.at(-1)]
    if (first === undefined || last === undefined) return []
    const from = figure(first.concurrency)
    const at = first === last ? `At ${from} in flight` : `From ${from} to ${figure(last.concurrency)} in flight`
    return [`${at} ${GOES[first.binding]}.`]
  })
}

function room({ maxNumSeqs }: Configuration, { maxConcurrency, kvCapacityTokens }: Memory): string {
  return maxNumSeqs < maxConcurrency
    ? `The engine decodes at most ${figure(maxNumSeqs)} sequences at once (--max-num-seqs), though memory would hold ${figure(maxConcurrency)} such requests.`
    : `Memory holds ${figure(kvCapacityTokens)} tokens of KV cache: at most ${figure(maxConcurrency)} such requests at once.`
}

/** Longer contexts run, but what the model writes then is another question. */
export function beyondContext(model: ModelShape, { inputTokens, outputTokens }: Lengths): readonly string[] {
  const tokens = inputTokens + outputTokens
  if (model.maxContext === undefined || tokens <= model.maxContext) return []
  return [
    `${figure(tokens)} tokens are more than the context of ${figure(model.maxContext)} that the model was made for.`,
  ]
}
