import { checkAmounts, type Product, type ProductWork, RANGES, TwospeedError } from '../core/index.ts'
import { type DaySource, demandOfDay } from './day/index.ts'

/** What a fleet is planned for; of lengths the means. */
export interface Demand extends ProductWork {
  /** λ. In its place users who ask again so long after each answer. */
  readonly arrivalsPerSecond?: number
  readonly users?: number
  readonly thinkS?: number
  /** In place of both: what comes in the course of a day. */
  readonly day?: DaySource
  /** From the order of a replica until it answers. */
  readonly startupS?: number
  /** For more than the mean: a rate, or a share of the mean. Neither: the highest of chance. */
  readonly peakPerSecond?: number
  readonly headroom?: number
  /** Of a batch without a deadline; one if absent. */
  readonly replicas?: number
  /** A GPU for an hour, in your own money. */
  readonly gpuHour?: number
  /** What the KV cache of a replica holds, and how large a token is there. */
  readonly kvTokens?: number
  readonly kvBytes?: number
}

/** What is asked, with what the product's own file says where nothing else does. Throws all that is wrong with it at once. */
export function demandOf(product: Product & ProductWork, asked: Demand): Demand & { readonly outputTokens: number } {
  checkAmounts([
    ['--arrivals', asked.arrivalsPerSecond, RANGES.tokensPerSecond],
    ['--peak', asked.peakPerSecond, RANGES.tokensPerSecond],
    ['--headroom', asked.headroom, { least: 0, most: 1000 }],
    ['--users', asked.users, RANGES.inFlight],
    ['--think', asked.thinkS, { least: 0, most: 1e9 }],
    ['--startup', asked.startupS, { least: 0, most: 1e7 }],
    ['--requests', asked.requests, { least: 1, most: 1e12 }],
    ['--deadline', asked.deadlineS, { least: 1e-6, most: 1e10 }],
    ['--replicas', asked.replicas, RANGES.count],
    ['--gpu-hour', asked.gpuHour, RANGES.price],
    ['--input-tokens', asked.inputTokens, RANGES.tokens],
    ['--output-tokens', asked.outputTokens, RANGES.tokens],
    ['--kv-tokens', asked.kvTokens, RANGES.tokens],
    ['--kv-bytes', asked.kvBytes, RANGES.tokens],
  ])
  const { inputTokens, outputTokens, requests, deadlineS } = product
  const ofDay = asked.day === undefined ? {} : lengthsOf(asked.day)
  const demand: Demand = {
    ...ofDay,
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(requests !== undefined && { requests }),
    ...(deadlineS !== undefined && { deadlineS }),
    ...asked,
  }
  const isBatch = product.goal === 'throughput'
  const conflicts = [...shared(demand), ...(isBatch ? ofBatch(demand) : ofPace(demand))]
  const missing = [...unsaid(demand), ...(isBatch ? unsaidOfBatch(demand) : unsaidOfPace(demand))]
  if (conflicts.length > 0) {
    throw new TwospeedError('CONFLICTING_FLAGS', [...conflicts, ...missing].join('; '), 'Leave one of each out.')
  }
  if (missing.length > 0 || demand.outputTokens === undefined) {
    throw new TwospeedError('MISSING_VALUE', missing.join('; '), 'For example: --arrivals 12/s --output-tokens 300.')
  }
  const { day } = demand
  return {
    ...demand,
    ...(day !== undefined && { arrivalsPerSecond: demandOfDay(day).arrivalsPerSecond }),
    outputTokens: demand.outputTokens,
  }
}

/** Of a trace; a curve says nothing of them. */
function lengthsOf(day: DaySource): Pick<Demand, 'inputTokens' | 'outputTokens'> {
  const { arrivalsPerSecond: _, ...lengths } = demandOfDay(day)
  return lengths
}

const told = (conditions: readonly (readonly [boolean, string])[]): readonly string[] =>
  conditions.flatMap(([isSo, text]) => (isSo ? [text] : []))

const shared = ({ peakPerSecond, headroom, arrivalsPerSecond, day }: Demand): readonly string[] =>
  told([
    [
      peakPerSecond !== undefined && headroom !== undefined,
      '--peak and --headroom both say how much more than the mean is to be held',
    ],
    [
      peakPerSecond !== undefined && arrivalsPerSecond !== undefined && peakPerSecond < arrivalsPerSecond,
      '--peak is less than --arrivals, and a peak is more than the mean',
    ],
    [
      peakPerSecond !== undefined && day !== undefined && peakPerSecond < demandOfDay(day).arrivalsPerSecond,
      `--peak is less than the mean of ${dayFlag(day)}, and a peak is more than it`,
    ],
  ])

const ofPace = (demand: Demand): readonly string[] => {
  const { arrivalsPerSecond, users, thinkS, day, startupS, requests, deadlineS, replicas } = demand
  const hasDay = day !== undefined
  return told([
    [hasDay && arrivalsPerSecond !== undefined, `--arrivals and ${dayFlag(day)} both say how many requests come`],
    [hasDay && users !== undefined, `--users and ${dayFlag(day)} both say how many requests come`],
    [startupS !== undefined && !hasDay, '--startup is of a fleet that follows a day: --trace or --curve'],
    [arrivalsPerSecond !== undefined && users !== undefined, '--arrivals and --users both say how many requests come'],
    [thinkS !== undefined && users === undefined, '--think is how long --users pause, and there are none'],
    [requests !== undefined, '--requests is of a batch, and this product wants a pace'],
    [deadlineS !== undefined, '--deadline is of a batch, and this product wants a pace'],
    [replicas !== undefined, '--replicas is what a plan answers; only of a batch it can be given'],
  ])
}

const dayFlag = (day: DaySource | undefined): string => (day?.kind === 'trace' ? '--trace' : '--curve')

const ofBatch = (demand: Demand): readonly string[] =>
  told([
    [demand.arrivalsPerSecond !== undefined, '--arrivals: a batch is there at once, and takes --requests'],
    [demand.day !== undefined, `${dayFlag(demand.day)}: a batch is there at once, and takes --requests`],
    [demand.startupS !== undefined, '--startup: a batch follows no day'],
    [demand.users !== undefined || demand.thinkS !== undefined, '--users and --think: nobody waits for a batch'],
    [demand.peakPerSecond !== undefined || demand.headroom !== undefined, '--peak and --headroom: a batch has no peak'],
    [
      demand.deadlineS !== undefined && demand.replicas !== undefined,
      '--deadline and --replicas: the one follows from the other',
    ],
  ])

const unsaid = (demand: Demand): readonly string[] =>
  told([
    [demand.outputTokens === undefined, '--output-tokens: how long an answer is'],
    [
      demand.inputTokens === undefined && demand.kvTokens !== undefined,
      '--input-tokens: how many requests --kv-tokens hold depends on their prompts',
    ],
    [
      demand.inputTokens === undefined && demand.kvBytes !== undefined,
      '--input-tokens: what a request holds in memory depends on its prompt',
    ],
  ])

const unsaidOfPace = ({ arrivalsPerSecond, users, day }: Demand): readonly string[] =>
  told([
    [
      arrivalsPerSecond === undefined && users === undefined && day === undefined,
      '--arrivals 12/s, or --users 5000 --think 30s: how many requests come',
    ],
  ])

const unsaidOfBatch = ({ requests }: Demand): readonly string[] =>
  told([[requests === undefined, '--requests: how many answers the batch is']])
