import { expect, test } from 'vitest'
import { measureKnown } from '../../bench/known.ts'

test("what measure says is what the server's own log says", async () => {
  const { agreement } = await measureKnown({ streams: 64, law: 'a=10ms,b=0.15625ms', windowS: 5 })
  const { requests, unmatched, ttftMs, tpotMs, tokenMs, throughput, inFlight, lambdaW } = agreement
  expect(requests).toBeGreaterThan(64)
  expect(unmatched).toBe(0)
  for (const { p50, p99 } of [ttftMs, tpotMs, tokenMs]) {
    expect(p50).toBeLessThanOrEqual(0.3)
    expect(p99).toBeLessThanOrEqual(2)
  }
  for (const difference of [throughput, inFlight, lambdaW]) expect(Math.abs(difference)).toBeLessThanOrEqual(0.01)
})
