import { timeOf } from '../law.ts'
import { AFFINE, type Form, fitLine, type Sample } from './line.ts'

/** From so many samples on, none moves the weights of the others; leaving each out in turn would take the square of their number. */
const MANY = 100

/** Relative error at each sample of the law through all the others; a sample that the others cannot judge is left out. */
export function leaveOneOut(
  samples: readonly Sample[],
  judged: readonly Sample[] = samples,
  form: Form = AFFINE,
): readonly number[] {
  if (samples.length > MANY) return byLeverage(samples, judged, form)
  return judged.flatMap((left) => {
    const line = fitLine(
      samples.filter((sample) => sample !== left),
      form,
    )
    return line === undefined ? [] : [timeOf(line, left) / left.stepS - 1]
  })
}

/**
 * The same in one go: least squares with given weights foretells a sample that it leaves out with the error e/(1 − h), e what it misses
 * the sample by when it has seen it, h the sample's leverage.
 */
function byLeverage(samples: readonly Sample[], judged: readonly Sample[], form: Form): readonly number[] {
  const line = fitLine(samples, form)
  if (line === undefined) return []
  return judged.flatMap((left) => {
    const free = 1 - line.leverage(left)
    return free < 1e-9 ? [] : [(timeOf(line, left) / left.stepS - 1) / free]
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
