import { type Amount, checkAmounts, figure, RANGES, TwospeedError } from '../../core/index.ts'
import { bandwidthBound } from '../roofline/bandwidth-bound.ts'
import type { Calibration, CalibrationSample } from '../roofline/calibrate.ts'
import { isSameFormat } from '../roofline/confidence.ts'
import type { Configuration } from '../roofline/configuration.ts'

/** No draft of tokens is known to give more than that many a step, so a pace beyond it is no measurement of that configuration. */
const DRAFTED = 16
/** Of what memory allows, shared by all in flight: a thousandth of that is another unit. */
const SLOWEST = 1e-3

/** Throws INVALID_VALUE of an absurd load, and INVALID_POINTS of a pace that no server of that kind can have had. */
export function refuseImpossible(samples: readonly CalibrationSample[]): void {
  checkAmounts(samples.map(({ load }): Amount => ['a measured load', load, RANGES.inFlight]))
  for (const { model, memory, lengths, load, tokensPerSecondPerUser: pace } of samples) {
    const bound = 1 / bandwidthBound(model, lengths).seconds
    const least = (SLOWEST * bound) / Math.max(1, Math.min(load, memory.maxConcurrency))
    if (pace <= DRAFTED * bound && pace >= least) continue
    const { gpu } = model.configuration
    const why =
      pace > bound
        ? `reading the weights at the bandwidth of ${gpu.id} allows ${figure(bound)} at one token a step`
        : `memory of ${gpu.id} allows ${figure(bound)} to one user, and this is not even a thousandth of its share`
    throw new TwospeedError(
      'INVALID_POINTS',
      `a calibration by ${figure(pace)} tok/s/user at ${figure(load)} in flight: ${why}`,
      'Look at the units, and at what it was measured on: a neighbour laid out otherwise is told behind the @, as points.csv@tp=4.',
    )
  }
}

/** A misfit below that is within what repeats of a measurement differ by. */
const MISFIT = 0.15

/** What to mind about the measurements that a prediction was scaled by, one sentence each. */
export function notesOn(
  samples: readonly CalibrationSample[],
  { misses }: Calibration,
  asked: Configuration,
): readonly string[] {
  if (samples.length === 0) return []
  return [...loads(samples), ...misfit(samples, misses), ...beyondBound(samples), ...formats(samples, asked)]
}

function loads(samples: readonly CalibrationSample[]): readonly string[] {
  const all = samples.map(({ load }) => load)
  const [least, most] = [figure(Math.min(...all)), figure(Math.max(...all))]
  const range = least === most ? `at ${least}` : `at ${least} to ${most}`
  return [`It was scaled by measurements ${range} in flight: the farther from those loads, the wider the interval.`]
}

function misfit(samples: readonly CalibrationSample[], misses: readonly number[]): readonly string[] {
  const sizes = misses.map(Math.abs)
  const worst = sizes.indexOf(Math.max(...sizes))
  const [sample, miss = 0] = [samples[worst], misses[worst]]
  if (sample === undefined || Math.abs(miss) < MISFIT) return []
  const pace = sample.tokensPerSecondPerUser
  return [
    `Calibration misses what was measured: ${figure(pace)} tok/s/user at ${figure(sample.load)} in flight, where the calibrated model gives ${figure(pace * Math.exp(miss))}; the interval is as wide.`,
  ]
}

function beyondBound(samples: readonly CalibrationSample[]): readonly string[] {
  for (const { model, lengths, load, tokensPerSecondPerUser: pace } of samples) {
    const bound = 1 / bandwidthBound(model, lengths).seconds
    if (pace > bound) {
      return [
        `${figure(pace)} tok/s/user at ${figure(load)} in flight were measured, and the bandwidth of the datasheet allows ${figure(bound)} at one token a step: either drafts of tokens were accepted, or it was measured on something else.`,
      ]
    }
  }
  return []
}

function formats(samples: readonly CalibrationSample[], asked: Configuration): readonly string[] {
  const other = samples.map(({ model }) => model.configuration).find((measured) => !isSameFormat(measured, asked))
  if (other === undefined) return []
  const said = ({ precision, kvPrecision }: Configuration): string => `${precision} with the KV cache in ${kvPrecision}`
  return [
    `It was measured in ${said(other)}, and is foretold in ${said(asked)}: kernels of another format are other ones, so the interval is hardly narrower than without.`,
  ]
}
