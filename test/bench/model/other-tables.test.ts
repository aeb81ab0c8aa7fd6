import { describe, expect, it } from 'vitest'
import { tableReport } from '../../../bench/model/other/report.ts'
import { otherTables } from '../../../bench/model/other-tables.ts'

describe('tableReport', () => {
  it('puts a row into one group of each kind, and says how many it left out and why', () => {
    const { groups, notes } = tableReport('t.csv', 'what', [
      { groups: ['short', 'GPU 10'], measured: 10, predicted: 11 },
      { groups: ['long', 'GPU 9'], measured: 10, predicted: 7 },
      { why: 'of nobody' },
      { why: 'of nobody' },
    ])
    expect(groups.map(({ name }) => name)).toEqual(['all', 'long', 'short', 'GPU 9', 'GPU 10'])
    expect(groups[0]).toMatchObject({ points: 2 })
    expect(groups[0]?.meanPct).toBeCloseTo(20)
    expect(groups[1]?.biasPct).toBeCloseTo(-30)
    expect(notes).toEqual(['Left out: 2 rows of nobody.'])
  })
})

describe('the tables of others', () => {
  const reports = new Map(otherTables().map((report) => [report.table, report]))
  const all = (table: string): { points: number; medianPct: number } => {
    const group = reports.get(`${table}.csv`)?.groups.find(({ name }) => name === 'all')
    return { points: group?.points ?? 0, medianPct: group?.medianPct ?? Number.POSITIVE_INFINITY }
  }

  it('are all read', () => {
    expect(reports.size).toBeGreaterThanOrEqual(17)
    for (const { table, groups } of reports.values()) expect(groups.length, table).toBeGreaterThan(0)
  })

  // Wide of what they are today, so that a constant may move; a unit that is off, or a part that is lost, is not within them.
  it.each([
    ['vllm_memory_h100', 16, 5],
    ['trtllm_perf_overview_max_throughput', 280, 30],
    ['aic_vllm_gemm', 18_000, 20],
    ['vidur_mlp_ops_us', 700, 15],
    ['aic_vllm_prefill_attention', 6000, 30],
    ['aic_vllm_decode_attention', 21_000, 40],
    ['aic_collectives', 450, 40],
    ['aic_vllm_moe', 11_000, 40],
    ['argonne_ttft_itl', 27, 30],
    ['argonne_all_results', 2600, 60],
  ])('%s: %d rows within %d % in the median', (table, rows, pct) => {
    const { points, medianPct } = all(table)
    expect(points).toBeGreaterThanOrEqual(rows)
    expect(medianPct).toBeLessThanOrEqual(pct)
  })
})
