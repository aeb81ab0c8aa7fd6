import { createServer, type Socket } from 'node:net'
import { realClock } from './clock.ts'
import { hrtimeNs } from './truth.ts'

/**
 * A server whose tokens are known to the microsecond: it answers a streamed chat request as an OpenAI-compatible server does, with one
 * HTTP chunk a token, and every stream gets its token in the same step, one write after the other, as from a batching engine.
 *
 *   steps    |          |          |          on absolute deadlines, so that no delay adds up
 *   writes   ||||||     ||||||     |||||||    each logged before it is made: what the server was late is known, and not the client's
 */
export interface PaceMock {
  readonly port: number
  /** Steps of `gapMs` from now on. What was logged is forgotten. */
  pace(gapMs: number): void
  truth(): PaceTruth
  close(): void
}

export interface PaceTruth {
  /** By `x-request-id`, when each token was handed to the socket: `process.hrtime`, in ns. */
  readonly tokenNs: ReadonlyMap<string, Float64Array>
  /** p99 of how late steps began. */
  readonly lateMs: number
}

interface Stream {
  readonly socket: Socket
  readonly tokenNs: Float64Array
  written: number
}

const BACKLOG = 4096

const chunk = (body: string): string => `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n`
const event = (rest: string): string =>
  chunk(`data: {"id":"chatcmpl-mock","object":"chat.completion.chunk","created":1764547200,"model":"mock",${rest}}\n\n`)
const choice = (delta: string, finish = 'null'): string =>
  event(`"choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finish}}]`)

const HEAD = Buffer.from(
  `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n${choice('{"role":"assistant","content":""}')}`,
)
const TOKEN = Buffer.from(choice('{"content":" token"}'))
const lastOf = (tokens: number): Buffer => {
  const usage = `"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":${tokens},"total_tokens":${tokens + 1}}`
  return Buffer.from(`${TOKEN}${choice('{}', '"length"')}${event(usage)}${chunk('data: [DONE]\n\n')}${chunk('')}`)
}

export async function startPaceMock(): Promise<PaceMock> {
  const streams = new Set<Stream>()
  const sockets = new Set<Socket>()
  const lasts = new Map<number, Buffer>()
  let tokenNs = new Map<string, Float64Array>()
  let lateMs: number[] = []
  let gapS = 1
  let nextS: number | undefined // of the next step; undefined: nobody waits for one

  const write = (stream: Stream): void => {
    const { socket, tokenNs: log } = stream
    const isLast = stream.written + 1 === log.length
    const bytes = isLast ? lasts.get(log.length) : TOKEN
    log[stream.written++] = hrtimeNs()
    socket.write(bytes ?? TOKEN)
    if (isLast) streams.delete(stream)
  }

  const step = (): void => {
    const dueS = nextS ?? 0
    const behindS = realClock.now() - dueS
    lateMs.push(1000 * behindS)
    for (const stream of streams) write(stream)
    nextS = streams.size === 0 ? undefined : dueS + gapS * Math.max(1, Math.ceil(behindS / gapS))
    if (nextS !== undefined) realClock.at(nextS, step)
  }

  const begin = (socket: Socket, id: string, tokens: number): Stream => {
    if (!lasts.has(tokens)) lasts.set(tokens, lastOf(tokens))
    const stream = { socket, tokenNs: new Float64Array(tokens), written: 0 }
    tokenNs.set(id, stream.tokenNs)
    streams.add(stream)
    socket.write(HEAD)
    if (nextS === undefined) {
      nextS = realClock.now() + gapS
      realClock.at(nextS, step)
    }
    return stream
  }

  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    let stream: Stream | undefined
    const read = createRequestReader((id, tokens) => {
      stream = begin(socket, id, tokens)
    })
    socket.on('data', read)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      sockets.delete(socket)
      if (stream !== undefined) streams.delete(stream)
    })
  })
  await new Promise<void>((resolve) => server.listen({ port: 0, host: '127.0.0.1', backlog: BACKLOG }, resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    pace(gapMs) {
      gapS = gapMs / 1000
      tokenNs = new Map()
      lateMs = []
    },
    truth() {
      const sorted = lateMs.toSorted((a, b) => a - b)
      return { tokenNs, lateMs: sorted[Math.floor(0.99 * sorted.length)] ?? 0 }
    },
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** As much of HTTP as our own client speaks: a head with the length of the body, and of that the number of tokens asked for. */
function createRequestReader(onRequest: (id: string, tokens: number) => void): (bytes: Buffer) => void {
  let text = ''
  return (bytes) => {
    text += bytes.toString('latin1')
    for (;;) {
      const bodyAt = text.indexOf('\r\n\r\n') + 4
      const head = text.slice(0, bodyAt)
      const end = bodyAt + Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0)
      if (bodyAt < 4 || text.length < end) return
      const id = /x-request-id: *(\S+)/i.exec(head)?.[1] ?? ''
      const tokens = Number(/"max_tokens": *(\d+)/.exec(text.slice(bodyAt, end))?.[1] ?? 1)
      text = text.slice(end)
      onRequest(id, tokens)
    }
  }
}
