import { findModel } from '../../../src/model/catalogue/find.ts'
import type { TableReport } from '../table-report.ts'
import { readTable } from '../tables.ts'
import { partSeconds } from './one-layer.ts'
import { type Outcome, tableReport } from './report.ts'
import { accelerator, decode, remembered, stepModel, UNKNOWN, unlessRefused } from './setup.ts'

/** By `GPU;model;TP`, in 16 bits. */
const whole = remembered((key) => {
  const [device = '', name = '', tp] = key.split(';')
  const gpu = accelerator(device)
  const model = unlessRefused(() => findModel(name))
  return gpu && model && stepModel({ model, gpu, precision: 'bf16', tp: Number(tp) })
})

const regimeOf = (tokens: number): string => (tokens <= 64 ? '1–64' : tokens < 512 ? '65–511' : '512 and more')

const GPUS: Readonly<Record<string, string>> = {
  a100: 'a100-sxm-80',
  h100: 'h100-sxm',
  RTX4090: 'RTX 4090',
  RTXPRO6000: 'RTX PRO 6000',
}

/** The matrix products of a dense layer, which are what a step spends most on. */
export function denseLayers(): TableReport {
  const outcomes = readTable('vidur_mlp_ops_us.csv').map((row): Outcome => {
    const { device = '', model: name = '', tp } = row
    const model = whole([GPUS[device] ?? device, name, tp].join(';'))
    if (model === undefined) return { why: UNKNOWN }
    const tokens = Number(row.num_tokens)
    const microseconds = ['attn_pre_proj_us', 'attn_post_proj_us', 'mlp_up_proj_us', 'mlp_down_proj_us'].map((op) =>
      Number(row[op]),
    )
    return {
      groups: [`${device}, ${regimeOf(tokens)} tokens`],
      measured: microseconds.reduce((sum, us) => sum + us, 0) / 1e6,
      predicted: partSeconds(model, decode(tokens), ['projections', 'feedForward']) / model.configuration.model.layers,
    }
  })
  return tableReport('vidur_mlp_ops_us.csv', 'Time of the four matrix products of one dense layer.', outcomes)
}

const LAYERS: Readonly<Record<string, string>> = {
  qkv_proj: 'projections',
  o_proj: 'projections',
  gate_up_proj: 'feedForward',
  down_proj: 'feedForward',
}

/** The same for consumer and workstation cards; the products of a part are summed, as the model has them. */
export function profiledLayers(): TableReport {
  const parts = new Map<string, number>()
  for (const { hardware, model, tp, layer = '', tokens, time_us } of readTable('llmservingsim_profile_dense.csv')) {
    const part = LAYERS[layer]
    const key = [hardware, model, tp, tokens, part].join(';')
    if (part !== undefined) parts.set(key, (parts.get(key) ?? 0) + Number(time_us) / 1e6)
  }
  const outcomes = [...parts].map(([key, measured]): Outcome => {
    const [hardware = '', name, tp, tokens, part = ''] = key.split(';')
    const model = whole([GPUS[hardware] ?? hardware, name, tp].join(';'))
    if (model === undefined) return { why: UNKNOWN }
    const predicted = partSeconds(model, decode(Number(tokens)), [part]) / model.configuration.model.layers
    return { groups: [`${hardware} ${part}, ${regimeOf(Number(tokens))} tokens`], measured, predicted }
  })
  return tableReport('llmservingsim_profile_dense.csv', 'Time of the matrix products of one layer, by part.', outcomes)
}

/** Attention of a step that decodes, reads a chunk of a prompt, or both. */
export function mixedAttention(): TableReport {
  const outcomes = readTable('llmservingsim_profile_attention.csv').map((row): Outcome => {
    const { hardware = '', model: name, tp } = row
    const model = whole([GPUS[hardware] ?? hardware, name, tp].join(';'))
    if (model === undefined) return { why: UNKNOWN }
    const [chunk, sequences] = [Number(row.prefill_chunk), Number(row.n_decode)]
    const work = {
      sequences,
      contextTokens: Number(row.kv_decode),
      prefillTokens: chunk,
      prefillContextTokens: chunk === 0 ? 0 : Number(row.kv_prefill) + chunk / 2,
    }
    return {
      groups: [`${hardware}, ${chunk === 0 ? 'decode' : sequences === 0 ? 'prefill' : 'both'}`],
      measured: Number(row.time_us) / 1e6,
      predicted: partSeconds(model, work, ['attention', 'promptAttention']) / model.configuration.model.layers,
    }
  })
  return tableReport(
    'llmservingsim_profile_attention.csv',
    'Time of attention in one layer of a step that decodes, reads a chunk of a prompt, or both.',
    outcomes,
  )
}

/** The output matrix, which is asked for one row a sequence. */
export function outputMatrices(): TableReport {
  const outcomes = readTable('llmservingsim_profile_perseq.csv')
    .filter(({ layer }) => layer === 'lm_head')
    .map((row): Outcome => {
      const { hardware = '', model: name, tp } = row
      const model = whole([GPUS[hardware] ?? hardware, name, tp].join(';'))
      if (model === undefined) return { why: UNKNOWN }
      const predicted = partSeconds(model, decode(Number(row.sequences)), ['head'])
      return { groups: [hardware], measured: Number(row.time_us) / 1e6, predicted }
    })
  return tableReport('llmservingsim_profile_perseq.csv', 'Time of the output matrix, by sequences.', outcomes)
}
