// A law from the requests of one run under load, where no step time can be read off any of them: the load is played again until it fits.
// Here the run is a simulated one, so that the law is known; take arrivals, lengths and times from a log of your server.
import { enginePolicy, fitBySimulation, lawStepTime, parseLaw, replay } from 'twospeed'

const server = { dataParallel: 1, policy: enginePolicy({ maxNumSeqs: 16, maxBatchedTokens: 2048 }) }

// Lengths and gaps that differ: of requests all alike nobody could tell what prompts take and what streams.
let atS = 0
const asked = Array.from({ length: 80 }, (_, i) => {
  atS += ((i * 37) % 11) / 40
  return { atS, promptTokens: 200 + ((i * 613) % 1800), outputTokens: 40 + ((i * 97) % 160) }
})
const truth = replay(asked, server, lawStepTime(parseLaw('a=8ms,b=0.2ms,d=0.02ms')))
const times = (i) => ({ firstTokenS: truth.firstTokenS[i], lastTokenS: truth.lastTokenS[i] })

// The outcomes of the first half; what comes of the others is foretold.
const requests = asked.map((request, i) => (i < 40 ? { ...request, outcome: times(i) } : request))
const { law } = fitBySimulation({ requests, servers: [server] })
const foretold = replay(asked, server, lawStepTime(law))

const mean = (of, from) => asked.slice(from).reduce((sum, _, i) => sum + of(from + i), 0) / (asked.length - from)
const wait = (times) => 1000 * mean((i) => times.firstTokenS[i] - asked[i].atS, 40)
console.log(`a step takes ${(1000 * law.baseS).toFixed(1)} ms and more`)
console.log(
  `first token of those not seen: ${wait(foretold).toFixed(0)} ms foretold, ${wait(truth).toFixed(0)} ms in truth`,
)
