import { printable, type Run } from '../core/index.ts'
import { workloadParts } from './workload.ts'

/** A run of an engine that is timed by a law, not one that computes, is titled so wherever it is shown. */
export const isSimulated = ({ target }: Run): boolean => /simulated/i.test(target.engine ?? '')

export function titleOf(run: Run): string {
  const model = printable(run.target.model)
  return isSimulated(run) ? `SIMULATED: the two speeds of ${model}` : `The two speeds of ${model}`
}

/** What throughput is counted by: a GPU where their number is known, else the server, which is one machine where it has that name. */
export function perWhat({ hardware }: Run): 'GPU' | 'server' | 'machine' {
  if (hardware.gpus !== undefined) return 'GPU'
  return hardware.name === undefined ? 'server' : 'machine'
}

/** What was measured, when, and by what load; the parts of one line. */
export function measuredOn(run: Run): readonly string[] {
  const { target, hardware, createdAt } = run
  const { gpus, replicas = 1, name, prefillGpus, decodeGpus } = hardware
  const pools =
    prefillGpus === undefined || decodeGpus === undefined ? '' : ` (${prefillGpus} prefill, ${decodeGpus} decode)`
  return [
    target.url,
    ...(target.engine === undefined ? [] : [`engine ${target.engine}`]),
    ...(name === undefined ? [] : [name]),
    gpus === undefined
      ? `throughput is per ${perWhat(run)}${name === undefined ? ': its GPUs are unknown' : ''}`
      : `${gpus} GPU${gpus === 1 ? '' : 's'}${pools}`,
    ...(replicas > 1 ? [`${replicas} replicas`] : []),
    createdAt.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*Z$/, '$1 $2 UTC'),
    ...workloadParts(run),
  ].map(printable)
}
