import type { Point, Run } from '../../core/index.ts'
import { runOf } from '../../model/index.ts'
import { foundBy } from './found.ts'
import type { Done } from './job.ts'
import type { SimulationSetup } from './setup.ts'

/**
 * The run that the jobs of a setup make. Throws NO_POINT_HOLDS where a search found nothing.
 */
export function simulatedRun({ header, repeats, plan, asked }: SimulationSetup, done: readonly Done[]): Run {
  const [first] = done
  // Of a search the loads that its first seed tried; the others say how sure its answer is.
  const points =
    first?.found === undefined
      ? done.flatMap(({ points: made }, i) => made.map((point) => withRepeat(point, repeats[i])))
      : first.points
  const run = runOf({ ...header, points }, points)
  return asked === undefined ? run : foundBy(run, done, asked, plan)
}

const withRepeat = (point: Point, repeat: number | undefined): Point =>
  repeat === undefined ? point : { ...point, repeat }
