import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CELLS, createCells } from '../../src/core/cells.ts'
import { streamOf, tokensInside } from '../../src/core/stream.ts'
import { anyRecords, recordOf } from './records.ts'

const windows = fc
  .tuple(fc.integer({ min: 0, max: 20_000_000 }), fc.integer({ min: 1000, max: 30_000_000 }))
  .map(([startUs, lengthUs]) => ({ startUs, endUs: startUs + lengthUs }))

test('each cell holds what tokens and time fell into it, and all of them the whole window', () => {
  fc.assert(
    fc.property(anyRecords, windows, (records, window) => {
      const cells = createCells(window)
      for (const record of records) cells.add(record, streamOf(record))
      let startUs = window.startUs
      for (let cell = 0; cell < CELLS; cell++) {
        const endUs = startUs + (cells.length[cell] ?? 0)
        const sum = { all: 0, decoded: 0, presentUs: 0 }
        for (const record of records) {
          const inside = tokensInside(streamOf(record), { startUs, endUs })
          sum.all += inside.all
          sum.decoded += inside.endedGap
          const [sentUs, leftUs] = [Math.round(record.sentS * 1e6), Math.round(record.endS * 1e6)]
          sum.presentUs += Math.max(0, Math.min(endUs, leftUs) - Math.max(startUs, sentUs))
        }
        expect((cells.tokens[cell] ?? 0) / 1e6).toBeCloseTo(sum.all, 4)
        expect((cells.decoded[cell] ?? 0) / 1e6).toBeCloseTo(sum.decoded, 4)
        expect(cells.present[cell]).toBe(sum.presentUs)
        startUs = endUs
      }
      expect(startUs).toBe(window.endUs)
    }),
  )
})

test('an instant lies in the cell that holds it, from the first to the last', () => {
  const cells = createCells({ startUs: 7, endUs: 7 + 60_007 })
  let startUs = 7
  for (let cell = 0; cell < CELLS; cell++) {
    const endUs = startUs + (cells.length[cell] ?? 0)
    expect([cells.cellOf(startUs), cells.cellOf(endUs - 1)]).toEqual([cell, cell])
    startUs = endUs
  }
})

test('answers are counted that had a token inside', () => {
  const cells = createCells({ startUs: 1_000_000, endUs: 2_000_000 })
  for (const sentUs of [0, 950_000, 1_500_000, 1_950_000]) {
    const record = recordOf({ sentUs })
    cells.add(record, streamOf(record))
  }
  expect(cells.answers()).toBe(2)
})
