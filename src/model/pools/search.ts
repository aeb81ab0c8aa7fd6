import { closedLoop, type PredictedPoint } from '../roofline/closed-loop.ts'
import { gpusOf, type Lengths } from '../roofline/configuration.ts'
import { greatestWithin } from './at-floor.ts'
import { type CandidateRequest, candidatesOf, poolOf } from './candidates.ts'
import { createEnvelope } from './envelope.ts'
import { leastFirstToken } from './first-token.ts'
import { defaultLink, type Link } from './link.ts'
import { gpusOfPool, nameOfPool, nameOfPools, type Pool } from './split.ts'
import { eachSplit, loadsUpTo } from './split-choices.ts'
import { greatestLoad, splitLoop } from './split-loop.ts'
import { type DecodeInstance, joinPools, type SplitPools } from './split-pools.ts'

/** A way to use a budget of GPUs. */
interface Layout {
  /** `4 × TP2`; of split pools `2 × TP4 prefill, 1 × TP8 decode`. */
  readonly label: string
  /** Replicas that read and decode. */
  readonly colocated?: Pool
  readonly split?: { readonly prefill: Pool; readonly decode: Pool }
  /** That it takes; the rest of the budget is idle, and counted all the same. */
  readonly gpus: number
}

/** Both speeds of a layout at a load; requests in flight and output tokens are of all its instances. */
export interface SearchPoint extends Layout, PredictedPoint {
  /** Over the whole budget. */
  readonly tokensPerSecondPerGpu: number
}

export interface ConfigurationSearch {
  /** Layouts looked at, each at all its loads. */
  readonly considered: number
  /** Layouts of a replica for which the memory is too small. */
  readonly doNotFit: number
  /** What no other beats in both speeds by a fiftieth; from the fastest for a user to the most per GPU. */
  readonly envelope: readonly SearchPoint[]
  /** Of the envelope, most per GPU at the floor. Absent without a floor, or where nothing reaches it. */
  readonly best?: SearchPoint
  /** Where nothing is on the envelope: the shortest wait for a first token that there is, at one request alone. */
  readonly leastTtftMs?: number
}

export interface SearchRequest extends CandidateRequest {
  /** Absent: the GPUs' own where the budget is one domain, else a network port for each. */
  readonly link?: Link
  /** Tokens a second that each user gets. */
  readonly floor?: number
  /** The longest mean wait for a first token. */
  readonly ttftMs?: number
}

interface Choice {
  readonly layout: Layout
  readonly load: number
  readonly most: number
  at(load: number): PredictedPoint
}

/**
 * All ways to use a budget of GPUs for one model: replicas of every layout that fits, and split pools of every two of them. What is on
 * the envelope says which to take for a pace. Throws DOES_NOT_FIT or IMPOSSIBLE_CONFIGURATION where there is none.
 */
