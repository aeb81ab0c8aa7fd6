import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RUN_SCHEMA, type RunHeader } from '../core/index.ts'
import type { Clock } from './clock.ts'
import type { MeasureOptions } from './options.ts'
import type { Preflight } from './preflight.ts'
import type { Address } from './target.ts'
import { WARM_UP_METHOD } from './warm-up.ts'

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }

/** What a run is about to do, as found out before its first measured request. */
export interface RunPlan {
  readonly address: Address
  readonly model: string
  readonly engine?: string
  readonly seed: number | string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly found: Omit<Preflight, 'counted' | 'timeInSystemS'> & Partial<Preflight>
  /** One of the bodies that will be sent, as it goes out. */
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
    twospeed: manifest.version,
    target: { url: address.shown, model, ...(engine !== undefined && { engine }) },
    hardware: {
      ...(options.gpus !== undefined && { gpus: options.gpus }),
      ...(options.hardwareName !== undefined && { name: options.hardwareName }),
      replicas: options.replicas ?? 1,
    },
    clock: { originNs: clock.originNs, wallIso: clock.wallIso },
    workload: {
      loop: 'closed',
      endpoint,
      inputTokens: plan.inputTokens,
      outputTokens: plan.outputTokens,
      ...(found.counted !== undefined && { counted: found.counted }),
      ...(options.concurrency !== undefined && { concurrency: options.concurrency }),
      ...(options.durationS !== undefined && { durationS: options.durationS }),
      ...(options.requests !== undefined && { requests: options.requests }),
      warmUp: WARM_UP_METHOD,
      seed: plan.seed,
      promptWords: found.words,
      preflightRequests: found.requests,
      ...dialect,
      body: plan.body,
      headers: plan.headerNames,
      ...(plan.proxy !== undefined && { proxy: plan.proxy }),
      limits: limitsOf(options),
    },
    ...(options.objectives !== undefined && { objectives: options.objectives }),
    points: [],
  }
}

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
