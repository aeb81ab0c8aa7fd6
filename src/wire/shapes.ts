import type { Chunk } from './chunk.ts'
import type { Endpoint } from './request.ts'
import { type Hole, type Reading, type Run, type Shape, shapeOf } from './shape.ts'
import type { EventSpan } from './sse.ts'

/** What was read of the event that was skimmed last; a count that it did not tell is −1. */
export interface Skimmed {
  choices: number
  input: number
  cachedInput: number
  output: number
}

/** The shapes of plain token events that a server has shown so far. Readers of answers of one server share them. */
export interface Shapes {
  /** Takes one event of a known shape off the bytes; returns where it ends, or `from` where there is none, or not all of it. */
  skim(bytes: Uint8Array, from: number): number
  readonly skimmed: Skimmed
  /** Remembers the shape of an event that was parsed and bears a token and nothing else of interest. */
  learn(span: EventSpan, chunk: Chunk): void
}

const CALLED: Reading = { name: 'token', arguments: 'token' }
/** All that `readCompletionChunk` looks at. */
const COMPLETION: Reading = {
  error: 'fixed',
  object: 'fixed',
  usage: {
    prompt_tokens: 'input',
    completion_tokens: 'output',
    total_tokens: 'number', // looked at only where reasoning tokens are told: see `learn`
    input_tokens: 'fixed',
    output_tokens: 'fixed',
    prompt_tokens_details: 'fixed',
    completion_tokens_details: 'fixed',
    input_tokens_details: 'fixed',
    output_tokens_details: 'fixed',
  },
  choices: {
    index: 'fixed',
    finish_reason: 'fixed',
    text: 'token',
    delta: {
      content: 'token',
      reasoning: 'token',
      reasoning_content: 'token',
      refusal: 'token',
      tool_calls: { function: CALLED },
      function_call: CALLED,
    },
  },
}
/** All that `readResponsesChunk` looks at. */
const RESPONSES: Reading = { type: 'fixed', delta: 'token', response: 'fixed', error: 'fixed', object: 'fixed' }

/** A server has a few: reasoning and content, a role in the first. One that shows a new one each time is not worth following. */
const MAX_SHAPES = 8
const MAX_LEARNT = 64
const MAX_BYTES = 8192

/** A shape and what every event of it says, but for what its holes tell. */
interface Known extends Shape {
  readonly says: Readonly<Skimmed>
}

export function createShapes(endpoint: Endpoint): Shapes {
  const reading = endpoint === 'responses' ? RESPONSES : COMPLETION
  const known: Known[] = []
  const skimmed: Skimmed = { choices: 0, input: -1, cachedInput: -1, output: -1 }
  let learnt = 0
  let likely = 0
  let looked = new Uint8Array() as Uint8Array // what `view` is of: a read is handed over in as many pieces as it has HTTP chunks
  let view = new DataView(looked.buffer)
  let offset = 0

  const lookAt = (bytes: Uint8Array): void => {
    looked = bytes
    const { buffer } = bytes
    if (buffer !== view.buffer) view = new DataView(buffer)
    offset = bytes.byteOffset
  }

  const match = ({ runs, holes, says }: Known, bytes: Uint8Array, from: number): number => {
    skimmed.choices = says.choices
    skimmed.input = says.input
    skimmed.cachedInput = says.cachedInput
    skimmed.output = says.output
    let at = from
    for (let i = 0; i < runs.length; i++) {
      if (i > 0) {
        at = pass(holes[i - 1], bytes, at)
        if (at < 0) return from
      }
      const run = runs[i]
      if (run === undefined || !stands(run, bytes, at, view, offset + at)) return from
      at += run.bytes.length
    }
    return at
  }

  /** Passes over what stands in a hole; −1 where it is not what may stand there. */
  const pass = (hole: Hole | undefined, bytes: Uint8Array, from: number): number => {
    switch (hole) {
      case 'string':
        return passString(bytes, from)
      case 'token': {
        const to = passString(bytes, from)
        return to > from ? to : -1
      }
      case 'input':
      case 'output': {
        const to = passDigits(bytes, from)
        if (to === from || to - from > 15 || (bytes[from] === 48 && to - from > 1)) return -1
        let count = 0
        for (let i = from; i < to; i++) count = count * 10 + (bytes[i] ?? 48) - 48
        skimmed[hole] = count
        return to
      }
      default:
        return passNumber(bytes, from)
    }
  }

  return {
    skimmed,
    skim(bytes, from) {
      if (bytes !== looked) lookAt(bytes)
      for (let tried = 0; tried < known.length; tried++) {
        const shape = known[likely]
        if (shape !== undefined) {
          const to = match(shape, bytes, from)
          if (to > from) return to
        }
        likely = likely + 1 < known.length ? likely + 1 : 0
      }
      return from
    },
    learn(span, chunk) {
      const { usage, choices } = chunk
      if (!chunk.bearsToken || chunk.completes || chunk.ends || usage?.reasoning !== undefined) return
      if (learnt === MAX_LEARNT || span.to - span.from > MAX_BYTES) return
      const shape = shapeOf(span, reading)
      if (shape === undefined) return
      const { input = -1, cachedInput = -1, output = -1 } = usage ?? {}
      likely = learnt % MAX_SHAPES
      known[likely] = { ...shape, says: { choices, input, cachedInput, output } }
      learnt++
    },
  }
}

