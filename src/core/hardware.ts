import type { Hardware } from './run.ts'

/** Of one pool of a fleet. */
export interface PoolHardware {
  readonly role: 'both' | 'prefill' | 'decode'
  readonly replicas: number
  /** Absent while unknown. */
  readonly gpusPerReplica?: number
}

/** The GPUs of all pools; what is not known of one is not known of all. */
export function hardwareOf(pools: readonly PoolHardware[]): Hardware {
  const gpusOf = (role: 'both' | 'prefill' | 'decode'): number | undefined => {
    const ofRole = pools.filter((pool) => pool.role === role)
    if (ofRole.some(({ gpusPerReplica }) => gpusPerReplica === undefined)) return undefined
    return ofRole.reduce((sum, { replicas, gpusPerReplica = 0 }) => sum + replicas * gpusPerReplica, 0)
  }
  const [both, prefillGpus, decodeGpus] = [gpusOf('both'), gpusOf('prefill'), gpusOf('decode')]
  const isSplit = pools.some(({ role }) => role !== 'both')
  const gpus =
    both === undefined || prefillGpus === undefined || decodeGpus === undefined
      ? undefined
      : both + prefillGpus + decodeGpus
  const replicas = pools.reduce((sum, pool) => sum + (pool.role === 'prefill' ? 0 : pool.replicas), 0)
  return {
    ...(gpus !== undefined && { gpus }),
    replicas,
    // Pools that do both belong to neither, so figures per pool are told only without them.
    ...(isSplit && both === 0 && prefillGpus !== undefined && decodeGpus !== undefined && { prefillGpus, decodeGpus }),
  }
}
