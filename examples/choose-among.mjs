// One server was measured; of a model on GPUs nobody ran, datasheets foretell every layout. Which of them all makes most for the money, where each user is to have 40 tok/s?
import {
  chooseAmong,
  createConfiguration,
  evidenceOfRows,
  findAccelerator,
  findModel,
  layoutCandidates,
  measuredCandidate,
} from 'twospeed'

const lengths = { input: 1000, output: 300 }
const measured = evidenceOfRows(
  [
    { concurrency: 1, outputTokensPerSecond: 95 },
    { concurrency: 32, outputTokensPerSecond: 2000 },
    { concurrency: 128, outputTokensPerSecond: 4300 },
  ],
  { gpus: 4 },
)
const [model, gpu] = [findModel('Llama-3.1-70B'), findAccelerator('h200-sxm')]
const foretold = layoutCandidates(
  {
    model,
    gpu,
    gpus: 4,
    pricePerHour: 3.5,
    configurationOf: (parallelism) => createConfiguration({ model, gpu, precision: 'fp8', ...parallelism }),
  },
  lengths,
)
const ours = measuredCandidate(measured, { name: 'our four H100', kind: 'measured', pricePerHour: 2.5 })

const product = { name: 'chat', goal: 'pace', tokensPerSecond: 40 }
const { choice, chosenBy, confidence, alternatives } = chooseAmong([ours, ...foretold], product, { lengths })

console.log(
  `${choice.configuration}: ${choice.concurrency} in flight at ${choice.tokensPerSecondPerUser.toFixed(0)} tok/s/user`,
)
console.log(chosenBy.sentence)
console.log(confidence.sentence)
for (const { sentence } of alternatives) console.log(`- ${sentence}`)
