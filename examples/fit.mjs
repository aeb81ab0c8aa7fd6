// Three measured loads of a mixture of experts, 8 of 128 a token: what would the two speeds be at the loads between?
import { fitPoints, pointsOfRows } from 'twospeed'

const points = pointsOfRows([
  { concurrency: 4, outputTokensPerSecond: 447 },
  { concurrency: 32, outputTokensPerSecond: 1297 },
  { concurrency: 256, outputTokensPerSecond: 5161 },
])
const { fit, frontier } = fitPoints(points, { gpus: 4, experts: { active: 8, all: 128 } }, [16, 64])

console.log(`law: ${fit.law}, ${fit.reliable ? 'reliable' : fit.why.join('; ')}`)
for (const { concurrency, tokensPerSecondPerUser, tokensPerSecondPerGpu, source } of frontier) {
  if (source === 'measured' || [16, 64].includes(concurrency)) {
    console.log(
      `${concurrency} in flight: ${tokensPerSecondPerUser.toFixed(1)} tok/s/user, ${tokensPerSecondPerGpu.toFixed(0)} tok/s/GPU (${source})`,
    )
  }
}
