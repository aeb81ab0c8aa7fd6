import { readCases } from './cases.ts'

/** A wire case as its file has it; see the replay server. */
export interface WireCase {
  readonly id: string
  readonly title: string
  readonly endpoint: 'chat' | 'completions' | 'responses'
  readonly http: { readonly status: number; readonly gzip?: boolean }
  readonly chunks: readonly WireChunk[]
  readonly end: 'end' | 'reset' | 'close' | 'hang'
  readonly measure?: Readonly<Record<string, number>>
  readonly expect: WireExpectation
}

interface WireChunk {
  readonly atMs: number
  readonly text?: string
  readonly hex?: string
  readonly parts?: readonly (string | { readonly repeat: string; readonly times: number })[]
}

/** Times in milliseconds from the request's arrival. A key that is absent is not judged. */
export interface WireExpectation {
  readonly outcome?: string
  readonly errorKind?: string | readonly string[]
  readonly status?: number
  readonly ttftMs?: number
  readonly lastTokenMs?: number
  readonly tolMs?: number
  readonly ttftTolMs?: number
  readonly tpotMs?: number | null
  readonly gapsMs?: readonly number[]
  readonly events?: number
  readonly outputTokens?: number
  readonly tokenSource?: string
  readonly inputTokens?: number
  readonly tokensPerEvent?: readonly number[]
  readonly finishReason?: string
  readonly text?: string
  readonly reasoningText?: string
  readonly textLength?: number
  readonly endMs?: number
  readonly endTolMs?: number
  readonly requests?: number
  readonly errorIncludes?: string
}

export const wireCases: readonly WireCase[] = readCases<WireCase>('wire')

export function bytesOf({ text, hex, parts = [] }: WireChunk): Buffer {
  if (hex !== undefined) return Buffer.from(hex.replaceAll(' ', ''), 'hex')
  return Buffer.from(
    text ?? parts.map((part) => (typeof part === 'string' ? part : part.repeat.repeat(part.times))).join(''),
  )
}
