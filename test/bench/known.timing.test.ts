import { expect, test } from 'vitest'
import { measureKnown } from '../../bench/known.ts'

// The marks are kept by bench/accuracy.ts, on a machine that is otherwise idle. Here it is that nothing is off by its nature: a token
// counted twice or lost, a clock that is not the other's, a window that is cut elsewhere.

const LAW = 'a=10ms,b=0.15625ms'

test.each([
  // 64 streams of 50 tok/s; and at the rate, 50 in flight on average, whose answers take 1.8 s.
  ['in a closed loop', { streams: 64 }],
  ['in an open one', { rate: 28 }],
])("what measure says is what the server's own log says, %s", async (_, load) => {
  const { agreement } = await measureKnown({ ...load, law: LAW, windowS: 10 })
  const { requests, unmatched, ttftMs, tpotMs, tokenMs, throughput, inFlight, lambdaW } = agreement
  expect(requests).toBeGreaterThan(128)
  expect(unmatched).toBe(0)
  expect(tpotMs.p50).toBeLessThanOrEqual(0.3)
  expect(tpotMs.p99).toBeLessThanOrEqual(2)
  expect(tokenMs.p50).toBeLessThanOrEqual(5)
  expect(ttftMs.p50).toBeLessThanOrEqual(5)
  for (const difference of [throughput, inFlight, lambdaW]) expect(Math.abs(difference)).toBeLessThanOrEqual(0.01)
})
