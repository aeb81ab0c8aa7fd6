/** One sweep calibrates, another of the same model, GPU, precision and engine is foretold: at other lengths, or laid out otherwise. */
import { type Calibration, type CalibrationSample, calibrate, calibrated } from '../../src/model/roofline/calibrate.ts'
import { closedLoop } from '../../src/model/roofline/closed-loop.ts'
import { evidenceOf } from '../../src/model/roofline/confidence.ts'
import { type Comparison, compare } from './comparison.ts'
import type { PredictableSweep } from './configuration-of.ts'
import { familyOf, layoutOf, lengthsOf, type ServingRow, type ServingSetup, threeOf } from './serving.ts'

/** Fewer loads than these are no sweep. */
const LEAST = 3

interface Calibrating {
  readonly sweep: PredictableSweep
  readonly samples: readonly CalibrationSample[]
  readonly calibration: Calibration
}

export interface Transfers {
  readonly sameShape: readonly Comparison[]
  readonly oneLoad: readonly Comparison[]
  readonly beyond: readonly Comparison[]
  readonly newLengths: readonly Comparison[]
  readonly newLayout: readonly Comparison[]
}

/**
 * Every sweep from every other that differs in one of the two; and of every sweep all other loads from its lowest, middle and highest, and
 * from each of these alone, and the upper half of its loads from the lower.
 */
export function transfers(sweeps: readonly PredictableSweep[]): Transfers {
  const whole = sweeps.filter(({ rows }) => rows.length >= LEAST)
  const families = new Map<string, Calibrating[]>()
  for (const sweep of whole) {
    const family = familyOf(sweep.setup)
    families.set(family, [...(families.get(family) ?? []), calibrating(sweep, sweep.rows)])
  }
  const of = (differ: (a: ServingSetup, b: ServingSetup) => boolean): readonly Comparison[] =>
    [...families.values()].flatMap((family) =>
      family.flatMap((from) =>
        family
          .filter((to) => differ(from.sweep.setup, to.sweep.setup))
          .flatMap(({ sweep }) => foretell(from, sweep, sweep.rows)),
      ),
    )
  const sameLengths = (a: ServingSetup, b: ServingSetup): boolean => lengthsOf(a) === lengthsOf(b)
  const sameLayout = (a: ServingSetup, b: ServingSetup): boolean => layoutOf(a) === layoutOf(b)
  return {
    sameShape: whole.flatMap((sweep) => {
      const chosen = threeOf(sweep.rows)
      const others = sweep.rows.filter((row) => !chosen.includes(row))
      return foretell(calibrating(sweep, chosen), sweep, others)
    }),
    oneLoad: whole.flatMap((sweep) =>
      threeOf(sweep.rows).flatMap((one) =>
        foretell(
          calibrating(sweep, [one]),
          sweep,
          sweep.rows.filter((row) => row !== one),
        ),
      ),
    ),
    beyond: whole.flatMap((sweep) => {
      const half = Math.max(2, sweep.rows.length >> 1)
      return foretell(calibrating(sweep, sweep.rows.slice(0, half)), sweep, sweep.rows.slice(half))
    }),
    newLengths: of((a, b) => sameLayout(a, b) && !sameLengths(a, b)),
    newLayout: of((a, b) => !sameLayout(a, b) && sameLengths(a, b)),
  }
}

function calibrating(sweep: PredictableSweep, rows: readonly ServingRow[]): Calibrating {
  const { model, memory, lengths, loadOf } = sweep
  const samples = rows.map((row) => ({ ...row, model, memory, lengths, load: loadOf(row) }))
  return { sweep, samples, calibration: calibrate(samples) }
}

function foretell(
  { samples, calibration }: Calibrating,
  sweep: PredictableSweep,
  rows: readonly ServingRow[],
): readonly Comparison[] {
  const { configuration, model, memory, lengths, loadOf } = sweep
  const corrected = calibrated(model, calibration)
  return rows.map((row) => {
    const load = loadOf(row)
    const evidence = evidenceOf({ configuration, lengths, load }, samples, calibration)
    return compare(sweep, row, closedLoop(corrected, memory, lengths, load), evidence)
  })
}
