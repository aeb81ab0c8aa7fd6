import { percentile } from '../../core/index.ts'
import { closedLoop, type PredictedPoint } from './closed-loop.ts'
import type { Lengths } from './configuration.ts'
import type { Memory } from './memory.ts'
import { solve } from './solve.ts'
import type { StepModel, StepWork } from './step-model.ts'

/** One measured load of a neighbour: the same model on the same kind of GPU, laid out or loaded otherwise. */
export interface CalibrationSample {
  /** Of the neighbour, from specifications. */
  readonly model: StepModel
  readonly memory: Memory
  readonly lengths: Lengths
  /** Requests in flight, of one replica; of split pools, of all their instances. */
  readonly load: number
  readonly tokensPerSecondPerUser: number
  readonly ttftMs?: number
  /** Of split pools: what they are called, and how many instances answer. */
  readonly pools?: { readonly name: string; readonly instances: number }
  /** Both speeds at the load with every model corrected so, where that is no closed loop of one replica. */
  at?(correct: (model: StepModel) => StepModel): PredictedPoint
}

/**
 * What measurements make of a step time from specifications. It has three pieces,
 *
 *     T = base · T₁ + growth · (T(n, context) − T₁) + prefill · (T(n, context, prompt) − T(n, context))
 *
 * with T₁ the step of one sequence without context: weights, launches and collectives; what more sequences and their contexts add; and
 * what prompt tokens add that share the step.
 */
export interface Calibration {
  readonly base: number
  readonly growth: number
  readonly prefill: number
  /** On the time to the first token, at each load that was measured, ascending: engines let prompts wait longer than their steps say. */
  readonly waits: readonly Wait[]
  /** Root mean square of the relative error that is left in the pace of the samples. */
  readonly error: number
  /** Of each sample in their order, the logarithm of the pace that the calibrated model gives over the measured one. */
  readonly misses: readonly number[]
}

interface Wait {
  readonly load: number
  readonly factor: number
}

/** Between two loads a power of the load, beyond them that of the nearest. */
function waitAt(waits: readonly Wait[], load: number): number {
  const after = waits.findIndex((wait) => wait.load >= load)
  const [a, b] = [waits[after < 0 ? waits.length - 1 : Math.max(0, after - 1)], waits[after]]
  if (a === undefined) return 1
  if (b === undefined || b.load <= a.load) return a.factor
  if (load <= a.load) return a.factor
  return a.factor * (b.factor / a.factor) ** (Math.log(load / a.load) / Math.log(b.load / a.load))
}

const ONE: StepWork = { sequences: 1, contextTokens: 0, prefillTokens: 0, prefillContextTokens: 0 }

/** The same model with its times corrected. Allocates no more for a step than the model itself. */
export function calibrated(model: StepModel, calibration: Calibration): StepModel {
  const { base, growth, prefill, waits } = calibration
  const one = model.stepSeconds(ONE)
  const still = { sequences: 0, contextTokens: 0, prefillTokens: 0, prefillContextTokens: 0 }
  const stepSeconds = (work: StepWork): number => {
    const whole = model.stepSeconds(work)
    let decode = whole
    if (work.prefillTokens > 0) {
      still.sequences = work.sequences
      still.contextTokens = work.contextTokens
      decode = Math.min(whole, model.stepSeconds(still))
    }
    const first = Math.min(one, decode)
    return base * first + growth * (decode - first) + prefill * (whole - decode)
  }
  // Whole steps were measured, which do not tell their parts from one another: all carry the same correction.
  const correction = (work: StepWork): number => stepSeconds(work) / model.stepSeconds(work)
  return {
    ...model,
    waitFactor: (load) => waitAt(waits, load) * model.waitFactor(load),
    stepSeconds,
    parts(work) {
      const by = correction(work)
      return model.parts(work).map((part) => ({ ...part, seconds: part.seconds * by }))
    },
    tally: (work, times, seconds) => model.tally(work, times * correction(work), seconds),
  }
}

/**
 * How far the three factors are thought to lie apart, and their common part from 1, before anything is measured: standard deviations
 * of logarithms. One sweep seldom tells the three from one another, and what it cannot tell stays with their common part.
 */
const APART = 0.15
const COMMON = 1
/** The same of a measured pace against a calibrated model. */
const NOISE = 0.03
const ROUNDS = 12
/** Logarithms of `base`, `growth` and `prefill` where nothing is corrected. */
const NONE: readonly number[] = [0, 0, 0]
const SETTLED = 1e-3

/**
 * The factors that bring a neighbour's prediction nearest to what was measured of it: the most likely ones, given the samples and that
 * the three are seldom far apart. A sample far off weighs little. Without samples nothing is corrected.
 */
