import { availableParallelism } from 'node:os'
import { calibrateLoad, type Mock } from './calibrate-load.ts'
import type { LoadPlan } from './calibrate-truth.ts'
import { CALIBRATION_SCHEMA, type Calibration, type CalibrationLoad, trustedOf } from './calibration.ts'
import { thisMachine } from './calibration-file.ts'
import { isWorthAnother, nextRung, type Outcome, type TriedRung } from './calibration-ladder.ts'

export interface CalibrateOptions {
  readonly mock: Mock
  /** Numbers of workers to try; default: none, one, and as many as this machine has cores to spare, four at most. */
  readonly workers?: readonly number[]
  /** Loads to try with each, least first, until two in a row are not borne; with them a calibration takes the time that they take. */
  readonly streams?: readonly number[]
  /** Of each load, after its ramp. */
  readonly windowS?: number
  readonly signal?: AbortSignal
  readonly onStatus?: (text: string) => void
}

const WINDOW_S = 1.2
const MOST_WORKERS = 4
const MOST_TRIES = 3
/** For all of them, shared evenly between the numbers of workers: what one leaves is there for the next. A load that has begun is finished. */
const ALL_MS = 52_000

interface Tried {
  readonly load: CalibrationLoad
  readonly outcome: Outcome
}

const GOOD: Readonly<Record<Outcome, number>> = { notBorne: 0, full: 1, borne: 2 }

async function tryOnce(plan: LoadPlan, mock: Mock): Promise<Tried> {
  const { load, serverBusy } = await calibrateLoad(plan, mock)
  return { load, outcome: !load.trusted ? 'notBorne' : serverBusy ? 'full' : 'borne' }
}

/**
 * One load after another with each number of workers, as `calibration-ladder.ts` has it. Another program may be in the way, of the client
 * or of the server: so a load is tried three times, and the next one too, before it is believed that one is not borne.
 */
export async function calibrate(options: CalibrateOptions): Promise<Calibration> {
  const { mock, workers: numbers = usualWorkers(), streams, windowS = WINDOW_S, signal, onStatus } = options
  const endMs = performance.now() + ALL_MS
  const loads: CalibrationLoad[] = []

  for (const [index, workers] of numbers.toSorted((a, b) => a - b).entries()) {
    const nowMs = performance.now()
    const shareMs = nowMs + (endMs - nowMs) / (numbers.length - index)
    const isTime = (): boolean => streams !== undefined || options.windowS !== undefined || performance.now() < shareMs
    const tried: TriedRung[] = []
    for (let rung = nextRung([], streams); rung !== undefined && isTime(); rung = nextRung(tried, streams)) {
      signal?.throwIfAborted()
      onStatus?.(`${workers} workers, ${rung.streams} streams of ${rung.tokensPerSecond} tok/s`)
      const plan = { workers, ...rung, windowS }
      let best = await tryOnce(plan, mock)
      for (
        let tries = 1;
        tries < MOST_TRIES && isTime() && isWorthAnother(best.outcome, tried.at(-1)?.outcome);
        tries++
      ) {
        signal?.throwIfAborted()
        const again = await tryOnce(plan, mock)
        if (GOOD[again.outcome] > GOOD[best.outcome]) best = again
      }
      loads.push(best.load)
      tried.push({ ...rung, outcome: best.outcome })
    }
  }
  return {
    schema: CALIBRATION_SCHEMA,
    createdAt: new Date().toISOString(),
    machine: thisMachine(),
    loads,
    trusted: trustedOf(loads),
  }
}

function usualWorkers(): readonly number[] {
  const spare = Math.min(MOST_WORKERS, availableParallelism() - 1)
  return spare > 1 ? [0, 1, spare] : [0, 1]
}
