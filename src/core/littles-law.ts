import { holds, overlapUs, type Span, toMicros } from './instants.ts'
import type { RequestRecord } from './record.ts'
import type { LittlesLaw } from './run.ts'
import { isOfSeveral, type Stream, type TokensInside } from './stream.ts'
import { given } from './summary.ts'
import { createTotal } from './total.ts'

/**
 * Both forms of Little's law over one window.
 *
 * Requests: L = λ·W. L is the time-average number between sent and end; λ counts those that left inside, whatever their outcome, since all
 * of them held a place; W is their mean whole stay. J. D. C. Little, "A proof for the queuing formula L = λW" (1961).
 *
 * Tokens: X_decode = L_decode × tokens per stream-second of decode. The pace that closes it is one over the token-weighted mean TPOT.
 */
export interface LittlesLawMeter {
  /** A request that was sent; `inside` are its tokens within the window. */
  add(record: RequestRecord, stream: Stream | undefined, inside: TokensInside): void
  result(): LittlesLaw
}

export function createLittlesLaw(window: Span): LittlesLawMeter {
  // Sums of an object: a variable that outgrows a small integer is a new object whenever it changes.
  const sums = { presentUs: 0, stayUs: 0, decodeUs: 0 }
  let left = 0
  let severalChoices = false
  const decodeTokens = createTotal()
  return {
    add: (record, stream, inside) => {
      const sentUs = toMicros(record.sentS)
      const endUs = toMicros(record.endS)
      sums.presentUs += overlapUs(window, sentUs, endUs)
      if (holds(window, endUs)) {
        left += 1
        sums.stayUs += endUs - sentUs
      }
      if (stream === undefined) return
      const insideUs = overlapUs(window, stream.firstUs, stream.lastUs)
      sums.decodeUs += insideUs
      decodeTokens.add(inside.endedGap)
      if (insideUs > 0 && isOfSeveral(record)) severalChoices = true
    },
    result: () => {
      const lengthUs = window.endUs - window.startUs
      const { presentUs, stayUs, decodeUs } = sums
      return given<LittlesLaw>({
        inFlight: presentUs / lengthUs,
        completionsPerSecond: (left * 1e6) / lengthUs,
        timeInSystemS: left === 0 ? undefined : stayUs / left / 1e6,
        // λW·length is the sum of the stays, so the residual needs no rounded intermediate.
        residual: presentUs === 0 ? undefined : (presentUs - stayUs) / presentUs,
        decodeInFlight: decodeUs / lengthUs,
        decodeTokensPerSecondPerUser:
          decodeUs === 0 || severalChoices ? undefined : (decodeTokens.value() * 1e6) / decodeUs,
      })
    },
  }
}
