import { expect, test } from 'vitest'
import { predictable } from '../../../bench/model/configuration-of.ts'
import { layoutOf, servingSweeps, threeOf } from '../../../bench/model/serving.ts'
import { readTable } from '../../../bench/model/tables.ts'

const sweeps = servingSweeps()

test('every row that the table does not doubt is in one sweep, ascending by load', () => {
  const rows = sweeps.flatMap((sweep) => sweep.rows)
  expect(readTable('inferencex_agg_e2e.csv')).toHaveLength(1801)
  expect(rows).toHaveLength(1731)
  expect(new Set(rows.map(({ row }) => row)).size).toBe(1731)
  for (const { rows: members } of sweeps) {
    const loads = members.map(({ concurrency }) => concurrency)
    expect(loads).toEqual(loads.toSorted((a, b) => a - b))
  }
})

test('a row is what the table says', () => {
  const { setup, rows } = sweeps[0]!
  expect(setup).toMatchObject({
    model: 'deepseek-ai/DeepSeek-R1',
    system: 'b200_sxm',
    inputTokens: 1024,
    outputTokens: 1024,
  })
  expect(layoutOf(setup)).toBe('4 4 1 1 4 1')
  expect(rows[0]).toMatchObject({ concurrency: 4, ttftMs: 387.89 })
  expect(rows[0]?.tokensPerSecondPerUser).toBeCloseTo(110.019, 2)
})

test('what can be predicted and what is left out are all rows', () => {
  const { sweeps: kept, leftOut } = predictable(sweeps)
  const left = leftOut.reduce((sum, { rows }) => sum + rows, 0)
  expect(kept.reduce((sum, { rows }) => sum + rows.length, 0) + left).toBe(1731)
  expect(left).toBeLessThan(0.02 * 1731)
  expect(leftOut.every(({ why }) => why !== '')).toBe(true)
})

test('three of a sweep are its ends and its middle', () => {
  expect(threeOf([1, 2, 4, 8])).toEqual([1, 4, 8])
  expect(threeOf([1, 2, 4, 8, 16])).toEqual([1, 4, 16])
})

test('a cell in quotes keeps its commas', () => {
  const [row] = readTable('argonne_quant.csv')
  expect(row).toMatchObject({ kv_cache_dtype: 'Weight = fp16, KV Cache = fp16' })
})
