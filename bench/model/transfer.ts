/** One sweep calibrates, another of the same model, GPU, precision and engine is foretold: at other lengths, or laid out otherwise. */
import { type CalibrationSample, calibrate, calibrated } from '../../src/model/roofline/calibrate.ts'
import { closedLoop } from '../../src/model/roofline/closed-loop.ts'
import { evidenceOf } from '../../src/model/roofline/confidence.ts'
import { type Comparison, compare } from './comparison.ts'
import { predictorOf } from './configuration-of.ts'
import { type ServingRow, type Sweep, sweepsOf, threeOf } from './serving.ts'

/** Fewer loads than these are no sweep. */
const LEAST = 3

interface Calibrating {
  readonly sweep: Sweep
  readonly samples: readonly CalibrationSample[]
  readonly calibration: ReturnType<typeof calibrate>
}

export interface Transfers {
  readonly sameShape: readonly Comparison[]
  readonly newLengths: readonly Comparison[]
  readonly newLayout: readonly Comparison[]
}

/** Every sweep from every other that differs in one of the two; and of every sweep all other loads from its lowest, middle and highest. */
export function transfers(rows: readonly ServingRow[]): Transfers {
  const families = new Map<string, Calibrating[]>()
  for (const sweep of sweepsOf(rows)) {
    if (sweep.rows.length < LEAST) continue
    const { family } = sweep.first
    const samples = sweep.rows.map(sampleOf)
    families.set(family, [...(families.get(family) ?? []), { sweep, samples, calibration: calibrate(samples) }])
  }
  const of = (differ: (a: ServingRow, b: ServingRow) => boolean): readonly Comparison[] =>
    [...families.values()].flatMap((family) =>
      family.flatMap((from) =>
        family.filter((to) => differ(from.sweep.first, to.sweep.first)).flatMap((to) => foretell(from, to.sweep)),
      ),
    )
  const sameLengths = (a: ServingRow, b: ServingRow): boolean =>
    a.inputTokens === b.inputTokens && a.outputTokens === b.outputTokens
  return {
    sameShape: [...families.values()].flat().flatMap(({ sweep }) => fromThree(sweep)),
    newLengths: of((a, b) => a.layout === b.layout && !sameLengths(a, b)),
    newLayout: of((a, b) => a.layout !== b.layout && sameLengths(a, b)),
  }
}

function fromThree({ rows, first }: Sweep): readonly Comparison[] {
  const chosen = new Set(threeOf(rows))
  const others = rows.filter((row) => !chosen.has(row))
  const samples = [...chosen].map(sampleOf)
  return foretell({ samples, calibration: calibrate(samples) }, { rows: others, first })
}

function sampleOf(row: ServingRow): CalibrationSample {
  const { model, memory, lengths, replicas } = predictorOf(row)
  const load = row.concurrency / replicas
  return { model, memory, lengths, load, tokensPerSecondPerUser: 1000 / row.tpotMs, ttftMs: row.ttftMs }
}

function foretell(
  { samples, calibration }: Pick<Calibrating, 'samples' | 'calibration'>,
  { rows, first }: Sweep,
): readonly Comparison[] {
  const { configuration, model, memory, lengths, replicas, experts } = predictorOf(first)
  const corrected = calibrated(model, calibration)
  const evidence = evidenceOf(configuration, lengths, samples, calibration.error)
  return rows.map((row) =>
    compare(row, experts, closedLoop(corrected, memory, lengths, row.concurrency / replicas), evidence),
  )
}
