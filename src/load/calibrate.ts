import { availableParallelism } from 'node:os'
import { calibrateLoad, type Mock } from './calibrate-load.ts'
import type { LoadPlan } from './calibrate-truth.ts'
import { CALIBRATION_SCHEMA, type Calibration, type CalibrationLoad, trustedOf } from './calibration.ts'
import { thisMachine } from './calibration-file.ts'

export interface CalibrateOptions {
  readonly mock: Mock
  /** Numbers of workers to try; default: none, one, and as many as this machine has cores to spare, four at most. */
  readonly workers?: readonly number[]
  /** Loads to try with each, least first, as long as they are borne. */
  readonly streams?: readonly number[]
  /** Of each load, after its ramp. */
  readonly windowS?: number
  readonly signal?: AbortSignal
  readonly onLoad?: (load: CalibrationLoad) => void
  readonly onStatus?: (text: string) => void
}

/** Of each stream: faster than a person reads, as slow as a busy server. */
const TOKENS_PER_SECOND = 50
const STREAMS = [16, 64, 256, 512, 1024, 2048, 4096]
/** Many streams that bring little each: what a connection costs, apart from its events. */
const WIDE = { streams: 4096, tokensPerSecond: 5 }
const WINDOW_S = 1.2
const MOST_WORKERS = 4
const MOST_TRIES = 3

/** Of a load that was tried: not borne; borne, but more the server could not have written; borne. */
const BORNE = 2
const worthOf = ({ load, serverBusy }: Awaited<ReturnType<typeof calibrateLoad>>): number =>
  load.trusted ? (serverBusy ? 1 : BORNE) : 0

/**
 * One load after another with each number of workers, until one is not borne. Another program may have been in the way, of the client or of
 * the server: so it is tried three times before that is believed.
 */
export async function calibrate(options: CalibrateOptions): Promise<Calibration> {
  const { mock, workers = usualWorkers(), streams, windowS = WINDOW_S, signal, onLoad, onStatus } = options
  const loads: CalibrationLoad[] = []

  const tryLoad = async (plan: LoadPlan): Promise<boolean> => {
    signal?.throwIfAborted()
    onStatus?.(`${plan.workers} workers, ${plan.streams} streams of ${plan.tokensPerSecond} tok/s`)
    let best = await calibrateLoad(plan, mock)
    for (let tries = 1; worthOf(best) < BORNE && tries < MOST_TRIES; tries++) {
      signal?.throwIfAborted()
      const again = await calibrateLoad(plan, mock)
      if (worthOf(again) > worthOf(best)) best = again
    }
    loads.push(best.load)
    onLoad?.(best.load)
    return worthOf(best) === BORNE
  }

  for (const number of workers) {
    for (const count of [...(streams ?? STREAMS)].sort((a, b) => a - b)) {
      if (!(await tryLoad({ workers: number, streams: count, tokensPerSecond: TOKENS_PER_SECOND, windowS }))) break
    }
    if (streams === undefined) await tryLoad({ workers: number, ...WIDE, windowS })
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