function stands(
  { bytes: literal, words }: Run,
  bytes: Uint8Array,
  from: number,
  view: DataView,
  viewFrom: number,
): boolean {
  if (from + literal.length > bytes.length) return false
  for (let i = 0; i < words.length; i++) if (view.getInt32(viewFrom + 4 * i, true) !== words[i]) return false
  for (let i = 4 * words.length; i < literal.length; i++) if (bytes[from + i] !== literal[i]) return false
  return true
}

/** To the quote that closes a JSON string; −1 where it is not valid, or not all there. Bytes beyond ASCII may be anything: decoding mends them. */
function passString(bytes: Uint8Array, from: number): number {
  const end = bytes.length
  let at = from
  while (at < end) {
    const byte = bytes[at] ?? 0
    if (byte === 34) return at
    if (byte < 32) return -1
    if (byte === 92) {
      at = passEscape(bytes, at)
      if (at < 0) return -1
    } else {
      at++
    }
  }
  return -1
}

function passEscape(bytes: Uint8Array, from: number): number {
  switch (bytes[from + 1]) {
    case 34: // " \\ / b f n r t
    case 92:
    case 47:
    case 98:
    case 102:
    case 110:
    case 114:
    case 116:
      return from + 2
    case 117: // u and four hexadecimal digits
      for (let i = from + 2; i < from + 6; i++) if (!isHex(bytes[i] ?? 0)) return -1
      return from + 6
    default:
      return -1
  }
}

const isHex = (byte: number): boolean =>
  (byte >= 48 && byte <= 57) || (byte >= 65 && byte <= 70) || (byte >= 97 && byte <= 102)

function passDigits(bytes: Uint8Array, from: number): number {
  const end = bytes.length
  let at = from
  while (at < end && (bytes[at] ?? 0) >= 48 && (bytes[at] ?? 0) <= 57) at++
  return at
}

/** A JSON number: -? (0 | [1-9] digits) (. digits)? ([eE] [+-]? digits)? */
function passNumber(bytes: Uint8Array, from: number): number {
  const first = bytes[from] === 45 ? from + 1 : from
  let at = passDigits(bytes, first)
  if (at === first || (bytes[first] === 48 && at - first > 1)) return -1
  if (bytes[at] === 46) {
    const fraction = at + 1
    at = passDigits(bytes, fraction)
    if (at === fraction) return -1
  }
  if (bytes[at] === 69 || bytes[at] === 101) {
    let exponent = at + 1
    if (bytes[exponent] === 43 || bytes[exponent] === 45) exponent++
    at = passDigits(bytes, exponent)
    if (at === exponent) return -1
  }
  return at
}
