import { type Chunk, COMPLETION_READING } from './chunk.ts'
import { isEqual } from './equal.ts'
import { passDigits, passNumber, passString } from './pass.ts'
import type { Endpoint } from './request.ts'
import { RESPONSES_READING } from './responses-chunk.ts'
import { type Hole, type Reading, type Shape, shapeOf } from './shape.ts'
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
  return new KnownShapes(endpoint === 'responses' ? RESPONSES_READING : COMPLETION_READING)
}

class KnownShapes implements Shapes {
  private readonly reading: Reading
  private readonly known: Known[] = []
  private learnt = 0
  private likely = 0
  // What is being skimmed, and up to where; `view` is of the whole buffer that the bytes lie in.
  bytes: Uint8Array = new Uint8Array()
  private buffer: ArrayBufferLike = this.bytes.buffer
  private view = new DataView(this.buffer)
  private offset = 0
  end = 0
  // Of the event that was matched last.
  tokenFrom = 0
  tokenTo = 0
  isRepeatable = false

  constructor(reading: Reading) {
    this.reading = reading
  }

  createSkimmer(): Skimmer {
    return new EventSkimmer(this)
  }

  lookAt(next: Uint8Array, end: number): void {
    this.end = end
    if (next === this.bytes) return
    this.bytes = next
    this.offset = next.byteOffset
    const own = next.buffer
    if (own === this.buffer) return
    this.buffer = own
    this.view = new DataView(own)
  }

  stands(literal: DataView, literalFrom: number, at: number, length: number): boolean {
    return at + length <= this.end && isEqual(literal, literalFrom, this.view, this.offset + at, length)
  }

  private match({ runs, holes, says }: Known, from: number, said: Said): number {
    said.choices = says.choices
    said.input = says.input
    said.cachedInput = says.cachedInput
    said.output = says.output
    let at = from
    for (let i = 0; i < runs.length; i++) {
      if (i > 0) {
        at = this.pass(holes[i - 1], at, said)
        if (at < 0) return from
      }
      const run = runs[i]
      if (run === undefined || !this.stands(run, 0, at, run.byteLength)) return from
      at += run.byteLength
    }
    return at
  }

  /** Passes over what stands in a hole; −1 where it is not what may stand there. */
  private pass(hole: Hole | undefined, from: number, said: Said): number {
    const { bytes, end } = this
    switch (hole) {
      case 'string':
        return passString(bytes, from, end)
      case 'token': {
        const to = passString(bytes, from, end)
        this.tokenFrom = from
        this.tokenTo = to
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

  matchAny(from: number, said: Said): number {
    const { known } = this
    for (let tried = 0; tried < known.length; tried++) {
      const shape = known[this.likely]
      if (shape !== undefined) {
        const to = this.match(shape, from, said)
        if (to > from) {
          this.isRepeatable = shape.isPlain && to - from <= MAX_REPEATED_BYTES
          return to
        }
      }
      this.likely = this.likely + 1 < known.length ? this.likely + 1 : 0
    }
    return from
  }

  learn(span: EventSpan, chunk: Chunk): void {
    const { usage, choices } = chunk
    if (!chunk.bearsToken || chunk.completes || chunk.ends || usage?.reasoning !== undefined) return
    if (this.learnt === MAX_LEARNT || span.to - span.from > MAX_BYTES) return
    const shape = shapeOf(span, this.reading)
    if (shape === undefined) return
    const { input = -1, cachedInput = -1, output = -1 } = usage ?? {}
    const { holes } = shape
    const isPlain = !holes.includes('output') && holes.filter((hole) => hole === 'token').length === 1
    this.likely = this.learnt % MAX_SHAPES
    this.known[this.likely] = { ...shape, says: { choices, input, cachedInput, output }, isPlain }
    this.learnt++
  }
}

/** Most events differ from the one before in their token alone, so that one is tried first: what comes before the token, and after. */
class EventSkimmer implements Skimmer {
  readonly said: Said = { choices: 0, input: -1, cachedInput: -1, output: -1 }
  private readonly shapes: KnownShapes
  private readonly before = new DataView(new ArrayBuffer(MAX_REPEATED_BYTES))
  private beforeLength = 0
  private totalLength = 0
  private misses = 0 // in a row

  constructor(shapes: KnownShapes) {
    this.shapes = shapes
  }

  skim(next: Uint8Array, from: number, to: number): number {
    const { shapes } = this
    shapes.lookAt(next, to)
    if (this.beforeLength > 0) {
      const ended = this.repeat(from)
      if (ended > from) {
        this.misses = 0
        return ended
      }
    }
    const ended = shapes.matchAny(from, this.said)
    this.beforeLength = 0
    if (ended > from && shapes.isRepeatable && (this.misses++ < MAX_MISSES || this.misses % RETRY === 0)) {
      const { bytes, tokenFrom, tokenTo } = shapes
      const before = new Uint8Array(this.before.buffer)
      before.set(bytes.subarray(from, tokenFrom))
      before.set(bytes.subarray(tokenTo, ended), tokenFrom - from)
      this.beforeLength = tokenFrom - from
      this.totalLength = this.beforeLength + ended - tokenTo
    }
    return ended
  }

  private repeat(from: number): number {
    const { shapes, beforeLength, before } = this
    if (!shapes.stands(before, 0, from, beforeLength)) return from
    const token = from + beforeLength
    const to = passString(shapes.bytes, token, shapes.end)
    if (to <= token) return from
    const afterLength = this.totalLength - beforeLength
    return shapes.stands(before, beforeLength, to, afterLength) ? to + afterLength : from
  }
}