export function searchConfigurations(request: SearchRequest): ConfigurationSearch {
  const { gpu, gpus, lengths, link = defaultLink(gpu, gpus) } = request
  const { floor = Number.POSITIVE_INFINITY, ttftMs = Number.POSITIVE_INFINITY } = request
  const { readers, writers, doNotFit } = candidatesOf(request)
  const envelope = createEnvelope<Choice>()
  for (const writer of writers) {
    const replicas = replicasOf(writer, gpus, lengths)
    for (const each of loadsUpTo(writer.places)) {
      const load = each * replicas.count
      const { tokensPerSecondPerUser: pace, outputTokensPerSecond, ttftMs: wait } = replicas.at(load)
      const perGpu = outputTokensPerSecond / gpus
      if (wait <= ttftMs && envelope.admits(pace, perGpu)) envelope.add(pace, perGpu, { ...replicas, load })
    }
  }
  const ways = eachSplit(readers, writers, gpus, lengths, link, (choice) => {
    const perGpu = (choice.requestsPerSecond * lengths.outputTokens) / gpus
    if (1000 * choice.ttftS > ttftMs || !envelope.admits(choice.pace, perGpu)) return
    const { reader, writer, load } = choice
    const prefill = poolOf(choice.readers, reader.configuration)
    const decode = poolOf(choice.writers, writer.model.configuration)
    const split = joinPools(prefill, decode, reader, writer, lengths, link)
    envelope.add(choice.pace, perGpu, { ...splitChoice(split), load: Math.max(1, Math.floor(load)) })
  })
  const choices = envelope.entries()
  const inTime = (point: SearchPoint): boolean => point.ttftMs <= ttftMs
  const points = choices.map((choice) => pointOf(choice, choice.load, gpus)).filter(inTime)
  const shown = unbeaten([...points, ...greatestAtFloor(choices, request)])
  const best = shown.findLast(({ tokensPerSecondPerUser }) => tokensPerSecondPerUser >= floor)
  return {
    considered: writers.length + ways,
    doNotFit,
    envelope: shown,
    ...(best !== undefined && { best }),
    ...(shown.length === 0 && { leastTtftMs: 1000 * leastFirstToken(readers, writers, gpus, lengths, link) }),
  }
}

function pointOf({ layout, at }: Choice, load: number, gpus: number): SearchPoint {
  const point = at(load)
  return { ...layout, ...point, tokensPerSecondPerGpu: point.outputTokensPerSecond / gpus }
}

/** At whole loads the points of split pools lie a little off those that were compared: what another then beats is left out. */
function unbeaten(points: readonly SearchPoint[]): readonly SearchPoint[] {
  let most = 0
  const byPace = points.toSorted(
    (a, b) => b.tokensPerSecondPerUser - a.tokensPerSecondPerUser || b.tokensPerSecondPerGpu - a.tokensPerSecondPerGpu,
  )
  return byPace.filter(({ tokensPerSecondPerGpu }) => {
    const better = tokensPerSecondPerGpu > most
    most = Math.max(most, tokensPerSecondPerGpu)
    return better
  })
}

/** The greatest whole load at which each layout on the envelope keeps floor and wait: it lies between the loads that were compared. */
function greatestAtFloor(choices: readonly Choice[], { floor, ttftMs, gpus }: SearchRequest): readonly SearchPoint[] {
  if (floor === undefined) return []
  const holds = (point: PredictedPoint): boolean =>
    point.tokensPerSecondPerUser >= floor && point.ttftMs <= (ttftMs ?? Number.POSITIVE_INFINITY)
  const layouts = new Map(choices.map((choice) => [choice.layout.label, choice]))
  return [...layouts.values()].flatMap((choice) => {
    const found = greatestWithin(choice, holds)
    return found === undefined ? [] : [pointOf(choice, Math.max(1, Math.floor(found.load)), gpus)]
  })
}

function replicasOf(
  { model, memory, places }: DecodeInstance,
  gpus: number,
  lengths: Lengths,
): Omit<Choice, 'load'> & { readonly count: number } {
  const count = Math.floor(gpus / gpusOf(model.configuration.parallelism))
  const colocated = poolOf(count, model.configuration)
  const at = (load: number): PredictedPoint => {
    const one = closedLoop(model, memory, lengths, Math.max(1, load / count))
    return { ...one, load, batch: one.batch * count, outputTokensPerSecond: one.outputTokensPerSecond * count }
  }
  const layout: Layout = { label: nameOfPool(colocated), colocated, gpus: gpusOfPool(colocated) }
  return { layout, count, most: places * count, at }
}

function splitChoice(split: SplitPools): Omit<Choice, 'load'> {
  const { prefill, decode, gpus } = split
  const label = nameOfPools(prefill, decode)
  return {
    layout: { label, split: { prefill, decode }, gpus },
    most: greatestLoad(split).load,
    at: (load) => splitLoop(split, load),
  }
}
