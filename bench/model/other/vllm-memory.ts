import { findModel } from '../../../src/model/catalogue/find.ts'
import { createConfiguration, memoryOf } from '../../../src/model/roofline/index.ts'
import type { TableReport } from '../table-report.ts'
import { readTable } from '../tables.ts'
import { type Outcome, tableReport } from './report.ts'
import { accelerator, UNKNOWN, unlessRefused } from './setup.ts'

const GIB = 2 ** 30

/** Where the memory of an H100 went when vLLM had started. */
export function startedMemory(): TableReport {
  const outcomes = readTable('vllm_memory_h100.csv').flatMap((row): readonly Outcome[] => {
    const { model: name = '' } = row
    const gpu = accelerator('h100-sxm')
    const model = unlessRefused(() => findModel(name.replace(/-dynamic$/, '')))
    if (gpu === undefined || model === undefined) return [{ why: UNKNOWN }]
    const tp = Number(row.tp)
    const precision = model.storedAs ?? (/fp8/i.test(name) ? 'fp8' : 'bf16')
    const memory = unlessRefused(() =>
      memoryOf(createConfiguration({ model, gpu, tp, precision, memoryShare: Number(row.gpu_memory_utilization) }), {
        inputTokens: 1000,
        outputTokens: 100,
      }),
    )
    if (memory === undefined) return [{ why: 'that are predicted not to fit' }]
    return [
      { groups: ['weights'], measured: Number(row.weights_gib), predicted: memory.weightBytesPerGpu / GIB },
      {
        groups: ['KV cache'],
        measured: Number(row.kv_cache_gib),
        predicted: (memory.kvCapacityTokens * memory.kvBytesPerToken) / tp / GIB,
      },
    ]
  })
  return tableReport('vllm_memory_h100.csv', 'GiB of one H100 that vLLM has for weights and for the cache.', outcomes)
}
