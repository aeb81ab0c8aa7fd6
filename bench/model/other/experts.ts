import { findModel } from '../../../src/model/catalogue/find.ts'
import type { StepModel } from '../../../src/model/roofline/index.ts'
import type { TableReport } from '../table-report.ts'
import { type Row, readTable } from '../tables.ts'
import { oneLayer, partSeconds } from './one-layer.ts'
import { type Outcome, tableReport } from './report.ts'
import { accelerator, decode, remembered, stepModel, UNKNOWN, unlessRefused } from './setup.ts'

const PRECISIONS: Readonly<Record<string, string>> = {
  bfloat16: 'bf16',
  fp8: 'fp8',
  fp8_block: 'fp8',
  w4a16_mxfp4: 'mxfp4',
}

/** By `system,model,precision,TP,EP`: one layer of the model's routed experts, cut `TP` ways in each of `EP` groups. */
const expertsOf = remembered((key): StepModel | undefined => {
  const [system = '', name = '', precision = '', cut, groups] = key.split(',')
  const gpu = accelerator(system)
  const whole = unlessRefused(() => findModel(name))
  if (gpu === undefined || whole?.experts === undefined) return undefined
  const { hidden, experts, storedAs } = whole
  const model = oneLayer({
    hidden,
    feedForward: { layers: 0, width: 0, gated: true },
    experts: { ...experts, layers: 1, sharedWidth: 0 },
    ...(storedAs !== undefined && { storedAs }),
  })
  return stepModel({ model, gpu, precision, tp: Number(cut) * Number(groups), ep: Number(groups) })
})

const regimeOf = (tokens: number): string => (tokens <= 64 ? '1–64' : tokens < 1024 ? '96–512' : '1 024–16 384')

/** Rows that whoever published the table, or physics, does not stand behind. */
function doubtful({ system, model_shape, dtype }: Row): string | undefined {
  if (model_shape === 'deepseek-v3' && dtype === 'fp8_block')
    return 'that would need more than the bandwidth of the memory'
  if (system === 'h100_sxm' && model_shape === 'qwen3-235b-a22b' && dtype?.startsWith('fp8'))
    return 'of a kernel that nobody tuned, ten times slow'
  return undefined
}

export function expertLayers(): TableReport {
  const outcomes = readTable('aic_vllm_moe.csv').map((row): Outcome => {
    const { system = '', model_shape, dtype = '', moe_tp, moe_ep, routing } = row
    const why = doubtful(row)
    if (why !== undefined) return { why }
    const model = expertsOf([system, model_shape, PRECISIONS[dtype] ?? dtype, moe_tp, moe_ep].join())
    if (model === undefined) return { why: `of arithmetic that ${system} has not by its datasheet` }
    const tokens = Number(row.num_tokens)
    return {
      groups: [
        `${dtype}, ${regimeOf(tokens)} tokens`,
        `${routing === 'balanced' ? 'balanced' : 'skewed'} routing`,
        system,
      ],
      measured: Number(row.latency_us) / 1e6,
      predicted: partSeconds(model, decode(tokens), ['experts']),
    }
  })
  return tableReport('aic_vllm_moe.csv', 'Time of the routed experts of one layer in vLLM.', outcomes, [
    'Of the rows in fp8, those of H100 and H200 are of kernels that nobody tuned, up to five times slow.',
  ])
}

/** Touched by t tokens that choose k of E evenly: E·(1 − (1 − k/E)^t). */
const touched = (all: number, active: number, tokens: number): number => all * (1 - (1 - active / all) ** tokens)

/**
 * The table has the time by tokens *and* experts touched; the model takes their expected number, so the table is read there, in a straight
 * piece between the two rows around it.
 */
export function expertsTouched(): TableReport {
  const rows = readTable('llmservingsim_profile_moe.csv')
  const byTokens = new Map<string, { readonly touched: number; readonly seconds: number }[]>()
  for (const row of rows) {
    const key = [row.model, row.tp, row.tokens].join()
    const curve = byTokens.get(key) ?? []
    curve.push({ touched: Number(row.activated_experts), seconds: Number(row.time_us) / 1e6 })
    byTokens.set(key, curve)
  }
  const outcomes = [...byTokens].map(([key, curve]): Outcome => {
    const [name = '', tp = '', tokens = ''] = key.split(',')
    const experts = unlessRefused(() => findModel(name))?.experts
    const model = expertsOf(['RTX PRO 6000', name, 'bf16', tp, 1].join())
    if (experts === undefined || model === undefined) return { why: UNKNOWN }
    const measured = at(curve, touched(experts.all, experts.active, Number(tokens)))
    if (measured === undefined) return { why: 'with fewer experts touched than are to be expected' }
    const predicted = partSeconds(model, decode(Number(tokens)), ['experts'])
    return { groups: [`${regimeOf(Number(tokens))} tokens`], measured, predicted }
  })
  return tableReport(
    'llmservingsim_profile_moe.csv',
    'Time of the experts of one layer of Qwen3-30B-A3B on an RTX PRO 6000, at the number of experts that so many tokens touch.',
    outcomes,
  )
}

function at(curve: readonly { readonly touched: number; readonly seconds: number }[], x: number): number | undefined {
  const next = curve.findIndex((point) => point.touched >= x)
  const [before, after] = [curve[next - 1], curve[next]]
  if (after === undefined) return undefined
  if (before === undefined) return after.touched - x < 1e-9 ? after.seconds : undefined
  return before.seconds + ((x - before.touched) / (after.touched - before.touched)) * (after.seconds - before.seconds)
}
