import {
  type Confidence,
  counted,
  figure,
  type PredictedLoad,
  type PredictedPart,
  type PredictedPoolStep,
  type PredictedSearch,
  type Prediction,
  percent,
} from '../core/index.ts'
import { textTable } from './table.ts'

/** What `predict` prints for a person: on what, both speeds by load, what binds, how far to trust it. */
export function predictionText(prediction: Prediction): string {
  return paragraphs([
    headline(prediction),
    [frontierTable(prediction)],
    prediction.explanation,
    stepTable(prediction),
    ...poolTables(prediction),
    [trustLine(prediction), ...costLines(prediction.frontier)],
  ])
}

/** The same of a search. */
export function predictedSearchText(search: PredictedSearch): string {
  const { hardware, explanation, frontier } = search
  return paragraphs([
    [`${subject(search)} on at most ${hardware.gpus} × ${hardware.name}.`],
    explanation,
    ...(frontier.length === 0 ? [] : [[frontierTable(search)], [trustLine(search), ...costLines(frontier)]]),
  ])
}

function paragraphs(parts: readonly (readonly string[])[]): string {
  return parts
    .map((lines) => lines.join('\n'))
    .filter((part) => part !== '')
    .join('\n\n')
}

type Answer = Prediction | PredictedSearch

function subject({ model, precision, kvPrecision, lengths }: Answer): string {
  return `${model} in ${precision}, KV cache in ${kvPrecision}, ${counted(lengths.input, 'token')} in and ${figure(lengths.output)} out,`
}

function headline(prediction: Prediction): readonly string[] {
  const { hardware, memory, pools } = prediction
  const { name, gpus, tp, pp, ep, dp } = hardware
  const ways = [`TP ${tp}`, pp > 1 && `PP ${pp}`, ep > 1 && `EP ${ep}`, dp > 1 && `DP ${dp}`].filter(Boolean).join(', ')
  const laidOut = pools === undefined ? ways : `${pools.prefill.name} read, ${pools.decode.name} answer`
  const { weightBytesPerGpu, kvBytesPerToken, kvCapacityTokens, maxConcurrency } = memory
  const where = pools === undefined ? '' : ' where they answer'
  return [
    `${subject(prediction)} on ${gpus} × ${name} (${laidOut}).`,
    `Memory${where}: ${figure(weightBytesPerGpu / 1e9)} GB of weights a GPU; KV ${figure(kvBytesPerToken)} bytes a token, ${figure(kvCapacityTokens)} tokens fit, ${counted(maxConcurrency, 'such request')} at once.`,
  ]
}

/** A column, and what it says of a point. */
type Cell = readonly [head: readonly string[], cell: (point: PredictedLoad) => string, align?: 'left']

function frontierTable({ frontier, hardware }: Answer): string {
  const some = (is: (point: PredictedLoad) => boolean): boolean => frontier.some(is)
  const maybe = (value: number | undefined): string => (value === undefined ? '–' : figure(value))
  const cells: readonly (Cell | false)[] = [
    some((point) => point.configuration !== undefined) && [
      ['configuration', ''],
      (point) => point.configuration ?? '',
      'left',
    ],
    some(({ gpus = hardware.gpus }) => gpus < hardware.gpus) && [
      ['GPUs', 'used'],
      ({ gpus = hardware.gpus }) => `${gpus} of ${hardware.gpus}`,
    ],
    [['in flight', ''], (point) => figure(point.concurrency)],
    [['tok/s/user', ''], (point) => figure(point.tokensPerSecondPerUser)],
    [['8 in 10', 'within'], (point) => `${figure(point.low)} to ${figure(point.high)}`],
    some((point) => point.class !== frontier[0]?.class) && [['known', 'as'], (point) => SHORT[point.class], 'left'],
    [['tok/s', 'in all'], (point) => figure(point.outputTokensPerSecond)],
    hardware.gpus > 1 && [['tok/s', 'per GPU'], (point) => figure(point.tokensPerSecondPerGpu)],
    [['TTFT', 'ms'], (point) => figure(point.ttftMs)],
    [['TPOT', 'ms'], (point) => figure(point.tpotMs)],
    some(({ split }) => split !== undefined) && [['prefill', 'busy'], ({ split }) => busy(split?.prefill.busy)],
    some(({ split }) => split !== undefined) && [['decode', 'busy'], ({ split }) => busy(split?.decode.busy)],
    some(({ cost }) => cost !== undefined) && [
      ['cost', 'per M out'],
      ({ cost }) => maybe(cost?.perMillionOutputTokens),
    ],
    some(({ energy }) => energy !== undefined) && [
      ['J/token', 'at most'],
      ({ energy }) => maybe(energy?.joulesPerOutputToken),
    ],
    [['binds', ''], ({ binding }) => bindsWord(binding), 'left'],
  ]
  const shown = cells.filter((cell) => cell !== false)
  return textTable(
    shown.map(([head, , align]) => ({ head, ...(align && { align }) })),
    frontier.map((point) => shown.map(([, cell]) => cell(point))),
  )
}

const busy = (share: number | undefined): string => (share === undefined ? '–' : percent(share))

