// Two replicas whose steps take 5 ms + 0.25 ms a sequence, and requests that come as they like: both speeds, and who waits how long.
import { createSource, enginePolicy, lawStepTime, parseLaw, simulate } from 'twospeed'

const pool = {
  name: 'main',
  role: 'both',
  replicas: 2,
  dataParallel: 1,
  stepTime: lawStepTime(parseLaw('a=5ms,b=0.25ms')),
  policy: enginePolicy({ maxNumSeqs: 64, maxBatchedTokens: 2048, kvTokens: 100_000 }),
}
const work = { input: { kind: 'fixed', tokens: 512 }, output: { kind: 'fixed', tokens: 128 } }

for (const rate of [10, 30]) {
  const arrivals = { kind: 'rate', rate, process: { kind: 'poisson' } }
  const point = simulate({
    fleet: { pools: [pool], routing: 'leastInFlight' },
    lanes: [{ name: 'chat', priority: 0, source: createSource({ arrivals, work, seed: 1 }) }],
    load: { kind: 'rate', value: rate },
  })
  const { perUser, latency, outputTokensPerSecond } = point
  console.log(
    `${rate}/s: ${perUser.tokensPerSecond.p50.toFixed(0)} tok/s a user, ${outputTokensPerSecond.toFixed(0)} tok/s in all, ` +
      `one first token in a hundred after ${latency.ttftMs.p99.toFixed(0)} ms`,
  )
}
