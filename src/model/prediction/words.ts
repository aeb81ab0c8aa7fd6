import { counted, figure, type PredictedBinding, type PredictedLoad, percent } from '../../core/index.ts'
import type { ModelShape } from '../catalogue/model-shape.ts'
import { bandwidthBound } from '../roofline/bandwidth-bound.ts'
import type { Configuration, Lengths } from '../roofline/configuration.ts'
import type { Memory } from '../roofline/memory.ts'
import { weightFormats } from '../roofline/precision.ts'
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
    ...kept(configuration),
    ...experts(configuration),
    ...answer(lengths),
    ...cautions(configuration.model, lengths),
  ]
}

function ofEach({ parallelism: { dp } }: Configuration): string {
  return dp > 1 ? ` of each of the ${dp} data-parallel copies` : ''
}

/** What one stream alone reads of the weights, and the pace that memory allows it even if nothing else took time. */
function solo(model: StepModel, lengths: Lengths): string {
  const { step, bytes, seconds } = bandwidthBound(model, lengths)
  const { pp } = model.configuration.parallelism
  return `A step of one stream reads ${figure(bytes / 1e9)} GB of weights ${pp > 1 ? `through its ${pp} stages` : 'a GPU'}, which takes ${figure(1000 * seconds)} ms at the bandwidth of the datasheet: no user can get more than ${figure(1 / seconds)} tok/s. Decoding alone, with all else, ${figure(1 / model.stepSeconds(step))} is predicted.`
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
    return [`${at} ${GOES[first.binding]}${first.binding === 'capacity' ? '' : ` (${shares(group)} of a step)`}.`]
  })
}

/** The largest of several shares need not be most of it. */
function shares(points: readonly PredictedLoad[]): string {
  const all = points.map(({ bindingShare }) => bindingShare)
  const [least, most] = [percent(Math.min(...all)), percent(Math.max(...all))]
  return least === most ? least : `${least} to ${most}`
}

function room({ maxNumSeqs }: Configuration, { maxConcurrency, kvCapacityTokens }: Memory): string {
  return maxNumSeqs < maxConcurrency
    ? `The engine decodes at most ${counted(maxNumSeqs, 'sequence')} at once (--max-num-seqs), though memory would hold ${counted(maxConcurrency, 'such request')}.`
    : `Memory holds ${figure(kvCapacityTokens)} tokens of KV cache: at most ${counted(maxConcurrency, 'such request')} at once.`
}

/** Why tokens of context that fit and requests that fit are not in proportion. */
function kept({ model }: Configuration): readonly string[] {
  const { window, linear } = model
  return [
    ...(window === undefined
      ? []
      : [
          `Of that cache ${window.layers} layers keep no more than their window of ${figure(window.tokens)} tokens, so longer requests take less of it than their tokens say.`,
        ]),
    ...(linear === undefined
      ? []
      : [`${linear.layers} layers keep a state of fixed size in place of a cache, which every request takes once.`]),
  ]
}

/** What surprises about experts: their formats, and that sharing them out alone changes nothing. */
function experts(configuration: Configuration): readonly string[] {
  const { model, gpu, precision, parallelism } = configuration
  if (model.experts === undefined) return []
  const formats = weightFormats(precision, model, gpu)
  return [
    ...(formats.experts.bytes < 1 && formats.layers.bytes > 1
      ? [
          `In ${precision} the routed experts alone are in 4 bits; attention and shared experts stay in 16, so a step of few streams may read more than in 8 bits throughout.`,
        ]
      : []),
    ...(parallelism.ep > 1 && parallelism.dp === 1
      ? [
          `EP ${parallelism.ep} with one copy of attention is foretold like EP 1: each GPU has all tokens and reads as many bytes of whole experts as of cut ones, and the same sums are added up. That some experts are asked for more than others is not known of a server.`,
        ]
      : []),
  ]
}

function answer({ outputTokens }: Lengths): readonly string[] {
  return outputTokens > 1 ? [] : ['An answer of one token has no pace: it is taken as one of two.']
}

/** Longer contexts run, but what the model writes then is another question; and layers of a family not known may be others. */
export function cautions(
  { maxContext = Number.POSITIVE_INFINITY, unknownFamily }: ModelShape,
  { inputTokens, outputTokens }: Lengths,
): readonly string[] {
  const tokens = inputTokens + outputTokens
  const sentences = [
    tokens > maxContext &&
      `${figure(tokens)} tokens are more than the context of ${figure(maxContext)} that the model was made for.`,
    unknownFamily !== undefined &&
      `The architecture ${JSON.stringify(unknownFamily)} is not known: its layers are taken to be those of a usual decoder.`,
  ]
  return sentences.filter((sentence) => sentence !== false)
}
