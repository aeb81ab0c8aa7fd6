/** The files that the benches leave, and the page is made of. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Law } from '../src/model/index.ts'
import type { Agreement } from './agreement.ts'
import type { ChooseResult } from './choose/scores.ts'
import type { Circumstances } from './circumstances.ts'
import { describeMachine, type Machine } from './machine.ts'
import type { ErrorFigures, NamedErrors } from './model/errors.ts'
import type { FirstTokens } from './model/first-tokens.ts'
import type { Coverage } from './model/intervals.ts'
import type { SplitPoolsReport, TableReport } from './model/table-report.ts'
import type { PeerSample } from './peer.ts'
import type { LargePlan } from './plan/large.ts'
import type { PlanResult } from './plan/scores.ts'
import type { HotFunction } from './profile.ts'
import type { FloodSample, Kind, MeasureSample, PacedSample } from './sample.ts'
import type { FoundLoad, SweptFrontier } from './search/answers.ts'
import type { RealSearches } from './search/llama.ts'
import type { TimeScore } from './sim/score.ts'
import type { Speeds } from './sim/split-pools.ts'
import type { Difference } from './sim-agreement/differences.ts'
import type { AgreementPlan } from './sim-agreement/plan.ts'
import type { Growth, TimedFleet, TimedFrontiers, TimedHour } from './timed-simulator.ts'

export interface Mark {
  readonly name: string
  readonly value: string
  readonly limit: string
  readonly pass: boolean
}

interface Taken {
  readonly takenAt: string
  readonly seconds: number
  readonly machine: Machine
  readonly marks: readonly Mark[]
}

/** `startMs`: of `performance.now`, when the bench began. */
export const taken = (startMs: number, marks: readonly Mark[]): Taken => ({
  takenAt: new Date().toISOString(),
  seconds: Math.round((performance.now() - startMs) / 1000),
  machine: describeMachine(),
  marks,
})

export interface PacedResult {
  readonly streams: number
  readonly kind: Kind
  readonly samples: readonly PacedSample[]
}

export interface FloodResult {
  readonly eventsPerChunk: number
  readonly streams: number
  readonly kind: Kind
  readonly samples: readonly FloodSample[]
}

export interface MeasureResult {
  readonly streams: number
  readonly samples: readonly MeasureSample[]
}

/** Of `measure` on all cores with many streams, and of a long run. */
export interface ScaleResult extends Taken {
  readonly full: readonly {
    readonly gapMs: number
    readonly sample: MeasureSample
    /** Where the client was at its limit. */
    readonly profile?: readonly HotFunction[]
  }[]
  readonly soak: {
    readonly streams: number
    readonly seconds: number
    readonly requests: number
    readonly failed: number
    readonly outputTokensPerSecond: number
    readonly steady: boolean
    readonly reasons: readonly string[]
    readonly saturated: boolean
    readonly rssMBPerMinute: readonly number[]
    readonly peakRssMB: number
    readonly cores: number
    readonly mockLateP99Ms: number
  }
}

export interface GeneratorFigures {
  readonly paced: readonly PacedResult[]
  readonly flooded: readonly FloodResult[]
  readonly measured: readonly MeasureResult[]
}

/** A figure of ours that is worse than in the run recorded before, and outside of what the repeats of both spread over. */
export interface Worse {
  readonly figure: string
  readonly before: number
  readonly now: number
}

/** Another load generator, once each. */
export interface PeerResult {
  readonly streams: number
  readonly sample: PeerSample & { readonly circumstances: Circumstances }
}

export interface GeneratorResult extends Taken, GeneratorFigures {
  readonly peers?: readonly PeerResult[]
  readonly worse: readonly Worse[]
}

export interface AccuracyResult extends Taken {
  readonly plan: { readonly streams: number; readonly law: string; readonly windowS: number }
  readonly samples: readonly (Agreement & { readonly circumstances: Circumstances })[]
  /** Other loads, once each. */
  readonly loads: readonly (Agreement & {
    readonly load: string
    readonly law: string
    readonly saturated: readonly string[]
    readonly circumstances: Circumstances
  })[]
}

/** One load against llama-server. Times are medians over requests; errors |server ÷ measured − 1| of each. */
export interface PaceResult {
  readonly concurrency: number
  readonly requests: number
  /** Requests whose timings the server did not tell, or that it counts otherwise. */
  readonly untold: number
  readonly tpotMs: number
  readonly serverTpotMs: number
  /** Of a request's prompt, from its start to its first token, as the server counts it. */
  readonly promptMs: number
  readonly errorP50: number
  readonly errorP99: number
  readonly decodeInFlight: number
  readonly steady: boolean
  readonly reasons: readonly string[]
}

/** llama-batched-bench: the time of a decode step at that batch, and of one prompt. */
export interface BatchedStep {
  readonly batch: number
  readonly stepMs: number
  readonly promptMs: number
}

/** A load on a server that decodes fewer at once. */
export interface CappedPoint {
  readonly concurrency: number
  readonly tokensPerSecondPerUser: number
  readonly outputTokensPerSecond: number
  readonly ttftMs: number
  readonly inFlight: number
  readonly decodeInFlight: number
}

export interface LlamaServerResult extends Taken {
  readonly plan: {
    readonly inputTokens: number
    readonly outputTokens: number
    readonly contextTokens: number
    readonly slots: number
    readonly cappedSlots: number
    readonly windowS: number
  }
  readonly engine: string
  readonly model: string
  readonly circumstances: Circumstances
  readonly pace: readonly PaceResult[]
  readonly batchedBench: readonly BatchedStep[]
  readonly capped: readonly CappedPoint[]
  readonly serverLimit?: number
}

