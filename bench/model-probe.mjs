/** What is timed of the model, in Node and in a browser alike: it knows neither. */
import { createConfiguration, findAccelerator, findModel, predict, predictSearch } from '../dist/model/index.js'

const LENGTHS = { inputTokens: 2048, outputTokens: 512 }
const LOADS = Array.from({ length: 64 }, (_, i) => 4 * (i + 1))

/** A dense model and one with experts and latent attention, whose steps have more parts. */
const SETUPS = [
  { model: findModel('Llama-3.1-70B'), gpu: findAccelerator('h200-sxm'), precision: 'fp8', tp: 8 },
  { model: findModel('DeepSeek-V3'), gpu: findAccelerator('h200-sxm'), precision: 'fp8', tp: 8, ep: 8 },
]

/** From the specifications on, with all that the command tells. */
const frontier = (setup) => predict(createConfiguration(setup), { lengths: LENGTHS, loads: LOADS })

/** Milliseconds of one frontier: the first of all, and the mean of each of 50 blocks later on, of the slower setup. */
export function timeFrontiers() {
  const startMs = performance.now()
  frontier(SETUPS[0])
  const firstMs = performance.now() - startMs
  // Blocks, because a browser's clock tells no less than a tenth of a millisecond.
  const BLOCK = 10
  const blocks = SETUPS.map((setup) => {
    for (let i = 0; i < 100; i++) frontier(setup)
    return Array.from({ length: 50 }, () => {
      const fromMs = performance.now()
      for (let i = 0; i < BLOCK; i++) frontier(setup)
      return (performance.now() - fromMs) / BLOCK
    })
  })
  const sum = (values) => values.reduce((total, value) => total + value, 0)
  return {
    loads: LOADS.length,
    firstFrontierMs: firstMs,
    frontierMs: blocks.reduce((a, b) => (sum(a) > sum(b) ? a : b)),
  }
}

/** A search for a model with experts, over every way to lay it out on a large budget of GPUs. */
export function timeSearch() {
  const { model, gpu, precision } = SETUPS[1]
  const configurationOf = (parallelism) => createConfiguration({ model, gpu, precision, ...parallelism })
  const startMs = performance.now()
  const { search, frontier: found } = predictSearch({ model, gpu, gpus: 1536, lengths: LENGTHS, configurationOf })
  return { seconds: (performance.now() - startMs) / 1000, considered: search.considered, found: found.length }
}
