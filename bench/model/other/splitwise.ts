import { percentile } from '../../../src/core/index.ts'
import { findModel } from '../../../src/model/catalogue/find.ts'
import { IDEAL } from '../../../src/model/roofline/constants.ts'
import { createConfiguration, createStepModel, type StepWork } from '../../../src/model/roofline/index.ts'
import type { TableReport } from '../table-report.ts'
import { type Row, readTable } from '../tables.ts'
import { type Outcome, tableReport } from './report.ts'
import { accelerator, decode, prefill, remembered, UNKNOWN, unlessRefused } from './setup.ts'

const MODELS: Readonly<Record<string, string>> = { 'bloom-176b': 'bloom', 'llama2-70b': 'llama-2-70b' }
const GPUS: Readonly<Record<string, string>> = { 'a100-80gb': 'a100-sxm-80', 'h100-80gb': 'h100-sxm' }

/** By `GPU,model,TP`, in 16 bits: with the losses of engines, and as the datasheets would have it. */
const setups = remembered((key) => {
  const [hardware = '', name = '', tp] = key.split(',')
  const gpu = accelerator(GPUS[hardware] ?? hardware)
  const model = unlessRefused(() => findModel(MODELS[name] ?? name))
  const configuration =
    gpu && model && unlessRefused(() => createConfiguration({ model, gpu, precision: 'bf16', tp: Number(tp) }))
  return configuration && { model: createStepModel(configuration), ideal: createStepModel(configuration, IDEAL) }
})

const median = (values: readonly number[]): number =>
  percentile(
    values.toSorted((a, b) => a - b),
    50,
  ) ?? Number.NaN

export function splitwise(): TableReport {
  const repeats = new Map<string, Row[]>()
  for (const row of readTable('splitwise_perf_model.csv')) {
    const { model, hardware, tensor_parallel, prompt_size, batch_size, token_size } = row
    const key = [hardware, model, tensor_parallel, prompt_size, batch_size, token_size].join()
    const group = repeats.get(key)
    if (group === undefined) repeats.set(key, [row])
    else group.push(row)
  }
  const outcomes = [...repeats].flatMap(([key, rows]): readonly Outcome[] => {
    const [hardware = '', name = '', tp, prompt = 0, batch = 0, output = 0] = key
      .split(',')
      .map((cell, i) => (i < 3 ? cell : Number(cell))) as [string, string, string, number, number, number]
    if (hardware.endsWith('pcap')) return [{ why: 'of power capped below that of the datasheet' }]
    const setup = setups([hardware, name, tp].join())
    if (setup === undefined) return [{ why: UNKNOWN }]
    const compare = (phase: string, column: string, work: StepWork): Outcome => {
      const measured = median(rows.map((row) => Number(row[column]))) / 1000
      return measured < setup.ideal.stepSeconds(work) / 2
        ? { why: 'in less than half of the time that the datasheet asks for, so the batch was not read at once' }
        : { groups: [`${phase}, ${name} on ${tp} ${hardware}`], measured, predicted: setup.model.stepSeconds(work) }
    }
    return [
      compare('decode', 'token_time', decode(batch, prompt + output / 2)),
      compare('prefill', 'prompt_time', prefill(batch, prompt)),
    ]
  })
  return tableReport(
    'splitwise_perf_model.csv',
    'Time of a prefill and of a decode step by batch and length, the median of the repeats.',
    outcomes,
    [
      'The engine is one of 2023 that starts its kernels one by one: a decode step takes 30 ms on 8 H100 however little there is to read.',
    ],
  )
}
