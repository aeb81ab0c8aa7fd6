import { type Chunk, COMPLETION_READING } from './chunk.ts'
import { isEqual } from './equal.ts'
import { passDigits, passNumber, passString } from './pass.ts'
import type { Endpoint } from './request.ts'
import { RESPONSES_READING } from './responses-chunk.ts'
import { type Hole, type Shape, shapeOf } from './shape.ts'
import type { EventSpan } from './sse.ts'

/** What an event says that bears a token and nothing else of interest; a count that it does not tell is −1. */
export interface Said {
  choices: number
  input: number
  cachedInput: number
  output: number
}

/** Takes events of a known shape off the bytes of one answer. */
export interface Skimmer {
  /** Where the event ends that begins at `from`, or `from` where it is of no known shape, or not all there before `end`. */
  skim(bytes: Uint8Array, from: number, end: number): number
  /** Of the last event that was skimmed. */
  readonly said: Said
}

/** The shapes of plain token events that a server has shown so far. The readers of its answers share them. */
export interface Shapes {
  createSkimmer(): Skimmer
  /** Remembers the shape of an event that was parsed, if it bears a token and nothing else of interest. */
  learn(span: EventSpan, chunk: Chunk): void
}

/** A server has a few: reasoning and content, a role in the first. One that shows a new one each time is not worth following. */
const MAX_SHAPES = 8
const MAX_LEARNT = 64
const MAX_BYTES = 8192

/** Of an event that was skimmed, what is kept for the next. */
const MAX_REPEATED_BYTES = 1024
const MAX_MISSES = 8
const RETRY = 64

/** A shape and what every event of it says, but for what its holes tell. */
interface Known extends Shape {
  readonly says: Readonly<Said>
  /** Its one hole that matters is the token's. */
  readonly isPlain: boolean
}

export function createShapes(endpoint: Endpoint): Shapes {
  const reading = endpoint === 'responses' ? RESPONSES_READING : COMPLETION_READING
  const known: Known[] = []
  let learnt = 0
  let likely = 0
  // What is being skimmed, and up to where; `view` is of the whole buffer that the bytes lie in.
  let bytes = new Uint8Array() as Uint8Array
  let buffer: ArrayBufferLike = bytes.buffer
  let view = new DataView(buffer)
  let offset = 0
  let end = 0
  // Of the event that was matched last.
  let tokenFrom = 0
  let tokenTo = 0
  let isRepeatable = false

  const lookAt = (next: Uint8Array): void => {
    bytes = next
    offset = next.byteOffset
    const own = next.buffer
    if (own === buffer) return
    buffer = own
    view = new DataView(own)
  }

  const stands = (literal: DataView, literalFrom: number, at: number, length: number): boolean =>
    at + length <= end && isEqual(literal, literalFrom, view, offset + at, length)

  const match = ({ runs, holes, says }: Known, from: number, said: Said): number => {
    said.choices = says.choices
    said.input = says.input
    said.cachedInput = says.cachedInput
    said.output = says.output
    let at = from
    for (let i = 0; i < runs.length; i++) {
      if (i > 0) {
        at = pass(holes[i - 1], at, said)
        if (at < 0) return from
      }
      const run = runs[i]
      if (run === undefined || !stands(run, 0, at, run.byteLength)) return from
      at += run.byteLength
    }
    return at
  }

  /** Passes over what stands in a hole; −1 where it is not what may stand there. */
  const pass = (hole: Hole | undefined, from: number, said: Said): number => {
    switch (hole) {
      case 'string':
        return passString(bytes, from, end)
      case 'token': {
        const to = passString(bytes, from, end)
        tokenFrom = from
        tokenTo = to
        return to > from ? to : -1
      }
      case 'input':
      case 'output': {
        const to = passDigits(bytes, from, end)
        if (to === from || to - from > 15 || (bytes[from] === 48 && to - from > 1)) return -1
        let count = 0
        for (let i = from; i < to; i++) count = count * 10 + (bytes[i] ?? 48) - 48
        said[hole] = count
        return to
      }
      default:
        return passNumber(bytes, from, end)
    }
  }

  const matchAny = (from: number, said: Said): number => {
    for (let tried = 0; tried < known.length; tried++) {
      const shape = known[likely]
      if (shape !== undefined) {
        const to = match(shape, from, said)
        if (to > from) {
          isRepeatable = shape.isPlain && to - from <= MAX_REPEATED_BYTES
          return to
        }
      }
      likely = likely + 1 < known.length ? likely + 1 : 0
    }
    return from
  }

  return {
    /** Most events differ from the one before in their token alone, so that one is tried first: what comes before the token, and after. */
    createSkimmer() {
      const said: Said = { choices: 0, input: -1, cachedInput: -1, output: -1 }
      const before = new Uint8Array(MAX_REPEATED_BYTES)
      const beforeView = new DataView(before.buffer)
      let beforeLength = 0
      let totalLength = 0
      let misses = 0 // in a row

      const repeat = (from: number): number => {
        if (!stands(beforeView, 0, from, beforeLength)) return from
        const token = from + beforeLength
        const to = passString(bytes, token, end)
        if (to <= token) return from
        const afterLength = totalLength - beforeLength
        return stands(beforeView, beforeLength, to, afterLength) ? to + afterLength : from
      }

      return {
        said,
        skim(next, from, to) {
          if (next !== bytes) lookAt(next)
          end = to
          if (beforeLength > 0) {
            const ended = repeat(from)
            if (ended > from) {
              misses = 0
              return ended
            }
          }
          const ended = matchAny(from, said)
          beforeLength = 0
          if (ended > from && isRepeatable && (misses++ < MAX_MISSES || misses % RETRY === 0)) {
            before.set(bytes.subarray(from, tokenFrom))
            before.set(bytes.subarray(tokenTo, ended), tokenFrom - from)
            beforeLength = tokenFrom - from
            totalLength = beforeLength + ended - tokenTo
          }
          return ended
        },
      }
    },
    learn(span, chunk) {
      const { usage, choices } = chunk
      if (!chunk.bearsToken || chunk.completes || chunk.ends || usage?.reasoning !== undefined) return
      if (learnt === MAX_LEARNT || span.to - span.from > MAX_BYTES) return
      const shape = shapeOf(span, reading)
      if (shape === undefined) return
      const { input = -1, cachedInput = -1, output = -1 } = usage ?? {}
      const { holes } = shape
      const isPlain = !holes.includes('output') && holes.filter((hole) => hole === 'token').length === 1
      likely = learnt % MAX_SHAPES
      known[likely] = { ...shape, says: { choices, input, cachedInput, output }, isPlain }
      learnt++
    },
  }
}
