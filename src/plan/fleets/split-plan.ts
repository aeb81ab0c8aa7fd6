import { figure, type Plan, type PlannedPool, type Product, type ProductWork, percent } from '../../core/index.ts'
import { layoutName, leastPools, type Pool, PREFILL_SHARE, parallelismOf, type SplitFleet } from '../../model/index.ts'
import type { ChosenPoint } from '../choice.ts'
import type { demandOf } from '../demand.ts'
import { peakWords } from '../peak.ts'
import { usersLine } from '../plan-arrivals.ts'
import { gpusOf, lasting, quotient, rateOf } from '../plan-words.ts'
import { costOf, kvLines, money } from '../planned-server.ts'
import { splitBreaksFirst } from './split-breaks-first.ts'
import { loadOf, type SplitStay } from './split-stay.ts'

type Asked = ReturnType<typeof demandOf>

/**
 * The fleet of split pools as a plan. An instance that answers is a replica; what it may hold, and how long a request stays then, is of it alone, with
 * no prompt that waits to be read. How many read follows from what they read, and from how long prompts then wait.
 */
export function splitPlan(
  fleet: SplitFleet,
  product: Product & ProductWork,
  demand: Asked,
  stay: SplitStay,
  pricePerHour: number | undefined,
): Plan {
  const { way, mean, peak, confidence } = fleet
  const { arrivalsPerSecond, timeInSystemS, inFlight, day } = stay
  const { users, thinkS = 0, inputTokens, outputTokens } = demand
  const real = loadOf(mean.load, arrivalsPerSecond / mean.decode, outputTokens)
  const gpuHour = pricePerHour ?? demand.gpuHour
  const cost =
    gpuHour === undefined ? undefined : costOf(gpuHour, mean.gpus, arrivalsPerSecond * outputTokens * 3600, peak.gpus)
  const choice = chosenPoint(fleet, outputTokens)
  const { kvCapacityTokens, kvBytesPerToken } = way.writer.memory
  const tokensPerRequest = (inputTokens ?? 0) + outputTokens / 2
  const kv = {
    tokensPerRequest,
    tokens: inFlight * tokensPerRequest,
    tokensPerReplica: way.most.batch * tokensPerRequest,
    capacityTokensPerReplica: kvCapacityTokens,
    bytes: inFlight * tokensPerRequest * kvBytesPerToken,
  }
  const breaks = splitBreaksFirst(fleet, product, arrivalsPerSecond, outputTokens)
  return {
    product,
    arrivalsPerSecond,
    ...(users !== undefined && { users, thinkS }),
    timeInSystemS,
    inFlight,
    choice,
    bindingConstraint: way.binding,
    reason: reasonOf(fleet, product, choice.concurrency),
    replicas: mean.decode,
    perReplica: real,
    replicasAtPeak: peak.decode,
    headroom: stay.peak.inFlight / inFlight - 1,
    peak: stay.peak,
    ...(day !== undefined && { day }),
    gpus: mean.gpus,
    gpusAtPeak: peak.gpus,
    ...(inputTokens !== undefined && { inputTokens }),
    outputTokens,
    kv,
    ...(cost !== undefined && { cost }),
    arithmetic: [
      `W = ${lasting(way.most.ttftMs / 1000)} to the first token, if its prompt waits for no other, + ${figure(outputTokens)} tokens ÷ ${figure(way.most.tokensPerSecondPerUser)} tok/s = ${lasting(timeInSystemS)}.`,
      ...(users === undefined ? [] : [usersLine(users, thinkS, timeInSystemS, arrivalsPerSecond)]),
      `L = λ·W = ${rateOf(arrivalsPerSecond)} × ${lasting(timeInSystemS)} = ${figure(inFlight)} in flight.`,
      ...poolLines(fleet, arrivalsPerSecond),
      `Together ${gpusOf(mean.gpus)}. Each that answers then has ${figure(mean.load.batch)} streams at ${figure(real.tokensPerSecondPerUser)} tok/s/user; a first token takes ${lasting(mean.load.ttftMs / 1000)}, a request ${lasting(real.timeInSystemS)}.`,
      `Peak: ${peakWords(stay.peak, inFlight, day)}, which are ${rateOf(fleet.rates.peak)}: ${poolWords(fleet, 'peak')}, ${gpusOf(peak.gpus)}.`,
      ...(day === undefined ? [] : [day.sentence]),
      ...kvLines(kv, inFlight, demand),
      ...(cost === undefined
        ? []
        : [
            `Cost: ${gpusOf(mean.gpus)} × ${money(gpuHour ?? 0)} = ${money(cost.perHour)} an hour; ${rateOf(arrivalsPerSecond)} × ${figure(outputTokens)} tokens are ${figure((arrivalsPerSecond * outputTokens * 3600) / 1e6)} million an hour: ${money(cost.perMillionOutputTokens)} a million output tokens. For the peak ${money(cost.perHourAtPeak ?? 0)} an hour.`,
          ]),
    ],
    breaksFirst: breaks,
    extrapolated: [
      ...(confidence.class === 'uncalibrated' ? ['all of it is foretold from datasheets'] : []),
      ...(confidence.class === 'newShape'
        ? ['all of it is foretold from measurements of other lengths or of another layout']
        : []),
    ],
    pools: {
      prefill: pool(fleet, 'prefill', busyOf(fleet, arrivalsPerSecond).prefill),
      decode: pool(fleet, 'decode', busyOf(fleet, arrivalsPerSecond).decode),
      link: { name: way.link.name, bytesPerSecond: way.link.bytesPerSecond },
    },
  }
}

