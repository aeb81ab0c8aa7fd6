import { expect, test } from 'vitest'
import { inNode } from '../../bench/timed-model.ts'

// bench/model-speed.ts keeps the figures and their marks. Here only what has become several times slower is found, on a slow machine too:
// of 50 blocks the least counts.

test('a frontier of 64 loads takes milliseconds', async () => {
  const { loads, frontierMs } = await (await inNode()).timeFrontiers()
  expect(loads).toBe(64)
  expect(Math.min(...frontierMs)).toBeLessThanOrEqual(4)
})

test('a search over ten thousand configurations takes seconds', async () => {
  const { considered, seconds } = await (await inNode()).timeSearch()
  expect(considered).toBeGreaterThanOrEqual(10_000)
  expect(seconds).toBeLessThanOrEqual(4)
})
