import type { Day, ReplicaLoad } from '../../core/index.ts'
import type { DaySource } from './source.ts'

/** A replica at the load that it is planned with. */
export interface DayServer {
  readonly chosen: ReplicaLoad
  /** Of one replica. */
  readonly gpus?: number
  readonly gpuHour?: number
}

export interface DayOptions {
  /** Of a curve; the rows of a trace have their own. */
  readonly outputTokens: number
  /** From the order of a replica until it answers; 0. */
  readonly startupS?: number
}

/** What a day asks of replicas that run at this load. */
export function dayOf(_source: DaySource, _server: DayServer, _options: DayOptions): Day {
  throw new Error('to come')
}
