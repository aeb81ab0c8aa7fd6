import { expect, test } from 'vitest'
import { inNode } from '../../bench/timed-model.ts'

// bench/model-speed.ts keeps the figures. Others on the machine can make a block slow, and none can make it fast: the least of 50 counts.

test('a frontier of 64 loads takes a millisecond', async () => {
  const { loads, frontierMs } = await (await inNode()).timeFrontiers()
  expect(loads).toBe(64)
  expect(Math.min(...frontierMs)).toBeLessThanOrEqual(1)
})

test('a search over ten thousand configurations takes two seconds', async () => {
  const { considered, seconds } = await (await inNode()).timeSearch()
  expect(considered).toBeGreaterThanOrEqual(10_000)
  expect(seconds).toBeLessThanOrEqual(2)
})
