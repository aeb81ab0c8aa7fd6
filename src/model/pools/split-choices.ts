import { gpusOf, type Lengths } from '../roofline/configuration.ts'
import { decodeStep } from '../roofline/step-model.ts'
import { type Link, transferSeconds } from './link.ts'
import { PREFILL_SHARE, type PrefillInstance, waitSeconds } from './prompt-reading.ts'
import type { DecodeInstance } from './split-pools.ts'

/** One way to split a budget, at one number of sequences in each decode instance. */
export interface SplitChoice {
  readonly reader: PrefillInstance
  readonly readers: number
  readonly writer: DecodeInstance
  readonly writers: number
  readonly pace: number
  readonly requestsPerSecond: number
  readonly ttftS: number
  /** Requests in flight, of all. */
  readonly load: number
}

/** 1, 2, 3, 4, 6, 8, 12, …: two to every doubling, and the last. */
export function loadsUpTo(most: number): readonly number[] {
  const loads: number[] = []
  for (let load = 1; load < most; load *= 2) {
    loads.push(load)
    if (load > 1 && 1.5 * load < most) loads.push(1.5 * load)
  }
  return [...loads, most]
}

/**
 * Goes through the ways to split `gpus` into whole prefill and decode instances that are worth a look, and through the loads of each. The
 * choice handed over is one object, written anew each time. Returns how many ways there were.
 */
export function eachSplit(
  readers: readonly PrefillInstance[],
  writers: readonly DecodeInstance[],
  gpus: number,
  lengths: Lengths,
  link: Link,
  visit: (choice: SplitChoice) => void,
): number {
  const { tables, readers: useful } = usefulOf(readers, writers, lengths)
  let ways = 0
  for (const reader of useful) {
    for (const table of tables) {
      const { writer } = table
      const transferS = transferSeconds(link, reader.configuration, writer.model.configuration, lengths.inputTokens)
      const size = { reader: gpusOfInstance(reader), writer: gpusOfInstance(writer) }
      for (const p of readerCounts(table, reader, size, gpus, lengths)) {
        const d = Math.floor((gpus - p * size.reader) / size.writer)
        visitLoads(table, { reader, readers: p, writer, writers: d }, transferS, lengths, visit)
        ways++
      }
    }
  }
  return ways
}

/** Instances that no other with as many GPUs outdoes in everything. */
export function usefulInstances(
  readers: readonly PrefillInstance[],
  writers: readonly DecodeInstance[],
  lengths: Lengths,
): { readonly readers: readonly PrefillInstance[]; readonly writers: readonly DecodeInstance[] } {
  const useful = usefulOf(readers, writers, lengths)
  return { readers: useful.readers, writers: useful.tables.map(({ writer }) => writer) }
}

function usefulOf(
  readers: readonly PrefillInstance[],
  writers: readonly DecodeInstance[],
  lengths: Lengths,
): { readonly readers: readonly PrefillInstance[]; readonly tables: readonly StepTable[] } {
  const tables = writers.map((writer) => stepTable(writer, lengths))
  return { readers: withoutWorse(readers, worseToRead), tables: withoutWorse(tables, worseToWrite) }
}

/**
 * Numbers of prefill instances worth a look: at each load of the decode instances, the two next to the number that hands over just as
 * much as the decode instances that then have room take,
 *
 *     0.9·p·r_p = (G − p·G_p)/G_d · b/(N·T(b))
 */
function readerCounts(
  { batches, seconds }: StepTable,
  reader: PrefillInstance,
  size: { readonly reader: number; readonly writer: number },
  gpus: number,
  { outputTokens }: Lengths,
): ReadonlySet<number> {
  const most = Math.floor((gpus - size.writer) / size.reader)
  const counts = new Set<number>()
  for (let i = 0; i < batches.length && most >= 1; i++) {
    const perGpu = (batches[i] ?? 0) / (outputTokens * (seconds[i] ?? 1) * size.writer)
    const matched = (gpus * perGpu) / (PREFILL_SHARE * reader.requestsPerSecond + size.reader * perGpu)
    for (const count of [Math.floor(matched), Math.ceil(matched)]) counts.add(Math.max(1, Math.min(most, count)))
  }
  return counts
}

function gpusOfInstance(instance: PrefillInstance | DecodeInstance): number {
  return gpusOf(('model' in instance ? instance.model.configuration : instance.configuration).parallelism)
}

