import { expect, test } from 'vitest'
import { isClean, servingRows, sweepsOf } from '../../../bench/model/serving.ts'
import { readTable } from '../../../bench/model/tables.ts'

const rows = servingRows()

test('every row of the table is read, and the ones it doubts are told apart', () => {
  expect(rows).toHaveLength(1801)
  expect(rows.filter((row) => !isClean(row))).toHaveLength(70)
  expect(
    rows.every(({ tpotMs, ttftMs, gpus, concurrency }) => tpotMs > 0 && ttftMs > 0 && gpus > 0 && concurrency > 0),
  ).toBe(true)
})

test('a row counted right by its run name is clean', () => {
  expect(rows.filter(({ flags }) => flags.includes('gpu_count_corrected')).filter(isClean)).toHaveLength(168)
})

test('sweeps hold every row once, ascending by load, and share all but the load', () => {
  const sweeps = sweepsOf(rows)
  expect(sweeps.reduce((sum, sweep) => sum + sweep.rows.length, 0)).toBe(rows.length)
  for (const { rows: members, first } of sweeps) {
    expect(members.map(({ concurrency }) => concurrency)).toEqual(
      members.map((row) => row.concurrency).sort((a, b) => a - b),
    )
    expect(
      members.every(
        ({ model, tp, inputTokens }) => model === first.model && tp === first.tp && inputTokens === first.inputTokens,
      ),
    ).toBe(true)
  }
})

test('a cell in quotes keeps its commas', () => {
  expect(readTable('argonne_quant.csv')[0]?.['kv_cache_dtype']).toBe('Weight = fp16, KV Cache = fp16')
})