/** Where the time of a step goes. */
function stepTable({ step }: Prediction): readonly string[] {
  if (step === undefined) return []
  const { concurrency, sequences, contextTokens, promptTokens, promptShare, ms, parts } = step
  const all = (of: (part: PredictedPart) => number): string => figure(parts.reduce((sum, part) => sum + of(part), 0))
  return [
    `A step at ${figure(concurrency)} in flight: ${figure(sequences)} streams of ${figure(contextTokens)} tokens of context; ${percent(promptShare)} of steps carry ${figure(promptTokens)} tokens of prompt as well.`,
    textTable(
      [
        { head: ['part', ''], align: 'left' },
        { head: ['decode', 'only, ms'] },
        { head: ['with', 'prompt, ms'] },
        { head: ['mean', 'ms'] },
        { head: ['share', ''] },
        { head: ['mean', 'GB'] },
        { head: ['mean', 'GFLOP'] },
        { head: ['binds', ''], align: 'left' },
      ],
      [
        ...parts.map((part) => [
          PARTS[part.name] ?? part.name,
          figure(part.decodeOnlyMs),
          figure(part.withPromptMs),
          figure(part.ms),
          percent(part.ms / ms),
          figure(part.bytes / 1e9),
          figure(part.flops / 1e9),
          bindsWord(part.binds),
        ]),
        ['step', all((part) => part.decodeOnlyMs), all((part) => part.withPromptMs), figure(ms), percent(1)],
      ],
    ),
  ]
}

/** Where the time of a step of either pool goes. */
function poolTables({ pools, frontier }: Prediction): readonly (readonly string[])[] {
  if (pools?.prefill.step === undefined || pools.decode.step === undefined) return []
  const { prefill, decode } = pools
  const load = figure(Math.max(...frontier.map(({ concurrency }) => concurrency)))
  const { sequences, contextTokens } = pools.decode.step
  return [
    [
      `A step of one of ${prefill.name}, which read: ${figure(pools.prefill.step.promptTokens)} tokens of prompt.`,
      partsTable(pools.prefill.step),
    ],
    [
      `A step of one of ${decode.name}, which answer, at ${load} in flight: ${figure(sequences)} streams of ${figure(contextTokens)} tokens of context.`,
      partsTable(pools.decode.step),
    ],
  ]
}

function partsTable({ ms, parts }: PredictedPoolStep): string {
  return textTable(
    [
      { head: ['part'], align: 'left' },
      { head: ['ms'] },
      { head: ['share'] },
      { head: ['GB'] },
      { head: ['GFLOP'] },
      { head: ['binds'], align: 'left' },
    ],
    [
      ...parts.map((part) => [
        PARTS[part.name] ?? part.name,
        figure(part.ms),
        percent(part.ms / ms),
        figure(part.bytes / 1e9),
        figure(part.flops / 1e9),
        bindsWord(part.binds),
      ]),
      ['step', figure(ms), percent(1)],
    ],
  )
}

const bindsWord = (binds: string): string => (binds === 'kv' ? 'KV' : binds)

const PARTS: Readonly<Record<string, string>> = {
  projections: 'projections of attention',
  attention: 'attention over the cache',
  promptAttention: 'attention within prompts',
  feedForward: 'feed-forward layers',
  head: 'output matrix',
  allReduce: 'all-reduce',
  allToAll: 'all-to-all',
  pipeline: 'between stages',
  overhead: 'launches and host',
}

const CLASSES: Readonly<Record<Confidence['class'], string>> = {
  interpolated: 'interpolated, for this very configuration was measured at these lengths',
  newShape: 'a new shape, scaled by measurements of a neighbour of other lengths or another split over GPUs',
  uncalibrated: 'uncalibrated, from datasheets and constants alone',
}

const SHORT: Readonly<Record<Confidence['class'], string>> = {
  interpolated: 'interpolated',
  newShape: 'new shape',
  uncalibrated: 'uncalibrated',
}

/** Of which of several lines the interval is, where they have not the same. */
function leastSure(answer: Answer): string {
  const { frontier } = answer
  const width = ({ low, high }: PredictedLoad): number => high / low
  const [one] = frontier
  if (one === undefined || frontier.every((point) => Math.abs(width(point) / width(one) - 1) < 1e-6)) return ''
  if ('search' in answer && answer.best !== undefined) return 'of the line chosen, '
  return 'of the least sure of these lines, '
}

function trustLine(answer: Answer): string {
  const { confidence, calibratedBy } = answer
  const by = calibratedBy === undefined ? '' : ` (${counted(calibratedBy, 'point')})`
  return trustSentence(confidence, leastSure(answer), by)
}

/** Of which lines the confidence is, and by how many points. */
export function trustSentence({ class: name, low, high, ttft }: Confidence, of = '', by = ''): string {
  return `How far to trust it: ${of}${CLASSES[name]}${by}. Of public measurements foretold so, eight in ten had ${figure(low)} to ${figure(high)} times the pace predicted, and ${figure(ttft.low)} to ${figure(ttft.high)} times the wait for a first token; by model and GPU it differs: docs/reference/model-accuracy.md.`
}

function costLines(frontier: readonly PredictedLoad[]): readonly string[] {
  return [
    ...(frontier.some(({ cost }) => cost !== undefined)
      ? ['Cost: the GPUs at the price given, over the output tokens.']
      : []),
    ...(frontier.some(({ energy }) => energy !== undefined)
      ? ['Energy: the GPUs at their rated power, over the output tokens; they draw less than that.']
      : []),
  ]
}
