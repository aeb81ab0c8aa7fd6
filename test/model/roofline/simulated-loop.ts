import { createRandom } from '../../../src/core/index.ts'
import type { Lengths, StepModel } from '../../../src/model/roofline/index.ts'

interface Request {
  readonly sentS: number
  readonly arrivesS: number
  promptLeft: number
  readonly tokens: number
  tokensLeft: number
  firstS: number
}

/**
 * A replica of one copy, step by step: every sequence that decodes gets a token, prompts that have arrived fill what is left of the budget,
 * first come first served. An answer has 0.89 to 1.11 times the mean tokens; each request is followed at once by the next. All are sent at
 * once at first, so the first quarter is not counted.
 */
export function simulateLoop(model: StepModel, lengths: Lengths, load: number, rounds: number) {
  const { inputTokens, outputTokens } = lengths
  const random = createRandom(4)
  let nowS = 0
  const send = (): Request => {
    const tokens = Math.round(outputTokens * (0.89 + 0.22 * random.next()))
    const arrivesS = nowS + model.arrivalSeconds(inputTokens)
    return { sentS: nowS, arrivesS, promptLeft: inputTokens, tokens, tokensLeft: tokens, firstS: 0 }
  }
  let waiting = Array.from({ length: load }, send)
  let decoding: Request[] = []
  const sum = { requests: 0, ttftS: 0, streamS: 0, tokens: 0 }
  for (let ended = 0; ended < rounds * load; ) {
    let room = model.configuration.maxBatchedTokens - decoding.length
    const pieces: { readonly request: Request; readonly tokens: number }[] = []
    for (const request of waiting) {
      const tokens = request.arrivesS > nowS ? 0 : Math.min(request.promptLeft, room)
      if (tokens > 0) pieces.push({ request, tokens })
      room -= tokens
    }
    if (decoding.length + pieces.length === 0) {
      nowS = Math.min(...waiting.map(({ arrivesS }) => arrivesS))
      continue
    }
    const prefillTokens = pieces.reduce((all, { tokens }) => all + tokens, 0)
    const looked = pieces.reduce(
      (all, { request, tokens }) => all + tokens * (inputTokens - request.promptLeft + tokens / 2),
      0,
    )
    nowS += model.stepSeconds({
      sequences: decoding.length,
      contextTokens: inputTokens + outputTokens / 2,
      prefillTokens,
      prefillContextTokens: prefillTokens === 0 ? 0 : looked / prefillTokens,
    })
    const before = decoding.length
    for (const request of decoding) {
      if (--request.tokensLeft > 1) continue
      if (++ended <= (rounds * load) / 4) continue
      sum.requests++
      sum.ttftS += request.firstS - request.sentS
      sum.streamS += nowS - request.firstS
      sum.tokens += request.tokens - 1
    }
    decoding = decoding.filter(({ tokensLeft }) => tokensLeft > 1)
    const ends = before - decoding.length
    for (const { request, tokens } of pieces) {
      request.promptLeft -= tokens
      if (request.promptLeft > 0) continue
      request.firstS = nowS
      decoding.push(request)
    }
    waiting = [...waiting.filter(({ promptLeft }) => promptLeft > 0), ...Array.from({ length: ends }, send)]
  }
  return { tpotS: sum.streamS / sum.tokens, ttftS: sum.ttftS / sum.requests }
}
