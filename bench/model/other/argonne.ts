import { findModel } from '../../../src/model/catalogue/find.ts'
import { IDEAL } from '../../../src/model/roofline/constants.ts'
import { createConfiguration, createStepModel, memoryOf, type StepModel } from '../../../src/model/roofline/index.ts'
import type { TableReport } from '../table-report.ts'
import { type Row, readTable } from '../tables.ts'
import { type Outcome, tableReport } from './report.ts'
import { accelerator, decode, prefill, remembered, UNKNOWN, unlessRefused } from './setup.ts'

/** Argonne's A100 have 40 GB. */
const gpuNamed = remembered((hardware) =>
  accelerator(hardware === 'Nvidia A100 GPU' ? 'a100-sxm-40' : hardware.replace(/ GPU$/, '')),
)
const modelNamed = remembered((name) => unlessRefused(() => findModel(name)))

/** By `hardware;GPUs;model`, in 16 bits: with the losses of engines, and as the datasheets would have it. */
const setups = remembered((key): { readonly model: StepModel; readonly ideal: StepModel } | undefined => {
  const [hardware = '', gpus, name = ''] = key.split(';')
  const [gpu, model] = [gpuNamed(hardware), modelNamed(name)]
  const configuration =
    gpu && model && unlessRefused(() => createConfiguration({ model, gpu, precision: 'bf16', tp: Number(gpus) }))
  return configuration && { model: createStepModel(configuration), ideal: createStepModel(configuration, IDEAL) }
})

/** A batch that starts and ends as one: its prompts in full steps, then every token of the answers. */
function batchSeconds(model: StepModel, batch: number, inputTokens: number, outputTokens: number): number {
  const prompts = batch * inputTokens
  const chunk = Math.min(prompts, model.configuration.maxBatchedTokens)
  const reading = (prompts / chunk) * model.stepSeconds(prefill(chunk / inputTokens, inputTokens))
  return reading + (outputTokens - 1) * model.stepSeconds(decode(batch, inputTokens + outputTokens / 2))
}

function compare(row: Row, inputTokens: number, outputTokens: number, measured: number): Outcome {
  const { Hardware = '', Framework = '', Model = '' } = row
  if (Framework === 'llama.cpp') return { why: 'of llama.cpp, the precision of whose weights is not told' }
  if (gpuNamed(Hardware) === undefined) return { why: UNKNOWN }
  if (modelNamed(Model) === undefined) return { why: UNKNOWN }
  const setup = setups([Hardware, row['Num of Hardware'], Model].join(';'))
  if (setup === undefined) return { why: 'whose heads do not divide over the accelerators' }
  const { model, ideal } = setup
  const batch = Number(row['Batch Size'])
  const memory = unlessRefused(() => memoryOf(model.configuration, { inputTokens, outputTokens }))
  if (memory === undefined || memory.maxConcurrency < batch)
    return { why: 'whose batch does not fit in the memory at once' }
  if (!(measured > batchSeconds(ideal, batch, inputTokens, outputTokens) / 2))
    return { why: 'in less than half of the time that the datasheet asks for, so the answers were not made' }
  return {
    groups: [`${Hardware}, ${Framework}`],
    measured,
    predicted: batchSeconds(model, batch, inputTokens, outputTokens),
  }
}

export function staticBatches(): TableReport {
  const outcomes = readTable('argonne_all_results.csv').map((row) => {
    const tokens = Number(row['Input Output Length'])
    return compare(row, tokens, tokens, Number(row.Latency))
  })
  return tableReport(
    'argonne_all_results.csv',
    'Time of a whole batch, all answers of one length, in 16 bits.',
    outcomes,
    [
      'Engines of 2024. On MI300X a token of Llama-2-7B alone takes vLLM 10 ms, though its memory gives the weights in 2.5 ms: the engine is far from the datasheet there, and the prediction near it.',
    ],
  )
}

export function firstTokens(): TableReport {
  const outcomes = readTable('argonne_ttft_itl.csv').map((row) =>
    compare(row, Number(row['Input Length']), 1, Number(row['TTFT Latency'])),
  )
  return tableReport(
    'argonne_ttft_itl.csv',
    'Time to the first token of a batch of 16 prompts of 1 024 tokens.',
    outcomes,
  )
}
