import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { inNode } from '../../bench/timed-simulator.ts'
import { parseTrace } from '../../src/record/index.ts'

// bench/sim-speed.ts keeps the figures and their marks. Here only what has become several times slower is found, on a slow machine too:
// of ten runs the least counts.

test('an hour of chat on 8 replicas takes a fraction of a second', async () => {
  const file = new URL('../../bench/data/azure_llm_2023_conv.csv.gz', import.meta.url)
  const { rows } = parseTrace(gunzipSync(readFileSync(file)).toString().trim().split('\n'))
  expect(rows).toHaveLength(19_366)
  expect(Math.min(...(await inNode()).hour(rows, 10).seconds)).toBeLessThanOrEqual(0.8)
})

test('a request does not cost more because its answer is 60 times as long', async () => {
  const { answersOf } = await inNode()
  const [short, long] = [answersOf(128), answersOf(8192)]
  expect(long.usPerRequest).toBeLessThan(3 * short.usPerRequest)
})