export function calibrate(samples: readonly CalibrationSample[]): Calibration {
  const slower = median(samples.map((sample) => missOf(sample, NONE, []))) ?? 0
  let logs = NONE.map(() => slower)
  let waits: readonly Wait[] = []
  for (let round = 0; round < ROUNDS && samples.length > 0; round++) {
    waits = waitsOf(samples, logs, waits)
    const next = improved(samples, logs, waits)
    const moved = next.reduce((most, log, i) => Math.max(most, Math.abs(log - (logs[i] ?? 0))), 0)
    logs = next
    if (moved < SETTLED) break
  }
  waits = waitsOf(samples, logs, waits)
  const misses = samples.map((sample) => missOf(sample, logs, waits))
  const squares = misses.reduce((sum, miss) => sum + miss ** 2, 0)
  const error = Math.sqrt(squares / Math.max(1, samples.length))
  return { ...factorsOf(logs), waits, error, misses }
}

function factorsOf(logs: readonly number[]): Pick<Calibration, 'base' | 'growth' | 'prefill'> {
  const [base = 1, growth = 1, prefill = 1] = logs.map(Math.exp)
  return { base, growth, prefill }
}

function pointOf(sample: CalibrationSample, logs: readonly number[], waits: readonly Wait[]): PredictedPoint {
  const { model, memory, lengths, load } = sample
  const calibration = { ...factorsOf(logs), waits, error: 0, misses: [] }
  const correct = (from: StepModel): StepModel => calibrated(from, calibration)
  return sample.at?.(correct) ?? closedLoop(correct(model), memory, lengths, load)
}

/** Logarithm of a measured step over the predicted one. */
const missOf = (sample: CalibrationSample, logs: readonly number[], waits: readonly Wait[]): number =>
  Math.log(pointOf(sample, logs, waits).tokensPerSecondPerUser / sample.tokensPerSecondPerUser)

/** The factors before, each by what it still misses; of samples of one load the median. */
function waitsOf(
  samples: readonly CalibrationSample[],
  logs: readonly number[],
  before: readonly Wait[],
): readonly Wait[] {
  const factors = new Map<number, number[]>()
  for (const sample of samples) {
    const { load, ttftMs } = sample
    if (ttftMs === undefined) continue
    const factor = (waitAt(before, load) * ttftMs) / pointOf(sample, logs, before).ttftMs
    factors.set(load, [...(factors.get(load) ?? []), factor])
  }
  return [...factors].map(([load, of]) => ({ load, factor: median(of) ?? 1 })).sort((a, b) => a.load - b.load)
}

const median = (values: readonly number[]): number | undefined =>
  percentile(
    values.toSorted((a, b) => a - b),
    50,
  )

const NUDGE = 1e-3
/** The farthest that one round moves a logarithm. */
const FARTHEST = 0.7

/**
 * One step of Gauss and Newton: (JᵀWJ + P)·move = JᵀWr − P·logs, with r the misses, J what a nudge of each logarithm takes from them, P
 * the precision of what was thought before, and W = 1/(NOISE² + r²), Cauchy's weight, which lets a sample far off go.
 */
function improved(samples: readonly CalibrationSample[], logs: readonly number[], waits: readonly Wait[]): number[] {
  const axes = [0, 1, 2]
  const nudged = axes.map((axis) => logs.map((log, i) => log + (i === axis ? NUDGE : 0)))
  const rows = samples.map((sample) => {
    const miss = missOf(sample, logs, waits)
    const slopes = nudged.map((there) => (miss - missOf(sample, there, waits)) / NUDGE)
    return { miss, weight: 1 / (NOISE ** 2 + miss ** 2), slopes }
  })
  const sum = (of: (row: (typeof rows)[number]) => number): number => rows.reduce((total, row) => total + of(row), 0)
  const matrix = axes.map((i) =>
    axes.map((j) => prior(i, j) + sum(({ weight, slopes }) => weight * (slopes[i] ?? 0) * (slopes[j] ?? 0))),
  )
  const right = axes.map(
    (i) =>
      sum(({ weight, slopes, miss }) => weight * (slopes[i] ?? 0) * miss) -
      logs.reduce((total, log, j) => total + prior(i, j) * log, 0),
  )
  const move = solve(matrix, right)
  return logs.map((log, i) => log + Math.max(-FARTHEST, Math.min(FARTHEST, move[i] ?? 0)))
}

/** Inverse of the covariance COMMON² + APART²·(i = j): by Sherman and Morrison. */
function prior(i: number, j: number): number {
  const common = COMMON ** 2 / (APART ** 2 + 3 * COMMON ** 2)
  return ((i === j ? 1 : 0) - common) / APART ** 2
}
