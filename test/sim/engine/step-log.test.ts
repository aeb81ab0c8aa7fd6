import fc from 'fast-check'
import { expect, test } from 'vitest'
import { StepLog, stepEndingAt, stepEndS } from '../../../src/sim/engine/step-log.ts'

const seconds = (max: number) => fc.double({ min: 1e-4, max, noNaN: true })

test('the step that runs at an instant is the first that does not end before it', () => {
  fc.assert(
    fc.property(
      seconds(1e4),
      seconds(0.5),
      fc.oneof(fc.constant(0), seconds(1e-3)),
      fc.integer({ min: 1, max: 500 }),
      fc.integer({ min: 0, max: 5000 }),
      fc.double({ min: -0.1, max: 1.1, noNaN: true }),
      (startS, firstS, growthS, least, further, share) => {
        const end = (j: number) => stepEndS(startS, firstS, growthS, j)
        const atS = end(least) + share * (end(least + further) - end(least))
        const j = stepEndingAt({ startS, firstS, growthS }, atS, least, least + further)
        expect(j).toBeGreaterThanOrEqual(least)
        expect(j).toBeLessThanOrEqual(least + further)
        if (j > least) expect(end(j - 1)).toBeLessThan(atS)
        if (j < least + further) expect(end(j)).toBeGreaterThanOrEqual(atS)
      },
    ),
  )
})

test('an instant that is the very end of a step belongs to that step', () => {
  const segment = { startS: 1, firstS: 0.01, growthS: 0.0001 }
  for (const j of [1, 2, 3, 57]) expect(stepEndingAt(segment, stepEndS(1, 0.01, 0.0001, j), 1, 100)).toBe(j)
})

test('what was logged is told, however often room was made, as far back as was asked for', () => {
  const log = new StepLog()
  for (let from = 0; from < 300; from += 3) {
    if (log.isFull) log.trim(Math.max(0, from - 40))
    log.push(from, from, 0.5, 0.25)
  }
  for (let label = 300; label > 260; label--) {
    const from = Math.floor((label - 1) / 3) * 3
    expect(log.endS(label)).toBe(stepEndS(from, 0.5, 0.25, label - from))
  }
  // It holds no more than a few times what is asked for.
  expect(log.length).toBeLessThanOrEqual(64)
})

test('an entry tells the labels up to the next one, and the last all that follow', () => {
  const log = new StepLog()
  log.push(0, 0, 1, 0)
  log.push(4, 4, 1, 0)
  expect([1, 4, 5, 9].map((label) => log.entryOf(label))).toEqual([0, 0, 1, 1])
  expect(log.lastOf(0, 9)).toBe(4)
  expect(log.lastOf(0, 3)).toBe(3)
  expect(log.lastOf(1, 9)).toBe(9)
})
