import type { Generator, GeneratorLoad } from '../../core/index.ts'

export const CALIBRATION_SCHEMA = 'twospeed/calibration@1'

/** What a calibration holds for: on another machine, or by another Node or twospeed, the same client has other limits. */
export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly node: string
  readonly twospeed: string
}

/** What `twospeed calibrate` stores: how this client did on this machine, load by load, against a server that logs what it wrote when. */
export interface Calibration {
  readonly schema: typeof CALIBRATION_SCHEMA
  readonly createdAt: string
  readonly machine: Machine
  readonly loads: readonly CalibrationLoad[]
  /** What each number of workers is trusted with: the most of the loads that it bore. */
  readonly trusted: readonly Trusted[]
}

export interface Trusted extends GeneratorLoad {
  readonly workers: number
}

export interface Spread {
  readonly p50: number
  readonly p99: number
}

/** `eventsPerSecond` is what came, not what was asked for: where the server itself could write no more, that is what was borne. */
export interface CalibrationLoad extends GeneratorLoad {
  readonly workers: number
  /** Of each stream. */
  readonly tokensPerSecond: number
  /** From the server's write of a token to its time in the record: of first tokens, as is, for it is all added to TTFT. */
  readonly ttftErrorMs: Spread
  /** |measured − true| of each gap. */
  readonly itlErrorMs: Spread
  /** Of the client, in cores. */
  readonly cpu: number
  /** p99 of how late the server came to a step of its own. None of it is in the errors above. */
  readonly serverLateMs: number
  readonly trusted: boolean
  /** Why it is not. */
  readonly why?: readonly string[]
}

/** The least that is trusted without a calibration, of the slowest machine that was tried: of one thread, whatever else it does. */
const UNCALIBRATED: GeneratorLoad = { streams: 1024, eventsPerSecond: 20_000 }
/** Loads of one size differ by so much from one time to the next. */
const SAME = 1.05

const covers = (trusted: GeneratorLoad, asked: GeneratorLoad): boolean =>
  asked.streams <= SAME * trusted.streams && asked.eventsPerSecond <= SAME * trusted.eventsPerSecond

export function trustedOf(loads: readonly CalibrationLoad[]): readonly Trusted[] {
  const numbers = [...new Set(loads.map(({ workers }) => workers))].sort((a, b) => a - b)
  return numbers.map((workers) => {
    const borne = loads.filter((load) => load.workers === workers && load.trusted)
    return {
      workers,
      streams: Math.max(0, ...borne.map(({ streams }) => streams)),
      eventsPerSecond: Math.max(0, ...borne.map(({ eventsPerSecond }) => eventsPerSecond)),
    }
  })
}

/** A load that was not borne though a greater one was: another program was in the way, and what was found of it tells nothing of the client. */
export const wasDisturbed = ({ streams, tokensPerSecond, trusted }: CalibrationLoad, most: GeneratorLoad): boolean =>
  !trusted && covers(most, { streams, eventsPerSecond: streams * tokensPerSecond })

/** The fewest workers that are trusted with a load, `most` at most; where none are, those that are trusted with most. */
export function workersFor(asked: GeneratorLoad, calibration: Calibration | undefined, most: number): number {
  const known = calibration?.trusted.filter(({ workers }) => workers <= most) ?? []
  const [first, ...others] = known
  if (first === undefined) return uncalibratedWorkers(asked, most)
  const enough = known.find((trusted) => covers(trusted, asked))
  const best = others.reduce((a, b) => (b.eventsPerSecond > a.eventsPerSecond ? b : a), first)
  return (enough ?? best).workers
}

function uncalibratedWorkers({ streams, eventsPerSecond }: GeneratorLoad, most: number): number {
  const threads = Math.max(
    Math.ceil(streams / UNCALIBRATED.streams),
    Math.ceil(eventsPerSecond / UNCALIBRATED.eventsPerSecond),
  )
  return threads <= 1 ? 0 : Math.min(threads, most)
}

/**
 * What a calibration says of a point: is it within what so many workers are trusted with, and how far off may its times be. Errors are those
 * of the least load tried that asked at least as much; beyond all that were tried, of the greatest, and as much more as more was asked.
 */
export function trustIn(
  { loads, trusted: all }: Calibration,
  workers: number,
  asked: GeneratorLoad,
): Required<Pick<Generator, 'calibration' | 'errorMs'>> | undefined {
  // More workers than were tried are trusted with what the most that were tried are.
  const trusted = all.findLast((one) => one.workers <= workers)
  if (trusted === undefined) return undefined
  const tried = loads
    .filter((load) => load.workers === trusted.workers && !wasDisturbed(load, trusted))
    .sort((a, b) => a.eventsPerSecond - b.eventsPerSecond)
  const asMuch = tried.find((load) => covers(load, asked))
  const nearest = asMuch ?? tried.at(-1)
  if (nearest === undefined) return undefined
  const more =
    asMuch === undefined
      ? Math.max(1, asked.eventsPerSecond / nearest.eventsPerSecond, asked.streams / nearest.streams)
      : 1
  return {
    calibration: {
      workers,
      trusted: { streams: trusted.streams, eventsPerSecond: trusted.eventsPerSecond },
      asked,
      beyond: !covers(trusted, asked),
    },
    errorMs: { ttft: more * nearest.ttftErrorMs.p99, itl: more * nearest.itlErrorMs.p99 },
  }
}
