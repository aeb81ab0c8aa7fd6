import { timeOf } from '../law.ts'
import { leaveOneOut, leaveOneOutOfPieces, rootMeanSquare } from './leave-one-out.ts'
import { type Line, samplesOf } from './line.ts'
import type { Sweep } from './sweep.ts'

/**
 * A law that misses loads it has not seen by more than this, in the root mean square, is not to be relied on: what it says between
 * measured loads is a guess, and outside them it says nothing.
 */
export const DOUBTFUL_PCT = 10
export const TOLERABLE: number = DOUBTFUL_PCT / 100
/** Below this the law is taken without asking whether pieces would do better. */
const GOOD = 0.05
/** What points that were all seen may be missed by. Noise of 2 %, the usual one, leaves some 1 % of three points and a straight line. */
const SEEN = 0.04

/** Nine measurements in ten may be off what the law says by up to this factor; where they may by more, it says nothing. */
export const LOOSE = 4

/** How far a law misses the points, in the root mean square. */
export interface Errors {
  readonly law: number
  /** Of the least and the greatest load too. */
  readonly beyond: number
  readonly from: 'leaveOneOut' | 'residual'
  /** The points bend away from the law, and straight pieces between neighbours foretell the inner ones better. */
  readonly misfit: boolean
  readonly pieces: number
}

export function errorsOf(sweeps: readonly Sweep[], line: Line | undefined): Errors {
  const samples = samplesOf(sweeps.flatMap(({ kept }) => kept))
  if (line === undefined || samples.length < 4 || samples.length <= line.form.terms.length) {
    const law = rootMeanSquare(
      samples.map((sample) => (line === undefined ? 0 : timeOf(line, sample) / sample.stepS - 1)),
    )
    return { law, beyond: law, from: 'residual', misfit: law > SEEN, pieces: 0 }
  }
  const { form } = line
  const each = sweeps.map(({ kept }) => samplesOf(kept))
  const between = new Set(each.flatMap((sweep) => sweep.slice(1, -1).map(({ batch }) => batch)))
  const inside = samples.filter(({ batch }) => between.has(batch))
  const all = rootMeanSquare(leaveOneOut(samples, samples, form))
  const inner = rootMeanSquare(leaveOneOut(samples, inside, form))
  // An end left out asks a law with experts, which has a term more, for what lies beyond its points, and that is another question.
  const law = form.experts === undefined ? all : inner
  const pieces = rootMeanSquare(each.flatMap(leaveOneOutOfPieces))
  // Noise makes pieces win now and then: while the law is tolerable they must win clearly.
  const misfit = inner > GOOD && pieces < (law > TOLERABLE ? 1 : 0.8) * inner
  return { law, beyond: all, from: 'leaveOneOut', misfit, pieces }
}
