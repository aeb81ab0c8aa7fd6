import type { Curve, OperatingPoint } from '../../model/index.ts'
import type { MeanLengths } from '../candidate.ts'
import type { Evidence } from '../evidence.ts'

/** Lengths as near as that, in doublings or halvings of prompt and answer together, are the same: a tenth. */
const SAME = 0.14
/**
 * Of the logarithm of the pace at one load, for the root of each doubling: within that 80 of 100 loads lie that public sweeps of one server
 * have in two shapes (1 500 pairs of InferenceX). Above all it is how many prompt tokens come with each output token.
 */
const WIDTH = 0.32

/**
 * The same server with requests of other lengths than it was measured with. Nothing tells by how much longer contexts and prompts slow a
 * step, so the curve stays and its bounds get wider, the more the farther the lengths are.
 */
export function withOtherLengths(evidence: Evidence, lengths: MeanLengths | undefined): Evidence {
  const by = doublingsApart(evidence, lengths)
  if (by < SAME) return evidence
  const width = WIDTH * Math.sqrt(by)
  const at = (load: number): OperatingPoint | undefined => {
    const point = evidence.curve.at(load)
    if (point === undefined) return undefined
    const { tokensPerSecondPerUser: pace, low = pace, high = pace } = point
    return {
      ...point,
      low: pace * Math.exp(-Math.hypot(Math.log(pace / low), width)),
      high: pace * Math.exp(Math.hypot(Math.log(high / pace), width)),
    }
  }
  const curve: Curve = { ...evidence.curve, at }
  return { ...evidence, curve, standing: 'newShape' }
}

/** How far lengths are from those that were measured; 0 where these are not known. */
function doublingsApart({ fit: { lengths: measured } }: Evidence, lengths: MeanLengths | undefined): number {
  if (measured === undefined || lengths === undefined) return 0
  const { input = measured.input, output } = lengths
  return Math.abs(Math.log2(input / measured.input)) + Math.abs(Math.log2(output / measured.output))
}
