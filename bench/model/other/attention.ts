import type { ModelShape } from '../../../src/model/catalogue/model-shape.ts'
import type { StepWork } from '../../../src/model/roofline/index.ts'
import type { TableReport } from '../table-report.ts'
import { type Row, readTable } from '../tables.ts'
import { oneLayer, partSeconds } from './one-layer.ts'
import { type Outcome, tableReport } from './report.ts'
import { accelerator, decode, prefill, remembered, stepModel } from './setup.ts'

/** By `system,type of the cache,heads,KV heads,head dimension,window`. */
const groupedModel = remembered((key) => {
  const [system = '', kvType = '', ...sizes] = key.split(',')
  const [heads = 0, kvHeads = 0, headDim = 0, window = 0] = sizes.map(Number)
  return attentionModel(system, kvType, {
    attention: { kind: 'grouped', heads, kvHeads, headDim },
    ...(window > 0 && { window: { tokens: window, layers: 1 } }),
  })
})

/** By `system,type of the cache,heads`: DeepSeek's sizes, of which the tables are. */
const latentModel = remembered((key) => {
  const [system = '', kvType = '', heads] = key.split(',')
  return attentionModel(system, kvType, {
    attention: { kind: 'latent', heads: Number(heads), kvRank: 512, nopeDim: 128, ropeDim: 64, valueDim: 128 },
  })
})

function attentionModel(system: string, kvType: string, shape: Partial<ModelShape>): ReturnType<typeof stepModel> {
  const gpu = accelerator(system)
  const kvPrecision = kvType === 'fp8' ? 'fp8' : 'bf16'
  return gpu && stepModel({ model: oneLayer(shape), gpu, precision: 'bf16', kvPrecision })
}

function compare(
  { system = '', latency_us }: Row,
  model: ReturnType<typeof stepModel>,
  group: string,
  work: StepWork,
): Outcome {
  if (model === undefined) return { why: `of arithmetic that ${system} has not by its datasheet` }
  return {
    groups: [group, system],
    measured: Number(latency_us) / 1e6,
    predicted: partSeconds(model, work, ['attention', 'promptAttention']),
  }
}

const lengthOf = (tokens: number): string => (tokens < 1024 ? 'under 1 024' : '1 024 and more')

export function decodeAttention(): TableReport {
  const outcomes = readTable('aic_vllm_decode_attention.csv').map((row) => {
    const { system, kv_dtype, q_heads, kv_heads, head_dim, window } = row
    const context = Number(row.context_len)
    const model = groupedModel([system, kv_dtype, q_heads, kv_heads, head_dim, window].join())
    return compare(row, model, `${kv_dtype}, context ${lengthOf(context)}`, decode(Number(row.batch), context))
  })
  return tableReport('aic_vllm_decode_attention.csv', 'Time of the decode kernel over grouped heads in vLLM.', outcomes)
}

export function prefillAttention(): TableReport {
  const outcomes = readTable('aic_vllm_prefill_attention.csv').map((row) => {
    const { system, kv_dtype, q_heads, kv_heads, head_dim } = row
    const prompt = Number(row.isl)
    const model = groupedModel([system, kv_dtype, q_heads, kv_heads, head_dim, 0].join())
    const work = prefill(Number(row.batch), prompt, Number(row.prefix))
    return compare(row, model, `${kv_dtype}, prompt ${lengthOf(prompt)}`, work)
  })
  return tableReport(
    'aic_vllm_prefill_attention.csv',
    'Time of the prefill kernel over grouped heads in vLLM.',
    outcomes,
  )
}

export function latentDecodeAttention(): TableReport {
  const outcomes = readTable('aic_mla_decode.csv').map((row) => {
    const context = Number(row.context_len)
    const model = latentModel([row.system, row.kv_dtype, row.heads].join())
    const group = `${row.backend?.startsWith('vllm') ? 'vLLM' : 'TensorRT-LLM'} ${row.kv_dtype}, context ${lengthOf(context)}`
    return compare(row, model, group, decode(Number(row.batch), context))
  })
  return tableReport(
    'aic_mla_decode.csv',
    'Time of the decode kernel of latent attention in vLLM and TensorRT-LLM.',
    outcomes,
    [
      'In the rows of vLLM every call has 160 to 330 µs of the host in it, which a captured graph has not; those of TensorRT-LLM are of kernels alone.',
    ],
  )
}
