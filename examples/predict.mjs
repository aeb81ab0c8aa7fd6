// Both speeds of a model on GPUs that nobody ran it on, one replica over two of them and over four.
import { createConfiguration, findAccelerator, findModel, predict } from 'twospeed'

const model = findModel('Llama-3.1-70B')
const gpu = findAccelerator('h100-sxm')
const lengths = { inputTokens: 1024, outputTokens: 256 }

for (const tp of [2, 4]) {
  const { frontier, memory } = predict(createConfiguration({ model, gpu, tp, precision: 'fp8' }), {
    lengths,
    loads: [1, 16, 64],
  })
  console.log(`TP ${tp}: ${(memory.weightBytesPerGpu / 1e9).toFixed(1)} GB of weights a GPU`)
  for (const { concurrency, tokensPerSecondPerUser, low, high, tokensPerSecondPerGpu, binding } of frontier) {
    const pace = `${tokensPerSecondPerUser.toFixed(0)} tok/s/user (${low.toFixed(0)} to ${high.toFixed(0)})`
    console.log(`  ${concurrency} in flight: ${pace}, ${tokensPerSecondPerGpu.toFixed(0)} tok/s/GPU, ${binding}`)
  }
}
