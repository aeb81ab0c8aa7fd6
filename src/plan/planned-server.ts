import { type Cost, figure, type KvNeed, type Product, type ProductWork } from '../core/index.ts'
import type { Demand } from './demand.ts'
import type { Evidence } from './evidence.ts'
import type { PlannedLoad } from './planned-load.ts'
import type { Replica } from './replica.ts'
import { replicasOf } from './replica.ts'

/** What a plan is made with: the load that was chosen, and what a replica does at it and at others. */
export interface PlannedServer {
  readonly evidence: Evidence
  readonly product: Product & ProductWork
  readonly replica: Replica
  readonly load: PlannedLoad
  /** The chosen load of one replica. */
  readonly perReplica: number
}

/** Replicas come whole; a quotient that is whole but for rounding is taken as it is. */
export const wholeOf = (replicas: number): number => Math.max(1, Math.ceil(replicas * (1 - 1e-12) - 1e-9))

/** Where several replicas were measured together, the load of one is their share. */
export function shareLine({ evidence, load, perReplica }: PlannedServer): readonly string[] {
  const count = replicasOf(evidence)
  if (count === 1) return []
  return [
    `What was measured is ${count} replicas: ${figure(load.choice.concurrency)} ÷ ${count} = ${figure(perReplica)} in flight each.`,
  ]
}

/** What those in flight hold: each its prompt and, in the mean, half of its answer. */
export function kvNeed(
  { perReplica }: PlannedServer,
  { inputTokens, outputTokens = 0, kvTokens, kvBytes }: Demand,
  inFlight: number,
): KvNeed | undefined {
  if (inputTokens === undefined) return undefined
  const tokensPerRequest = inputTokens + outputTokens / 2
  const tokens = inFlight * tokensPerRequest
  return {
    tokensPerRequest,
    tokens,
    tokensPerReplica: perReplica * tokensPerRequest,
    ...(kvTokens !== undefined && { capacityTokensPerReplica: kvTokens }),
    ...(kvBytes !== undefined && { bytes: tokens * kvBytes }),
  }
}

export function kvLines(
  need: KvNeed | undefined,
  inFlight: number,
  { inputTokens = 0, outputTokens = 0 }: Demand,
): readonly string[] {
  if (need === undefined) return []
  const { tokensPerRequest: each, tokens, tokensPerReplica, capacityTokensPerReplica: room, bytes } = need
  const held = bytes === undefined ? '' : `, ${figure(bytes / 1e9)} GB`
  const of = room === undefined ? '' : ` of ${figure(room)} that it has room for`
  return [
    `KV cache: ${figure(inputTokens)} + ${figure(outputTokens)} ÷ 2 = ${figure(each)} tokens a request, × ${figure(inFlight)} in flight = ${figure(tokens)} tokens${held}; a replica at its chosen load holds ${figure(tokensPerReplica)}${of}.`,
  ]
}

/** Of tokens made in an hour. */
export function costOf(gpuHour: number, gpus: number, tokensPerHour: number, gpusAtPeak?: number): Cost {
  return {
    perHour: gpus * gpuHour,
    perMillionOutputTokens: (gpus * gpuHour * 1e6) / tokensPerHour,
    ...(gpusAtPeak !== undefined && { perHourAtPeak: gpusAtPeak * gpuHour }),
  }
}

/** A price in as many digits as prices have. */
export const money = (amount: number): string =>
  amount > 0 && amount < 0.1 ? figure(amount) : amount.toFixed(2).replace(/\B(?=(\d{3})+\.)/g, ',')

/** Two amounts in as many digits as tell them apart: 0.121 and 0.124. */
export function moneyBeside(one: number, other: number): readonly [string, string] {
  let told = [money(one), money(other)] as const
  for (let digits = 3; digits <= 6 && told[0] === told[1] && one !== other; digits++)
    told = [one.toFixed(digits), other.toFixed(digits)]
  return told
}

/** What lies outside what was measured, for a person. */
export function outside({ evidence, load }: PlannedServer): readonly string[] {
  if (evidence.standing === 'uncalibrated') return ['all of it is foretold from datasheets']
  if (evidence.standing === 'newShape')
    return ['all of it is foretold from measurements of other lengths or of another layout']
  if (load.choice.source !== 'extrapolated') return []
  const [least, most] = [evidence.curve.points[0]?.load, evidence.curve.points.at(-1)?.load]
  const measured =
    least === undefined || most === undefined ? 'nothing was measured' : `measured: ${figure(least)} to ${figure(most)}`
  const wait =
    load.choice.ttftMs === undefined && evidence.curve.points.some(({ ttftMs }) => ttftMs !== undefined)
      ? '; its wait is that of the nearest load that was measured'
      : ''
  return [`the chosen load, ${figure(load.choice.concurrency)} in flight (${measured}${wait})`]
}
