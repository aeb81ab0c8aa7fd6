import { findModel } from '../../../src/model/catalogue/find.ts'
import {
  type Configuration,
  closedLoop,
  createConfiguration,
  createStepModel,
  memoryOf,
} from '../../../src/model/roofline/index.ts'
import type { TableReport } from '../table-report.ts'
import { type Row, readTable } from '../tables.ts'
import { type Outcome, tableReport } from './report.ts'
import { accelerator, UNKNOWN, unlessRefused } from './setup.ts'

const GPUS: Readonly<Record<string, string>> = { RTX6000PRO: 'RTX PRO 6000', H100: 'h100-sxm', H200: 'h200-sxm' }

const MODELS: Readonly<Record<string, string>> = {
  'Llama 4 Scout': 'Llama-4-Scout-17B-16E-Instruct',
  'Llama 4 Maverick': 'Llama-4-Maverick-17B-128E-Instruct',
}

/** All requests are there from the start: the engine takes as many as it holds, in the steps that it is tuned for. */
const OFFLINE = { maxNumSeqs: 4096, maxBatchedTokens: 8192 } as const

function configurationOf({
  model: name = '',
  gpu: short = '',
  parallel = '',
  weights = '',
}: Row): Configuration | undefined {
  const gpu = accelerator(GPUS[short] ?? short)
  const model = unlessRefused(() => findModel(MODELS[name] ?? name.replaceAll(' ', '-')))
  const [, tp = 1, pp = 1] = /^TP(\d+)(?:PP(\d+))?$/.exec(parallel) ?? []
  if (gpu === undefined || model === undefined) return undefined
  return unlessRefused(() =>
    createConfiguration({
      model,
      gpu,
      tp: Number(tp),
      pp: Number(pp),
      precision: weights.toLowerCase(),
      kvPrecision: 'fp8',
      ...OFFLINE,
    }),
  )
}

/** The most tokens per second over loads from 1 to what the memory holds. */
function greatest(configuration: Configuration, inputTokens: number, outputTokens: number): number | undefined {
  const lengths = { inputTokens, outputTokens }
  const memory = unlessRefused(() => memoryOf(configuration, lengths))
  if (memory === undefined) return undefined
  const model = createStepModel(configuration)
  const most = Math.max(1, Math.min(OFFLINE.maxNumSeqs, Math.floor(memory.maxConcurrency)))
  let best = 0
  for (let load = most; load >= 1; load = Math.floor(load / 1.5))
    best = Math.max(best, closedLoop(model, memory, lengths, load).outputTokensPerSecond)
  return best
}

export function maxima(): TableReport {
  const outcomes = readTable('trtllm_perf_overview_max_throughput.csv').map((row): Outcome => {
    const { gpu = '', weights } = row
    const configuration = configurationOf(row)
    if (configuration === undefined) return { why: UNKNOWN }
    const predicted = greatest(configuration, Number(row.isl), Number(row.osl))
    if (predicted === undefined) return { why: 'that are predicted not to fit' }
    return { groups: [`${gpu}, ${weights}`], measured: Number(row.total_output_tok_s), predicted }
  })
  return tableReport(
    'trtllm_perf_overview_max_throughput.csv',
    'The most output tokens per second, by lengths, of TensorRT-LLM with all requests there at once.',
    outcomes,
  )
}
