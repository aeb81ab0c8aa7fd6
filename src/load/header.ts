import { join } from 'node:path'
import { RUN_SCHEMA, type RunHeader } from '../core/index.ts'
import { readCalibration } from './calibrate/calibration-file.ts'
import type { Clock } from './clock.ts'
import { processOf } from './loads.ts'
import type { MeasureOptions } from './options.ts'
import { WARM_UP_METHODS } from './point/warm-up.ts'
import type { Preflight } from './target/preflight.ts'
import type { Address } from './target/target.ts'
import { VERSION } from './version.ts'
import { type WorkSource, workloadOf } from './work/source.ts'

/** What a run is about to do, as found out before its first measured request. */
export interface RunPlan {
  readonly address: Address
  readonly model: string
  readonly engine?: string
  readonly seed: number | string
  /** Of the request that was tried: the lengths themselves where all are alike. */
  readonly inputTokens: number
  readonly outputTokens: number
  readonly source: WorkSource
  readonly found: Omit<Preflight, 'counted' | 'timeInSystemS'> & Partial<Preflight>
  /** One of the bodies that will be sent, as it goes out; somebody's own prompt in it is cut to its beginning. */
  readonly body: string
  /** Names of the headers given; their values are secrets. */
  readonly headerNames: readonly string[]
  readonly proxy?: string
}

/** `run.json` before its first point. Asked and counted lengths stand side by side in `workload`. */
export function headerOf(options: MeasureOptions, plan: RunPlan, clock: Clock): RunHeader {
  const { address, model, engine, found } = plan
  const { endpoint, model: _, ...dialect } = found.dialect
  return {
    schema: RUN_SCHEMA,
    createdAt: clock.wallIso,
    twospeed: VERSION,
    target: { url: address.shown, model, ...(engine !== undefined && { engine }) },
    hardware: {
      ...(options.gpus !== undefined && { gpus: options.gpus }),
      ...(options.hardwareName !== undefined && { name: options.hardwareName }),
      replicas: options.replicas ?? 1,
    },
    clock: { originNs: clock.originNs, wallIso: clock.wallIso },
    workload: {
      loop: loopName(options),
      endpoint,
      ...workloadOf(plan.source, options),
      ...(found.counted !== undefined && { counted: found.counted }),
      ...(options.concurrency !== undefined && { concurrency: options.concurrency }),
      ...(options.rates !== undefined && { rates: options.rates, arrivals: processOf(options) }),
      ...(options.maxInFlight !== undefined && { maxInFlight: options.maxInFlight }),
      ...(options.rampS !== undefined && { rampS: options.rampS }),
      ...(options.think !== undefined && { think: options.think }),
      ...(options.durationS !== undefined && { durationS: options.durationS }),
      ...(options.requests !== undefined && { requests: options.requests }),
      ...(options.repeat !== undefined && { repeat: options.repeat }),
      ...(options.search !== undefined && { search: options.search }),
      ...(options.share !== undefined && { share: options.share }),
      warmUp: WARM_UP_METHODS[loopName(options)],
      seed: plan.seed,
      ...(plan.source.kind !== 'own' && { promptWords: found.words }),
      workers: options.workers ?? 'as the load takes',
      calibration: readCalibration()?.createdAt ?? 'none: twospeed calibrate was not run on this machine',
      preflightRequests: found.requests,
      ...dialect,
      body: plan.body,
      headers: plan.headerNames,
      ...(plan.proxy !== undefined && { proxy: plan.proxy }),
      ...(options.tokenizer !== undefined && { tokenizer: options.tokenizer }),
      limits: limitsOf(options),
    },
    ...(options.objectives !== undefined && { objectives: options.objectives }),
    points: [],
  }
}

const loopName = ({ trace, rates }: MeasureOptions): keyof typeof WARM_UP_METHODS =>
  trace !== undefined ? 'trace' : rates !== undefined ? 'open' : 'closed'

/** Every wait has a limit; these are far beyond what anybody would call an answer. */
const LIMITS = { firstTokenTimeoutS: 300, idleTimeoutS: 120, requestTimeoutS: 3600 }

export const limitsOf = (options: MeasureOptions): typeof LIMITS => ({
  firstTokenTimeoutS: options.firstTokenTimeoutS ?? LIMITS.firstTokenTimeoutS,
  idleTimeoutS: options.idleTimeoutS ?? LIMITS.idleTimeoutS,
  requestTimeoutS: options.requestTimeoutS ?? LIMITS.requestTimeoutS,
})

/** `runs/2026-12-01T15-00-35-model`. */
export function defaultFolder(wallIso: string, model: string): string {
  const time = wallIso.slice(0, 19).replaceAll(':', '-')
  return join('runs', `${time}-${model.replace(/[^\w.-]+/g, '-').slice(-60)}`)
}
