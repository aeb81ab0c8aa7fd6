import { closedLoop } from '../roofline/closed-loop.ts'
import { gpusOf, type Lengths } from '../roofline/configuration.ts'
import { decodeStep } from '../roofline/step-model.ts'
import { type Link, transferSeconds } from './link.ts'
import type { PrefillInstance } from './prompt-reading.ts'
import type { DecodeInstance } from './split-pools.ts'

/**
 * The shortest wait for a first token, in seconds, that any layout has: that of one request alone, which waits for nobody. Split pools
 * give it the time to get there, to be read and sent over, and one step of decoding.
 */
export function leastFirstToken(
  readers: readonly PrefillInstance[],
  writers: readonly DecodeInstance[],
  gpus: number,
  lengths: Lengths,
  link: Link,
): number {
  const { inputTokens } = lengths
  let least = Number.POSITIVE_INFINITY
  for (const { model, memory } of writers) {
    least = Math.min(least, closedLoop(model, memory, lengths, 1).ttftMs / 1000)
    const { configuration, waitFactor } = model
    const stepS = model.stepSeconds(decodeStep(1, lengths))
    for (const reader of readers) {
      if (gpusOf(reader.configuration.parallelism) + gpusOf(configuration.parallelism) > gpus) continue
      const sentS = transferSeconds(link, reader.configuration, configuration, inputTokens)
      least = Math.min(least, waitFactor(1) * (model.arrivalSeconds(inputTokens) + reader.seconds) + sentS + stepS)
    }
  }
  return least
}
