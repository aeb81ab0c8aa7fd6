import { holds, type Span, toMicros } from './instants.ts'
import type { RequestRecord, TokenSource } from './record.ts'
import type { Hardware, Point } from './run.ts'
import type { Stream, TokensInside } from './stream.ts'
import { given } from './summary.ts'
import { createTotal } from './total.ts'

/** Tokens by arrival: what the hardware made inside the window, of every request, finished or not. */
export interface TokenMeter {
  add(record: RequestRecord, stream: Stream | undefined, inside: TokensInside): void
  result(): Point['tokens']
}

export function createTokenMeter(window: Span): TokenMeter {
  let input = 0
  const output = createTotal()
  const sources = new Set<TokenSource>()
  return {
    add: (record, stream, inside) => {
      output.add(inside.all)
      // Prefill is credited when it is done.
      if (stream !== undefined && holds(window, stream.firstUs)) input += record.inputTokens ?? 0
      // Warm-up and drain enter no figure, so their source (a stream that was cut has no usage) says nothing about the point.
      if (inside.all > 0 || (stream !== undefined && holds(window, toMicros(record.sentS))))
        sources.add(record.tokenSource)
    },
    result: () => {
      const [source] = sources
      return given<Point['tokens']>({
        input,
        output: output.value(),
        source: sources.size > 1 ? 'mixed' : source,
      })
    },
  }
}

/** Undefined while the GPUs are unknown: never a silent 1. */
export function perGpuOf(tokens: Point['tokens'], windowS: number, hardware: Hardware): Point['perGpu'] {
  const { prefillGpus, decodeGpus } = hardware
  const pools = prefillGpus === undefined || decodeGpus === undefined ? undefined : prefillGpus + decodeGpus
  const gpus = hardware.gpus ?? pools
  if (gpus === undefined) return undefined
  return given<NonNullable<Point['perGpu']>>({
    outputTokensPerSecond: tokens.output / windowS / gpus,
    totalTokensPerSecond: (tokens.input + tokens.output) / windowS / gpus,
    prefillPoolInputTokensPerSecond: prefillGpus && tokens.input / windowS / prefillGpus,
    decodePoolOutputTokensPerSecond: decodeGpus && tokens.output / windowS / decodeGpus,
  })
}
