import { timeOf } from '../law.ts'
import { AFFINE, type Form, fitLine, type Line, type Sample } from './line.ts'

/** From so many samples on, none moves the weights of the others; leaving each out in turn would take the square of their number. */
const MANY = 100

/** Relative error at each sample of the law through all the others; a sample that the others cannot judge is left out. */
export function leaveOneOut(
  samples: readonly Sample[],
  judged: readonly Sample[] = samples,
  form: Form = AFFINE,
): readonly number[] {
  return eachLeftOut(samples, judged, form).flatMap((error) => error ?? [])
}

/** Where what the others say moves so many times as much as they do, the noise of theirs is no less than all that could be said. */
const LEVER = 10

/**
 * The same, sample by sample; nothing where the law of the others leaves the sample open, for they do not tell its terms apart or hardly do. Only
 * load 1 shows, say, what the experts cost of which every second takes each token: from eight on all are read.
 */
export function foretold(samples: readonly Sample[], form: Form): readonly (number | undefined)[] {
  return eachLeftOut(
    samples,
    samples,
    form,
    (line, left) => line.toldApart && line.deviation(left.batch, left) <= LEVER * line.noise,
  )
}

function eachLeftOut(
  samples: readonly Sample[],
  judged: readonly Sample[],
  form: Form,
  isJudged: (line: Line, left: Sample) => boolean = () => true,
): readonly (number | undefined)[] {
  if (samples.length > MANY) return byLeverage(samples, judged, form)
  return judged.map((left) => {
    const line = fitLine(
      samples.filter((sample) => sample !== left),
      form,
    )
    return line === undefined || !isJudged(line, left) ? undefined : timeOf(line, left) / left.stepS - 1
  })
}

/**
 * The same in one go: least squares with given weights foretells a sample that it leaves out with the error e/(1 − h), e what it misses
 * the sample by when it has seen it, h the sample's leverage.
 */
function byLeverage(
  samples: readonly Sample[],
  judged: readonly Sample[],
  form: Form,
): readonly (number | undefined)[] {
  const line = fitLine(samples, form)
  return judged.map((left) => {
    const free = line === undefined ? 0 : 1 - line.leverage(left)
    return line === undefined || free < 1e-9 ? undefined : (timeOf(line, left) / left.stepS - 1) / free
  })
}

/** The same for straight pieces between neighbours: only inner samples have two. Samples ascend by batch. */
export function leaveOneOutOfPieces(samples: readonly Sample[]): readonly number[] {
  return samples.flatMap((left, i) => {
    const [before, after] = [samples[i - 1], samples[i + 1]]
    if (before === undefined || after === undefined || after.batch === before.batch) return []
    const share = (left.batch - before.batch) / (after.batch - before.batch)
    return [(before.stepS + share * (after.stepS - before.stepS)) / left.stepS - 1]
  })
}

export function rootMeanSquare(values: readonly number[]): number {
  return values.length === 0 ? 0 : Math.sqrt(values.reduce((sum, value) => sum + value ** 2, 0) / values.length)
}
