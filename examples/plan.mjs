// A product mix: people who chat, agents that are in more of a hurry, and documents for the night. Do they share their servers, and how many are there to be?
import { evidenceOfRows, measuredCandidate, planProducts } from 'twospeed'

const evidence = evidenceOfRows(
  [
    { concurrency: 1, outputTokensPerSecond: 190, ttftMs: 60 },
    { concurrency: 20, outputTokensPerSecond: 2000, ttftMs: 120 },
    { concurrency: 80, outputTokensPerSecond: 3200, ttftMs: 350 },
  ],
  { gpus: 1 },
)
const server = measuredCandidate(evidence, { name: 'our server', kind: 'measured', pricePerHour: 2.5 })

const { plans, sentence } = planProducts(
  [server],
  [
    {
      product: { name: 'chat', goal: 'pace', tokensPerSecond: 50, ttftMs: 500 },
      demand: { arrivalsPerSecond: 40, inputTokens: 800, outputTokens: 300 },
    },
    {
      product: { name: 'agent', goal: 'pace', tokensPerSecond: 100 },
      demand: { arrivalsPerSecond: 10, inputTokens: 4000, outputTokens: 500 },
    },
    {
      product: { name: 'night', goal: 'throughput' },
      demand: { requests: 100_000, outputTokens: 500, deadlineS: 8 * 3600 },
    },
  ],
)

for (const { product, replicas, replicasAtPeak, choice, arithmetic } of plans) {
  const peak = replicasAtPeak === undefined ? '' : ` (${replicasAtPeak} at the peak)`
  console.log(`${product.name}: replicas ${replicas}${peak}, at most ${choice.concurrency} in flight each`)
  for (const line of arithmetic) console.log(`  ${line}`)
}
console.log(sentence)
