import { findModel } from '../../../src/model/catalogue/find.ts'
import { IDEAL } from '../../../src/model/roofline/constants.ts'
import {
  type ConfigurationOptions,
  createConfiguration,
  createStepModel,
  memoryOf,
  type StepModel,
} from '../../../src/model/roofline/index.ts'
import type { TableReport } from '../table-report.ts'
import { type Row, readTable } from '../tables.ts'
import { type Outcome, tableReport } from './report.ts'
import { accelerator, decode, prefill, remembered, UNKNOWN, unlessRefused } from './setup.ts'

/** Argonne's A100 have 40 GB. */
const gpuNamed = remembered((hardware) =>
  accelerator(hardware === 'Nvidia A100 GPU' ? 'a100-sxm-40' : hardware.replace(/ GPU$/, '')),
)
const modelNamed = remembered((name) => unlessRefused(() => findModel(name)))

/** How the row's model was laid out and kept; 16 bits where nothing is said. */
type Way = Pick<ConfigurationOptions, 'tp' | 'pp' | 'ep' | 'precision' | 'kvPrecision'>

/** By the JSON of hardware, model and way: with the losses of engines, and as the datasheets would have it. */
const setups = remembered((key): { readonly model: StepModel; readonly ideal: StepModel } | undefined => {
  const [hardware, name, way] = JSON.parse(key) as [string, string, Way]
  const [gpu, model] = [gpuNamed(hardware), modelNamed(name)]
  const configuration =
    gpu && model && unlessRefused(() => createConfiguration({ model, gpu, precision: 'bf16', ...way }))
  return configuration && { model: createStepModel(configuration), ideal: createStepModel(configuration, IDEAL) }
})

/** A batch that starts and ends as one: its prompts in full steps, then every token of the answers. */
function batchSeconds(model: StepModel, batch: number, inputTokens: number, outputTokens: number): number {
  const prompts = batch * inputTokens
  const chunk = Math.min(prompts, model.configuration.maxBatchedTokens)
  const reading = (prompts / chunk) * model.stepSeconds(prefill(chunk / inputTokens, inputTokens))
  return reading + (outputTokens - 1) * model.stepSeconds(decode(batch, inputTokens + outputTokens / 2))
}

function compare(
  row: Row,
  way: Way,
  group: string,
  [inputTokens, outputTokens]: readonly [number, number],
  measured: number,
): Outcome {
  const { Hardware = '', Framework = '', Model = '' } = row
  if (Framework === 'llama.cpp') return { why: 'of llama.cpp, the precision of whose weights is not told' }
  if (gpuNamed(Hardware) === undefined) return { why: UNKNOWN }
  if (modelNamed(Model) === undefined) return { why: UNKNOWN }
  const setup = setups(JSON.stringify([Hardware, Model, way]))
  if (setup === undefined) return { why: 'that cannot be laid out or kept so' }
  const { model, ideal } = setup
  const batch = Number(row['Batch Size'])
  const memory = unlessRefused(() => memoryOf(model.configuration, { inputTokens, outputTokens }))
  if (memory === undefined || memory.maxConcurrency < batch)
    return { why: 'whose batch does not fit in the memory at once' }
  if (!(measured > batchSeconds(ideal, batch, inputTokens, outputTokens) / 2))
    return { why: 'in less than half of the time that the datasheet asks for, so the answers were not made' }
  return {
    groups: [`${Hardware}, ${group}`],
    measured,
    predicted: batchSeconds(model, batch, inputTokens, outputTokens),
  }
}

const lengthsOf = (row: Row): readonly [number, number] => {
  const tokens = Number(row['Input Output Length'])
  return [tokens, tokens]
}

const gpusOf = (row: Row): number => Number(row['Num of Hardware'])

export function staticBatches(): TableReport {
  const outcomes = readTable('argonne_all_results.csv').map((row) =>
    compare(row, { tp: gpusOf(row) }, row.Framework ?? '', lengthsOf(row), Number(row.Latency)),
  )
  return tableReport(
    'argonne_all_results.csv',
    'Time of a whole batch, all answers of one length, in 16 bits.',
    outcomes,
    [
      'Engines of 2024. On MI300X a token of Llama-2-7B alone takes vLLM 10 ms, though its memory gives the weights in 2.5 ms: the engine is far from the datasheet there, and the prediction near it.',
    ],
  )
}

/** `TP`, `Pipeline Parallelism`, `EP`, `Hybrid TP = 2 and EP = 2` …; of four GPUs a hybrid has two of each. */
function wayOf(row: Row): { readonly way: Way; readonly name: string } {
  const kind = row['Parallelism Type'] ?? ''
  const gpus = gpusOf(row)
  if (/^Hyb/.test(kind))
    return /EP/.test(kind)
      ? { way: { tp: gpus, ep: 2 }, name: 'TP and EP' }
      : { way: { tp: 2, pp: 2 }, name: 'TP and PP' }
  if (/^(PP|Pipeline)/.test(kind)) return { way: { pp: gpus }, name: 'PP' }
  return /^EP/.test(kind) ? { way: { tp: gpus, ep: gpus }, name: 'EP' } : { way: { tp: gpus }, name: 'TP' }
}

export function layouts(): TableReport {
  const outcomes = readTable('argonne_tp_ep_pp.csv').map((row) => {
    const { way, name } = wayOf(row)
    return gpusOf(row) === 1
      ? { why: 'of one GPU' }
      : compare(row, way, `${row.Framework}, ${name}`, lengthsOf(row), Number(row.Latency))
  })
  return tableReport(
    'argonne_tp_ep_pp.csv',
    'The same, by the way in which the model lies over two or four A100.',
    outcomes,
  )
}

export function precisions(): TableReport {
  const outcomes = readTable('argonne_quant.csv').map((row) => {
    const [, weights = '', kv = ''] = /^Weight = (\w+), KV Cache = (\w+)$/.exec(row.kv_cache_dtype ?? '') ?? []
    const way = { precision: weights === 'fp16' ? 'bf16' : weights, kvPrecision: kv === 'fp16' ? 'bf16' : kv }
    const group = `${row.Framework}, weights ${weights}, cache ${kv}`
    return compare(row, way, group, lengthsOf(row), Number(row.latency))
  })
  return tableReport(
    'argonne_quant.csv',
    'The same for Llama-3-8B, by what its weights and its cache are kept in.',
    outcomes,
  )
}

export function firstTokens(): TableReport {
  const outcomes = readTable('argonne_ttft_itl.csv').map((row) =>
    compare(
      row,
      { tp: gpusOf(row) },
      row.Framework ?? '',
      [Number(row['Input Length']), 1],
      Number(row['TTFT Latency']),
    ),
  )
  return tableReport(
    'argonne_ttft_itl.csv',
    'Time to the first token of a batch of 16 prompts of 1 024 tokens.',
    outcomes,
  )
}
