import {
  type CountedMetrics,
  createCountedMetrics,
  type Hardware,
  type Objectives,
  type Point,
  type PointHeader,
  type RequestRecord,
  type SimulatedLane,
  type TokenTimes,
} from '../../core/index.ts'
import type { Segment } from '../engine/engine.ts'
import { countGaps } from './gap-counter.ts'

export interface LaneGoal {
  readonly name: string
  readonly objectives?: Objectives
}

/** The figures of a run's lanes, each and all together. Group 0 is what is not measured, group g the lane of index g − 1. */
export interface LaneFigures {
  add(lane: number, record: RequestRecord, times: TokenTimes | undefined): number
  addWhole(lane: number, record: RequestRecord): number
  addGap(group: number, gapS: number): void
  segment(segment: Segment): void
  close(endS: number): void
  result(header: PointHeader): Point
  lanes(header: PointHeader): readonly SimulatedLane[] | undefined
}

export interface LaneFiguresOptions {
  readonly startS: number
  readonly lanes: readonly LaneGoal[]
  readonly hardware: Hardware
  readonly objectives?: Objectives
}

export function createLaneFigures({ startS, lanes, hardware, objectives }: LaneFiguresOptions): LaneFigures {
  const all = createCountedMetrics(
    startS,
    hardware,
    objectives ?? (lanes.length === 1 ? lanes[0]?.objectives : undefined),
  )
  // One lane is all there is.
  const each = lanes.length < 2 ? [] : lanes.map((lane) => createCountedMetrics(startS, hardware, lane.objectives))

  return {
    add: (lane, record, times) => {
      each[lane]?.add(record, times)
      return all.add(record, times)
    },
    addWhole: (lane, record) => {
      each[lane]?.addWhole(record)
      return all.addWhole(record)
    },
    addGap: (group, gapS) => {
      if (group === 0) return
      each[group - 1]?.addGap(gapS * 1e6, 1)
      all.addGap(gapS * 1e6, 1)
    },
    segment: (segment) => {
      const { beganS, endS, decoding, steps } = segment
      if (decoding > 0) all.addDecoded(beganS * 1e6, endS * 1e6, decoding * steps)
      let streams = 0
      for (let group = 1; group < segment.decodingByGroup.length; group++) {
        const ofLane = segment.decodingByGroup[group] ?? 0
        if (ofLane === 0) continue
        streams += ofLane
        const metrics: CountedMetrics | undefined = each[group - 1]
        if (metrics !== undefined) countGaps(segment, ofLane, metrics.addGap)
      }
      if (streams > 0) countGaps(segment, streams, all.addGap)
    },
    close: (endS) => {
      for (const metrics of [all, ...each]) metrics.close(endS)
    },
    result: all.result,
    lanes: (header) =>
      each.length === 0
        ? undefined
        : each.map((metrics, index) => {
            const { requests, tokens, perUser, outputTokensPerSecond, latency, littlesLaw, goodput, perGpu } =
              metrics.result(header)
            const { name = '', objectives: asked } = lanes[index] ?? {}
            return {
              name,
              ...(asked !== undefined && { objectives: asked }),
              requests,
              tokens,
              perUser,
              ...(goodput !== undefined && { goodput }),
              ...(perGpu !== undefined && { perGpu }),
              outputTokensPerSecond,
              latency,
              littlesLaw,
            }
          }),
  }
}
