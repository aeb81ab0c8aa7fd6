import type { TableReport } from '../table-report.ts'
import { type Row, readTable } from '../tables.ts'
import { oneLayer, partSeconds } from './one-layer.ts'
import { type Outcome, tableReport } from './report.ts'
import { accelerator, decode, remembered, stepModel } from './setup.ts'

const keyOf = ({ system, dtype, m_tokens }: Row, n: number, k: number): string => [system, dtype, m_tokens, n, k].join()

/** By `system,type,n,k`: a layer whose feed-forward part is the matrices n × k and k × n. */
const modelOf = remembered((key) => {
  const [system = '', dtype = '', n, k] = key.split(',')
  const gpu = accelerator(system)
  const model = oneLayer({ hidden: Number(k), feedForward: { layers: 1, width: Number(n), gated: false } })
  return gpu && stepModel({ model, gpu, precision: dtype === 'fp8' ? 'fp8' : 'bf16' })
})

const regimeOf = (tokens: number): string => (tokens <= 64 ? '1–64' : tokens < 1024 ? '96–768' : '1 024–16 384')

/** m tokens times a matrix of n × k, as vLLM runs it. */
export function matrixProducts(): TableReport {
  const rows = readTable('aic_vllm_gemm.csv')
  const times = new Map(
    rows.map((row) => [keyOf(row, Number(row.n_out), Number(row.k_in)), Number(row.latency_us) / 1e6]),
  )
  const outcomes = rows.flatMap((row): readonly Outcome[] => {
    const { system, dtype } = row
    const [tokens, n, k] = [Number(row.m_tokens), Number(row.n_out), Number(row.k_in)]
    const [time, transposed] = [times.get(keyOf(row, n, k)), times.get(keyOf(row, k, n))]
    if (time === undefined || transposed === undefined) return [{ why: 'whose transposed matrix has none' }]
    // Both of a pair are compared at once.
    if (n > k) return []
    const model = modelOf([system, dtype, n, k].join())
    if (model === undefined) return [{ why: `of arithmetic that ${system} has not by its datasheet` }]
    return [
      {
        groups: [`${dtype}, ${regimeOf(tokens)} tokens`, `${system} ${dtype}`],
        measured: time + transposed,
        predicted: partSeconds(model, decode(tokens), ['feedForward']),
      },
    ]
  })
  return tableReport(
    'aic_vllm_gemm.csv',
    'Time of a matrix product in vLLM, a matrix and its transpose together, against that of a feed-forward layer of the two.',
    outcomes,
  )
}
