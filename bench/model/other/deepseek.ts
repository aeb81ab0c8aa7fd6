import { findModel } from '../../../src/model/catalogue/find.ts'
import { createConfiguration, createStepModel, type StepModel } from '../../../src/model/roofline/index.ts'
import type { TableReport } from '../table-report.ts'
import { readText } from '../tables.ts'
import { type Outcome, tableReport } from './report.ts'
import { accelerator, decode, prefill, UNKNOWN, unlessRefused } from './setup.ts'

interface Published {
  readonly 'online_24h_2025-02-27': Day
  readonly profile: {
    readonly prefill: {
      readonly ep: number
      readonly prompt: number
      readonly tokens_per_gpu: number
      readonly tgs_derived_by_InferSim: number
    }
    readonly decode: {
      readonly ep: number
      readonly prompt: number
      readonly batch_per_gpu: number
      readonly tgs_derived_by_InferSim: number
    }
  }
}

interface Day {
  readonly gpus_per_node: number
  readonly avg_output_tok_s_user_low: number
  readonly avg_output_tok_s_user_high: number
  readonly avg_kv_len_per_output_token: number
  readonly decode_tok_s_per_node: number
}

/** One replica over so many H800, attention copied onto each and the experts shared out over all. */
function overAll(gpus: number): StepModel | undefined {
  const gpu = accelerator('H800')
  const model = unlessRefused(() => findModel('DeepSeek-V3'))
  return (
    gpu &&
    model &&
    unlessRefused(() =>
      createStepModel(createConfiguration({ model, gpu, precision: 'fp8', dp: gpus, ep: gpus, maxNumSeqs: 2 ** 17 })),
    )
  )
}

export function deepseekDay(): TableReport {
  const published = JSON.parse(readText('deepseek_h800_published.json')) as Published
  const { prefill: reading, decode: writing } = published.profile
  const day = published['online_24h_2025-02-27']
  const [readers, writers] = [overAll(reading.ep), overAll(writing.ep)]
  const outcomes: readonly Outcome[] =
    readers === undefined || writers === undefined
      ? [{ why: UNKNOWN }]
      : [
          {
            groups: ['profile, prefill, tok/s/GPU'],
            measured: reading.tgs_derived_by_InferSim,
            predicted:
              reading.tokens_per_gpu /
              readers.stepSeconds(prefill((reading.tokens_per_gpu * reading.ep) / reading.prompt, reading.prompt)),
          },
          {
            groups: ['profile, decode, tok/s/GPU'],
            measured: writing.tgs_derived_by_InferSim,
            predicted:
              writing.batch_per_gpu / writers.stepSeconds(decode(writing.batch_per_gpu * writing.ep, writing.prompt)),
          },
          { groups: ['the day, tok/s/user'], ...dayPace(writers, writing.ep, day) },
        ]
  return tableReport(
    'deepseek_h800_published.json',
    'Tokens per second and GPU of the published profiles, and the pace of a user over a day in production.',
    outcomes,
    [
      'DeepSeek sends the tokens of one half of a batch while it computes those of the other. A predicted step does one after the other, and half of it is sending.',
      `The day ran its experts over 144 GPUs, which hold copies of some; it is predicted over ${writing.ep}.`,
    ],
  )
}

/** Little: a node that makes 14 800 tok/s for users who get 21 each decodes 705 at once. */
function dayPace(model: StepModel, gpus: number, day: Day): { measured: number; predicted: number } {
  const pace = (day.avg_output_tok_s_user_low + day.avg_output_tok_s_user_high) / 2
  const perGpu = day.decode_tok_s_per_node / day.gpus_per_node / pace
  return { measured: pace, predicted: 1 / model.stepSeconds(decode(perGpu * gpus, day.avg_kv_len_per_output_token)) }
}