/** Seconds of a step of one decode instance at each of its loads. */
interface StepTable {
  readonly writer: DecodeInstance
  readonly batches: readonly number[]
  readonly seconds: readonly number[]
}

function stepTable(writer: DecodeInstance, lengths: Lengths): StepTable {
  const batches = loadsUpTo(writer.places)
  const seconds = batches.map((sequences) => writer.model.stepSeconds(decodeStep(sequences, lengths)))
  return { writer, batches, seconds }
}

type Way = Pick<SplitChoice, 'reader' | 'readers' | 'writer' | 'writers'>

/**
 * From one request alone, which waits for nobody, up to where the prefill pool, or the link, is busy to its useful share; there the number
 * of sequences settles.
 */
function visitLoads(
  { batches, seconds }: StepTable,
  way: Way,
  transferS: number,
  { inputTokens, outputTokens }: Lengths,
  visit: (choice: SplitChoice) => void,
): void {
  const { reader, readers, writer, writers } = way
  const capacity = Math.min(readers * reader.requestsPerSecond, Math.min(readers, writers) / transferS)
  const most = PREFILL_SHARE * capacity
  const { arrivalSeconds, waitFactor } = writer.model
  const choice = { ...way, pace: 0, requestsPerSecond: 0, ttftS: 0, load: 0 }
  const loneS = seconds[0] ?? 0
  choice.pace = 1 / loneS
  choice.ttftS = waitFactor(1) * (arrivalSeconds(inputTokens) + reader.seconds) + transferS + loneS
  choice.requestsPerSecond = 1 / (choice.ttftS + (outputTokens - 1) * loneS)
  choice.load = 1
  visit(choice)
  let last = false
  for (let i = 0; i < batches.length && !last; i++) {
    let batch = batches[i] ?? 1
    let stepS = seconds[i] ?? 0
    last = (writers * batch) / (outputTokens * stepS) > most
    if (last) {
      // Between two loads T = α + β·b, and there b/T reaches the rate that prompts come at. Of fewer than one: some instances idle.
      const target = (most * outputTokens) / writers
      if (i === 0) batch = target * stepS
      else {
        const before = { batch: batches[i - 1] ?? 1, stepS: seconds[i - 1] ?? 0 }
        const slope = (stepS - before.stepS) / (batch - before.batch)
        batch = (target * (before.stepS - slope * before.batch)) / (1 - target * slope)
        stepS = batch / target
      }
    }
    const rate = (writers * batch) / (outputTokens * stepS)
    const wait = waitSeconds(rate, capacity, readers * reader.places) + stepS / 2
    const underWay = waitFactor(writers * batch) * (arrivalSeconds(inputTokens) + wait + reader.seconds) + transferS
    choice.pace = 1 / stepS
    choice.requestsPerSecond = rate
    choice.ttftS = underWay + stepS
    choice.load = writers * batch + rate * underWay
    visit(choice)
  }
}

/** Leaves out what another that takes as many GPUs outdoes in everything. */
function withoutWorse<Item>(items: readonly Item[], isWorse: (a: Item, b: Item) => boolean): readonly Item[] {
  const kept: Item[] = []
  for (const item of items) if (!kept.some((better) => isWorse(item, better))) kept.push(item)
  return kept
}

function worseToRead(a: PrefillInstance, b: PrefillInstance): boolean {
  return (
    gpusOfInstance(a) === gpusOfInstance(b) &&
    a.requestsPerSecond <= b.requestsPerSecond &&
    a.seconds >= b.seconds &&
    sendsNoFaster(a.configuration.parallelism, b.configuration.parallelism)
  )
}

function worseToWrite(a: StepTable, b: StepTable): boolean {
  return (
    gpusOfInstance(a.writer) === gpusOfInstance(b.writer) &&
    a.writer.places <= b.writer.places &&
    a.seconds.every((seconds, i) => seconds >= (b.seconds[i] ?? Number.POSITIVE_INFINITY)) &&
    sendsNoFaster(a.writer.model.configuration.parallelism, b.writer.model.configuration.parallelism)
  )
}

function sendsNoFaster(a: { tp: number; pp: number }, b: { tp: number; pp: number }): boolean {
  return a.tp <= b.tp && a.pp <= b.pp
}
