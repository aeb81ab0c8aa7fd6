import type { TableReport } from '../table-report.ts'
import { readTable } from '../tables.ts'
import { oneLayer, partSeconds } from './one-layer.ts'
import { type Outcome, tableReport } from './report.ts'
import { accelerator, decode, remembered, stepModel, UNKNOWN } from './setup.ts'

/** By `system,GPUs,hidden`: a dense layer, which sums over its GPUs twice. */
const dense = remembered((key) => {
  const [system = '', gpus, hidden] = key.split(',')
  const gpu = accelerator(system)
  return gpu && stepModel({ model: oneLayer({ hidden: Number(hidden) }), gpu, precision: 'bf16', tp: Number(gpus) })
})

const WIDEST = 8192

export function allReduces(): TableReport {
  const outcomes = readTable('aic_collectives.csv')
    .filter(({ op, backend }) => op === 'all_reduce' && backend === 'vllm_graph')
    .map((row): Outcome => {
      const { system = '', num_gpus } = row
      // The table's message is in elements: tokens × hidden of a step.
      const elements = Number(row.message_elements)
      const hidden = Math.min(elements, WIDEST)
      const model = dense([system, num_gpus, hidden].join())
      if (model === undefined) return { why: UNKNOWN }
      const bytes = 2 * elements
      return {
        groups: [`${num_gpus} GPUs, ${bytes < 2 ** 20 ? 'under' : 'from'} 1 MiB`, system],
        measured: Number(row.latency_us) / 1e6,
        predicted: partSeconds(model, decode(elements / hidden), ['allReduce']) / 2,
      }
    })
  return tableReport(
    'aic_collectives.csv',
    'Time of an all-reduce over the GPUs of one node, inside a captured graph in vLLM.',
    outcomes,
  )
}
