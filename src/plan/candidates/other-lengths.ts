import type { Curve, OperatingPoint } from '../../model/index.ts'
import type { MeanLengths } from '../candidate.ts'
import type { Evidence } from '../evidence.ts'

/** Lengths as near as that, in doublings or halvings of prompt and answer together, are the same: a tenth. */
const SAME = 0.14

/**
 * The half-width of the bounds, of the logarithm of the pace,
 *
 *     w = k·(φ + 0.05)·D^¾        D = |i − o| + |i + o|/8
 *
 * with i and o the doublings of prompts and of answers, and φ the part of a step that comes with the load, 1 − T(0)/T: what a step has to read
 * of weights is the same for all lengths. Above all it is how many prompt tokens come with each output token, which i − o says; longer contexts,
 * where both grow, do less. k, so that 80 of 100 loads lie inside that public sweeps of one server have with two lengths, of models without
 * experts and with, whose weights take more of a step: docs/reference/planning-accuracy.md.
 */
const WIDTH = { dense: 0.576, experts: 0.228 } as const
const LEAST_PART = 0.05
const TOGETHER = 1 / 8
const POWER = 0.75

/**
 * The same server with requests of other lengths than it was measured with. Nothing tells by how much longer contexts and prompts slow a
 * step, so the curve stays and its bounds get wider, the more the farther the lengths are.
 */
export function withOtherLengths(evidence: Evidence, lengths: MeanLengths | undefined): Evidence {
  const { input, output } = doublings(evidence, lengths)
  if (Math.abs(input) + Math.abs(output) < SAME) return evidence
  const far = (Math.abs(input - output) + TOGETHER * Math.abs(input + output)) ** POWER
  const widest = WIDTH[evidence.experts ? 'experts' : 'dense'] * far
  const solo = soloOf(evidence)
  const at = (load: number): OperatingPoint | undefined => {
    const point = evidence.curve.at(load)
    if (point === undefined) return undefined
    const { tokensPerSecondPerUser: pace, low = pace, high = pace } = point
    const width = widest * (LEAST_PART + Math.max(0, 1 - pace / solo))
    return {
      ...point,
      low: pace * Math.exp(-Math.hypot(Math.log(pace / low), width)),
      high: pace * Math.exp(Math.hypot(Math.log(high / pace), width)),
    }
  }
  const curve: Curve = { ...evidence.curve, at }
  return { ...evidence, curve, standing: 'newShape' }
}

/** 1/T(0), by the law or by the fastest that was measured; endless where a step is all load. */
function soloOf({ fit, curve }: Evidence): number {
  const fastest = Math.max(fit.soloLimitTokensPerSecond ?? 0, ...curve.points.map(({ stepS }) => 1 / stepS))
  return fastest > 0 ? fastest : Number.POSITIVE_INFINITY
}

/** From the lengths that were measured to these; 0 where they are not known. */
function doublings({ fit: { lengths: measured } }: Evidence, lengths: MeanLengths | undefined): Required<MeanLengths> {
  if (measured === undefined || lengths === undefined) return { input: 0, output: 0 }
  const { input = measured.input, output } = lengths
  return { input: Math.log2(input / measured.input), output: Math.log2(output / measured.output) }
}