/** A run folder as `measure` leaves it, reported by `twospeed report DIR --json`. */
export interface ReportResult extends Taken {
  readonly plan: { readonly requests: number; readonly tokens: number; readonly loads: readonly number[] }
  /** Of requests.jsonl.gz. */
  readonly bytesPerRequest: number
  readonly folderMB: number
  readonly samples: readonly {
    readonly seconds: number
    readonly cpuS: number
    readonly peakRssMB: number
    readonly circumstances: Circumstances
  }[]
}

/** The model held against public measurements: no clock and no machine has a part in it. */
export interface ModelResult {
  readonly marks: readonly Mark[]
  /** From three loads of a sweep to the others; models without experts, and with. */
  readonly interpolation: readonly {
    readonly kind: 'dense' | 'experts'
    readonly sweeps: number
    readonly reliablePct: number
    /** Over the sweeps whose fit is called reliable, and over all. */
    readonly reliable: ErrorFigures
    readonly all: ErrorFigures
    readonly groups: readonly NamedErrors[]
  }[]
  readonly questions: readonly {
    readonly name: 'sameShape' | 'newLengths' | 'newLayout' | 'uncalibrated'
    readonly all: ErrorFigures
    readonly dense: ErrorFigures
    readonly experts: ErrorFigures
    readonly models: readonly NamedErrors[]
    readonly systems: readonly NamedErrors[]
    readonly loads: readonly NamedErrors[]
  }[]
  readonly firstTokens: readonly FirstTokens[]
  /** Rows that `predict` was not asked about. */
  readonly leftOut: readonly { readonly why: string; readonly rows: number }[]
  readonly coverage: readonly Coverage[]
  readonly splitPools: SplitPoolsReport
  readonly tables: readonly TableReport[]
}

/** How long the model takes for its answers, in Node and in a browser. */
export interface ModelSpeedResult extends Taken {
  readonly samples: readonly {
    readonly where: string
    readonly loads: number
    readonly firstFrontierMs: number
    /** Of one frontier, block by block. */
    readonly frontierMs: readonly number[]
    readonly considered: number
    readonly searchS: readonly number[]
  }[]
}

/** The same law and load measured and simulated. */
export interface SimAgreementResult extends Taken {
  readonly samples: readonly {
    readonly plan: AgreementPlan
    readonly requests: number
    readonly differences: readonly Difference[]
    readonly circumstances: Circumstances
  }[]
}

/** How long the simulator takes, in Node and in a browser's worker. */
export interface SimSpeedResult extends Taken {
  readonly hour: TimedHour
  readonly fleets: readonly TimedFleet[]
  readonly frontiers: readonly (TimedFrontiers & { readonly where: string })[]
  readonly growth: readonly Growth[]
  /** The same requests in Vidur, and in repeats of ours. */
  readonly vidur?: {
    readonly requests: number
    readonly outputTokens: number
    readonly vidurS: number
    readonly seconds: readonly number[]
  }
}

/** How long plans for a million users take. */
export interface PlanSpeedResult extends Taken {
  readonly plans: readonly LargePlan[]
}

/** A real run, and what the simulator made of the same requests. */
export interface RealRunScore {
  readonly run: string
  /** What its step times were found from. */
  readonly from: string
  /** Those that it is scored on. */
  readonly requests: number
  readonly asynchronous: boolean
  readonly preemptions: number
  readonly law?: Law
  readonly misfit?: number
  readonly times: readonly TimeScore[]
}

/** Both speeds of the same GPUs as one pool and as two. */
export interface Crossing {
  readonly users: number
  readonly predicted: { readonly together: Speeds; readonly split: Speeds }
  readonly simulated: { readonly together: Speeds; readonly split: Speeds }
}

interface SpeedErrors {
  readonly perUser: ErrorFigures
  readonly perGpu: ErrorFigures
}

/** Public runs of split pools through the simulator, with the step times of `predict`. */
export interface SimulatedSplitReport {
  readonly rows: number
  readonly toPredicted: SpeedErrors
  readonly toMeasured: SpeedErrors
  readonly predictedToMeasured: SpeedErrors
  readonly crossings: readonly Crossing[]
}

/** The simulator held against real servers: no clock and no machine has a part in it. */
export interface SimAccuracyResult {
  readonly marks: readonly Mark[]
  readonly runs: readonly RealRunScore[]
  readonly splits: SimulatedSplitReport
}

/** `--find` and `--sweep` against what is right. */
export interface SearchResult extends Taken {
  readonly simulated: { readonly law: string; readonly finds: readonly FoundLoad[]; readonly sweep: SweptFrontier }
  readonly real: RealSearches
}

interface Results {
  readonly generator: GeneratorResult
  readonly accuracy: AccuracyResult
  readonly 'llama-server': LlamaServerResult
  readonly report: ReportResult
  readonly scale: ScaleResult
  readonly model: ModelResult
  readonly 'model-speed': ModelSpeedResult
  readonly 'sim-speed': SimSpeedResult
  readonly 'sim-agreement': SimAgreementResult
  readonly 'sim-accuracy': SimAccuracyResult
  readonly search: SearchResult
  readonly choose: ChooseResult
  readonly plan: PlanResult
  readonly 'plan-speed': PlanSpeedResult
}

const fileOf = (name: keyof Results): URL => new URL(`${name}.json`, import.meta.url)

export function readResult<N extends keyof Results>(name: N): Results[N] | undefined {
  return existsSync(fileOf(name)) ? (JSON.parse(readFileSync(fileOf(name), 'utf8')) as Results[N]) : undefined
}

const short = (_: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value

export function writeResult<N extends keyof Results>(name: N, result: Results[N]): void {
  writeFileSync(fileOf(name), `${JSON.stringify(result, short, 1)}\n`)
}
