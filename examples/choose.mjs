// The lesson's own example: 20 users get 2 000 tok/s together, 80 get 3 200. Which load does a chat want that promises 50 tok/s?
import { choose, evidenceOfRows } from 'twospeed'

const evidence = evidenceOfRows([
  { concurrency: 20, outputTokensPerSecond: 2000 },
  { concurrency: 80, outputTokensPerSecond: 3200 },
])
const { choice, fit } = choose(evidence, { name: 'chat', goal: 'pace', tokensPerSecond: 50 })

console.log(`one step: ${fit.stepMs.base.toFixed(2)} ms + ${fit.stepMs.perSequence.toFixed(2)} ms a user`)
console.log(
  `run ${choice.concurrency} users: ${choice.outputTokensPerSecond.toFixed(0)} tok/s, ${choice.tokensPerSecondPerUser.toFixed(0)} each`,
)