/** What an instance that answers holds at the most, and what it makes for each GPU with its share of those that read. */
function chosenPoint({ way, confidence }: SplitFleet, outputTokens: number): ChosenPoint {
  const { most, size } = way
  const { inFlight } = loadOf(most, most.requestsPerSecond, outputTokens)
  const output = most.requestsPerSecond * outputTokens
  return {
    concurrency: inFlight,
    tokensPerSecondPerUser: most.tokensPerSecondPerUser,
    outputTokensPerSecond: output,
    tokensPerSecondPerGpu: output / (size.decode + readersFor(way, most.requestsPerSecond) * size.prefill),
    ttftMs: most.ttftMs,
    source: confidence.class === 'interpolated' ? 'fitted' : 'extrapolated',
    low: confidence.low * most.tokensPerSecondPerUser,
    high: confidence.high * most.tokensPerSecondPerUser,
  }
}

/** Not only whole ones. */
const readersFor = ({ reader }: SplitFleet['way'], requestsPerSecond: number): number =>
  requestsPerSecond / (PREFILL_SHARE * reader.requestsPerSecond)

function busyOf({ way, mean }: SplitFleet, arrivals: number): { readonly prefill: number; readonly decode: number } {
  return {
    prefill: arrivals / (mean.prefill * way.reader.requestsPerSecond),
    decode: arrivals / (mean.decode * way.most.requestsPerSecond),
  }
}

const layoutOf = (pool: Pool): string => layoutName(parallelismOf(pool))

function pool({ way, mean, peak, ...fleet }: SplitFleet, side: 'prefill' | 'decode', busy: number): PlannedPool {
  return {
    layout: layoutOf(fleet[side]),
    gpusPerInstance: way.size[side],
    instances: mean[side],
    instancesAtPeak: peak[side],
    busy,
  }
}

function poolWords(fleet: SplitFleet, when: 'mean' | 'peak'): string {
  const { prefill, decode } = fleet[when]
  return `${figure(prefill)} × ${layoutOf(fleet.prefill)} that read and ${figure(decode)} × ${layoutOf(fleet.decode)} that answer`
}

function poolLines({ way, mean, prefill, decode }: SplitFleet, arrivals: number): readonly string[] {
  const { most, reader, size, transferS, link } = way
  const answered = arrivals / most.requestsPerSecond
  const read = PREFILL_SHARE * reader.requestsPerSecond
  const least = leastPools(way, arrivals)
  const extra = (count: number, why: string): string => (count > 0 ? `, and ${figure(count)} more ${why}` : '')
  const more = (side: 'prefill' | 'decode', quotientOf: number): string => {
    const own = Math.max(1, Math.ceil(quotientOf - 1e-9))
    return [
      extra(least[side] - own, 'for the link, of which each has its own'),
      extra(mean[side] - Math.max(own, least[side]), 'so that the first token comes in time'),
    ].join('')
  }
  const of = (count: number, layout: Pool, each: number): string =>
    `${figure(count)} × ${layoutOf(layout)}, ${gpusOf(count * each)}`
  return [
    `Decode: one ${layoutOf(decode)} holds ${figure(most.batch)} streams at ${figure(most.tokensPerSecondPerUser)} tok/s/user and so answers ${rateOf(most.requestsPerSecond)}: ${figure(arrivals)} ÷ ${figure(most.requestsPerSecond)} = ${quotient(answered)}, so ${of(mean.decode, decode, size.decode)}${more('decode', answered)}.`,
    `Prefill: one ${layoutOf(prefill)} reads up to ${rateOf(reader.requestsPerSecond)}, of which ${percent(PREFILL_SHARE)} are planned for: ${figure(arrivals)} ÷ ${figure(read)} = ${quotient(arrivals / read)}, so ${of(mean.prefill, prefill, size.prefill)}${more('prefill', arrivals / read)}.`,
    `Between them the cache of a prompt takes ${lasting(transferS)} over ${link.name} (${figure(link.bytesPerSecond / 1e9)} GB/s a GPU).`,
  ]
}

function reasonOf(fleet: SplitFleet, { tokensPerSecond = 0, ttftMs = 0 }: Product, inFlight: number): string {
  const { way, decode } = fleet
  const { most, binding } = way
  const each = `${figure(most.batch)} streams are the most that one ${layoutOf(decode)} which only answers`
  const why = {
    floor: `${each} gives ${figure(tokensPerSecond)} tok/s each (${figure(most.tokensPerSecondPerUser)}).`,
    ttft: `${each} may have so that its steps leave time for a first token within ${figure(ttftMs)} ms.`,
    kv: `${each} has memory for; at ${figure(most.tokensPerSecondPerUser)} tok/s each the floor would allow more.`,
    serverLimit: `${each} decodes at once; at ${figure(most.tokensPerSecondPerUser)} tok/s each the floor would allow more.`,
  }[binding]
  const others = Math.round(inFlight - most.batch)
  const waiting = others < 1 ? '' : ` ${figure(others)} more in flight for it wait for their first token.`
  return `${why}${waiting} No step of it carries a prompt: ${poolWords(fleet, 'peak')} at the peak.`
}
