import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import type { RequestRecord } from '../../../src/core/index.ts'
import { createClock } from '../../../src/load/clock.ts'
import {
  type Client,
  type ClientOptions,
  createClient,
  type Exchange,
  type Seen,
} from '../../../src/load/http/client.ts'
import { createIdentity } from '../../support/certificate.ts'
import { answerWell, FINISH, STREAM, type StreamServer, startStreamServer, token } from '../../support/stream-server.ts'

const open: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

async function serverOf(...args: Parameters<typeof startStreamServer>): Promise<StreamServer> {
  const server = await startStreamServer(...args)
  open.push(server)
  return server
}

function clientOf(origin: string, options: Partial<ClientOptions> = {}): Client {
  const client = createClient({
    origin,
    path: '/v1/chat/completions',
    endpoint: 'chat',
    clock: createClock(),
    ...options,
  })
  open.push(client)
  return client
}

let count = 0
const ask = (client: Client, exchange: Partial<Exchange> = {}): Promise<RequestRecord & { readonly seen: Seen }> =>
  new Promise((resolve) => {
    const id = `r-${count++}`
    client.send({ id, point: 0, body: '{}', ...exchange }, (record, seen) => resolve({ ...record, seen }))
  })

describe('a server that promises to keep a connection and hangs up after each answer', () => {
  it('loses no request', async () => {
    const server = await serverOf((request, response) => {
      response.on('finish', () => void sleep(1).then(() => request.socket.end()))
      answerWell(request, response)
    })
    const client = clientOf(server.origin)
    const outcomes: string[] = []
    for (let i = 0; i < 20; i++) outcomes.push((await ask(client)).outcome)
    expect(outcomes).toEqual(Array(20).fill('ok'))
  })
})

describe('a request', () => {
  it('is sent as it was asked for, under its own id', async () => {
    const bodies: string[] = []
    const server = await serverOf((request, response) => {
      request.on('data', (bytes) => bodies.push(String(bytes)))
      request.on('end', () => answerWell(request, response))
    })
    const client = clientOf(server.origin, {
      path: '/x?api-version=1',
      headers: { Authorization: 'Bearer k', 'x-a': 'b' },
    })
    const record = await ask(client, {
      id: 'run-7',
      point: 3,
      scheduledS: 0.25,
      body: '{"é":1}',
      askedInputTokens: 5,
      askedOutputTokens: 6,
    })
    expect(bodies).toEqual(['{"é":1}'])
    expect(server.requests[0]).toMatchObject({ method: 'POST', url: '/x?api-version=1' })
    expect(server.requests[0]?.headers).toMatchObject({
      'x-request-id': 'run-7',
      authorization: 'Bearer k',
      'x-a': 'b',
      'content-type': 'application/json',
      accept: 'text/event-stream',
    })
    expect(record).toMatchObject({
      id: 'run-7',
      point: 3,
      scheduledS: 0.25,
      askedInputTokens: 5,
      askedOutputTokens: 6,
      outcome: 'ok',
      inputTokens: 3,
      outputTokens: 2,
      tokenSource: 'usage',
      finishReason: 'stop',
    })
  })

  it('has its times in order, in whole microseconds, and those of connecting apart', async () => {
    const server = await serverOf(answerWell)
    const client = clientOf(server.origin)
    const [first, second] = [await ask(client), await ask(client)]
    expect(first.connectMs).toBeGreaterThan(0)
    expect(second.connectMs).toBeUndefined()
    for (const { sentS, firstByteS = 0, firstTokenS = 0, lastTokenS = 0, endS, gapsUs } of [first, second]) {
      const times = [sentS, firstByteS, firstTokenS, lastTokenS, endS]
      expect(times).toEqual(times.toSorted((a, b) => a - b))
      for (const time of times) expect(Math.round(time * 1e6) / 1e6).toBe(time)
      expect(gapsUs).toEqual([Math.round((lastTokenS - firstTokenS) * 1e6)])
    }
    expect(second.sentS).toBeGreaterThan(first.endS)
  })

  it('keeps no text unless it is asked to', async () => {
    const server = await serverOf(answerWell)
    expect((await ask(clientOf(server.origin))).seen).toEqual({ events: 2 })
    expect((await ask(clientOf(server.origin, { keepText: true }))).seen).toMatchObject({ text: 'ab' })
  })

  it('is never sent again, and follows no redirect', async () => {
    const server = await serverOf((_, response, index) => {
      if (index === 0) response.writeHead(307, { location: '/elsewhere' }).end('gone')
      else response.socket?.destroy()
    })
    const client = clientOf(server.origin)
    expect((await ask(client)).error).toEqual({ kind: 'http', status: 307, message: 'HTTP 307. gone' })
    expect((await ask(client)).error?.kind).toBe('truncated')
    expect(server.requests).toHaveLength(2)
  })
})

describe('connections', () => {
  it('are one a stream, and used again', async () => {
    const server = await serverOf(answerWell)
    const client = clientOf(server.origin)
    for (let round = 0; round < 5; round++) await Promise.all(Array.from({ length: 8 }, () => ask(client)))
    expect(server.sockets).toHaveLength(8)
    for (let i = 0; i < 5; i++) await ask(client)
    expect(server.sockets).toHaveLength(8)
  })

  it('are used again by a request that the end of another brings about', async () => {
    const server = await serverOf(answerWell)
    const client = clientOf(server.origin)
    await new Promise<void>((resolve) => {
      const again = (left: number): void => {
        client.send({ id: `n-${left}`, point: 0, body: '{}' }, () => (left === 0 ? resolve() : again(left - 1)))
      }
      again(20)
    })
    expect(server.requests).toHaveLength(21)
    expect(server.sockets).toHaveLength(1)
  })

  it('have no cap', async () => {
    const waiting: (() => void)[] = []
    const server = await serverOf((request, response) => {
      waiting.push(() => answerWell(request, response))
      if (waiting.length === 300) for (const answer of waiting) answer()
    })
    const client = clientOf(server.origin)
    const records = await Promise.all(Array.from({ length: 300 }, () => ask(client)))
    expect(records.every(({ outcome }) => outcome === 'ok')).toBe(true)
    expect(client.counters()).toMatchObject({ events: 600, active: 0 })
  })

  it('that the server closed while idle cost no request', async () => {
    const server = await serverOf(answerWell)
    const client = clientOf(server.origin)
    for (let i = 0; i < 5; i++) {
      expect((await ask(client)).outcome).toBe('ok')
      const closed = once(server.sockets.at(-1) as Socket, 'close')
      server.sockets.at(-1)?.end()
      await closed
      await sleep(5)
    }
    expect(server.sockets).toHaveLength(5)
  })

  it('are given up after an answer that has ended but whose body does not, without holding up its record', async () => {
    const server = await serverOf((request, response, index) => {
      if (index > 0) return answerWell(request, response)
      response.writeHead(200, STREAM)
      response.write(`${token()}${FINISH}`)
    })
    const client = clientOf(server.origin)
    const record = await ask(client)
    expect(record).toMatchObject({ outcome: 'ok', finishReason: 'stop' })
    expect(record.endS - (record.lastTokenS ?? 0)).toBeLessThan(0.05)
    expect((await ask(client)).outcome).toBe('ok')
    expect(server.sockets).toHaveLength(2)
  })

  it('end with the client, and so does what is in flight', async () => {
    const server = await serverOf((_, response) => {
      response.writeHead(200, STREAM)
      response.write(token())
    })
    const client = createClient({ origin: server.origin, path: '/', endpoint: 'chat', clock: createClock() })
    const records = [ask(client), ask(client)]
    await sleep(50)
    await client.close()
    for (const record of await Promise.all(records))
      expect(record).toMatchObject({ outcome: 'cancelled', outputTokens: 1 })
    expect(client.counters().active).toBe(0)
  })
})

describe('a failure', () => {
  const failureOf = async (...args: Parameters<typeof startStreamServer>) =>
    ask(clientOf((await serverOf(...args)).origin))

  it('is of kind connect where nobody listens', async () => {
    const server = await startStreamServer(answerWell)
    await server.close()
    const client = clientOf(server.origin)
    for (let i = 0; i < 3; i++) {
      const record = await ask(client)
      expect(record.error).toMatchObject({ kind: 'connect', message: expect.stringContaining('ECONNREFUSED') })
      expect(record.sentS).toBeLessThanOrEqual(record.endS)
    }
    const nowhere = await ask(clientOf('http://nowhere.invalid:80'))
    expect(nowhere.error).toMatchObject({ kind: 'connect', message: expect.stringContaining('nowhere.invalid') })
  })

  it('is of kind tls where the certificate is not trusted, or there is none', async () => {
    const server = await serverOf(answerWell, createIdentity('server'))
    expect((await ask(clientOf(server.origin))).error?.kind).toBe('tls')
    const plain = await serverOf(answerWell)
    expect((await ask(clientOf(plain.origin.replace('http:', 'https:')))).error?.kind).toBe('tls')
    const mute = createServer((socket) => socket.once('data', () => socket.resetAndDestroy())).listen(0, '127.0.0.1')
    open.push({ close: async () => mute.close() })
    await once(mute, 'listening')
    const { port } = mute.address() as { port: number }
    expect((await ask(clientOf(`https://127.0.0.1:${port}`))).error?.kind).toBe('tls')
  })

  it('is of kind http with the status and the words of the server', async () => {
    const answers = [
      [429, '{"error":{"message":"slow down"}}', 'HTTP 429. slow down'],
      [404, '{"detail":"Not Found"}', 'HTTP 404. Not Found'],
      [502, '<html><style>x</style><h1>Bad</h1>\n gateway</html>', 'HTTP 502. Bad gateway'],
      [500, '', 'HTTP 500.'],
    ] as const
    for (const [status, body, message] of answers) {
      const { error, outcome } = await failureOf((_, response) => response.writeHead(status).end(body))
      expect({ error, outcome }).toEqual({ outcome: 'failed', error: { kind: 'http', status, message } })
    }
  })

  it('does not wait for the whole of a long error', async () => {
    const { error } = await failureOf((_, response) => {
      response.writeHead(500)
      response.write('no '.repeat(9_000))
    })
    expect(error?.message).toMatch(/^HTTP 500. no no/)
    expect(error?.message.length).toBeLessThan(600)
  })

  it('has what the redactor leaves of its message', async () => {
    const server = await serverOf((_, response) => response.writeHead(401).end('{"error":"bad key sk-1"}'))
    const client = clientOf(server.origin, { redact: (text) => text.replace('sk-1', '***') })
    expect((await ask(client)).error?.message).toBe('HTTP 401. bad key ***')
  })

  it('is of kind reset, or truncated, by how the connection ended', async () => {
    const begin = (response: Parameters<Parameters<typeof startStreamServer>[0]>[1]): void => {
      response.writeHead(200, STREAM)
      response.write(token())
    }
    const reset = await failureOf((_, response) => {
      begin(response)
      setTimeout(() => response.socket?.resetAndDestroy(), 20)
    })
    expect(reset).toMatchObject({ outcome: 'failed', outputTokens: 1, error: { kind: 'reset' } })
    const closed = await failureOf((_, response) => {
      begin(response)
      setTimeout(() => response.socket?.end(), 20)
    })
    expect(closed).toMatchObject({ outcome: 'failed', outputTokens: 1, error: { kind: 'truncated' } })
    const short = await failureOf((_, response) => {
      response.writeHead(200, { ...STREAM, 'content-length': 9_999 })
      response.write(token())
      setTimeout(() => response.socket?.end(), 20)
    })
    expect(short).toMatchObject({ outcome: 'failed', outputTokens: 1, error: { kind: 'truncated' } })
  })

  it('is told where the answer is not even HTTP', async () => {
    const server = createServer((socket) => socket.end('SSH-2.0-x\r\n')).listen(0, '127.0.0.1')
    open.push({ close: async () => server.close() })
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const record = await ask(clientOf(`http://127.0.0.1:${port}`))
    expect(record.error).toMatchObject({ kind: 'truncated', message: expect.stringContaining('HTTP') })
  })
})

describe('a cancelled request', () => {
  it('keeps what it received', async () => {
    const server = await serverOf((_, response) => {
      response.writeHead(200, STREAM)
      response.write(token())
    })
    const client = clientOf(server.origin)
    const ended = new Promise<RequestRecord>((resolve) => {
      const cancel = client.send({ id: 'c', point: 0, body: '{}' }, resolve)
      setTimeout(() => {
        cancel()
        cancel()
      }, 50)
    })
    expect(await ended).toMatchObject({ outcome: 'cancelled', outputTokens: 1, tokenSource: 'events' })
    expect((await ended).error).toBeUndefined()
    expect(client.counters().active).toBe(0)
  })

  it('may not have been sent yet', async () => {
    const server = await serverOf(answerWell)
    const client = clientOf(server.origin)
    const ended = new Promise<RequestRecord>((resolve) => {
      client.send({ id: 'c', point: 0, body: '{}' }, resolve)()
    })
    expect(await ended).toMatchObject({ outcome: 'cancelled', outputTokens: 0 })
    expect((await ask(client)).outcome).toBe('ok')
    expect(server.requests).toHaveLength(1)
  })

  it('is left alone once it has ended, and its connection with it', async () => {
    const server = await serverOf(answerWell)
    const client = clientOf(server.origin)
    let cancel = (): void => {}
    await new Promise<void>((resolve) => {
      cancel = client.send({ id: 'c', point: 0, body: '{}' }, () => resolve())
    })
    const next = ask(client)
    cancel()
    expect((await next).outcome).toBe('ok')
  })
})

describe('a limit', () => {
  it('on the first token runs while nothing, or no token, comes', async () => {
    const server = await serverOf((_, response, index) => {
      if (index > 0) response.writeHead(200, STREAM).write(': ping\n\n')
    })
    const client = clientOf(server.origin, { limits: { firstTokenTimeoutMs: 100 } })
    for (let i = 0; i < 2; i++) {
      const record = await ask(client)
      expect(record).toMatchObject({ outcome: 'failed', error: { kind: 'timeout' } })
      expect(record.endS - record.sentS).toBeGreaterThanOrEqual(0.1)
    }
  })

  it('between tokens is not put off by what bears none', async () => {
    const server = await serverOf((_, response) => {
      response.writeHead(200, STREAM)
      response.write(token())
      const pings = setInterval(() => response.write(': ping\n\n'), 20)
      response.on('close', () => clearInterval(pings))
    })
    const record = await ask(clientOf(server.origin, { limits: { idleTimeoutMs: 100 } }))
    expect(record).toMatchObject({ outcome: 'failed', outputTokens: 1, error: { kind: 'timeout' } })
  })

  it('on the whole request holds while tokens come, and before it is sent', async () => {
    const server = await serverOf((_, response) => {
      response.writeHead(200, STREAM)
      const tokens = setInterval(() => response.write(token()), 10)
      response.on('close', () => clearInterval(tokens))
    })
    const record = await ask(clientOf(server.origin, { limits: { requestTimeoutMs: 150, idleTimeoutMs: 100 } }))
    expect(record).toMatchObject({ outcome: 'failed', error: { kind: 'timeout' } })
    expect(record.outputTokens).toBeGreaterThan(3)

    // A listener that takes no connection: the handshake of TLS never begins.
    const mute = createServer(() => {}).listen(0, '127.0.0.1')
    open.push({ close: async () => mute.close() })
    await once(mute, 'listening')
    const { port } = mute.address() as { port: number }
    const unsent = await ask(clientOf(`https://127.0.0.1:${port}`, { limits: { requestTimeoutMs: 100 } }))
    expect(unsent).toMatchObject({ outcome: 'failed', error: { kind: 'timeout' } })
  })
})

describe('an answer that runs on', () => {
  /** One that ends after so many tokens, or never. */
  const endsAfter = (tokens: number) =>
    serverOf((_, response) => {
      response.writeHead(200, STREAM)
      let left = tokens
      const more = (): void => {
        const batch = Math.min(100, left)
        left -= batch
        if (left === 0) response.end(`${token().repeat(batch)}${FINISH}`)
        else if (!response.destroyed && response.write(token().repeat(batch))) setImmediate(more)
      }
      response.on('drain', more)
      more()
    })

  it('is cut when four times as much has come as was asked for, and its connection dropped', async () => {
    const server = await endsAfter(Number.POSITIVE_INFINITY)
    const record = await ask(clientOf(server.origin), { askedOutputTokens: 1000 })
    expect(record).toMatchObject({ outcome: 'failed', error: { kind: 'server' } })
    expect(record.error?.message).toMatch(/ran on: 1000 tokens were asked for, and \d+ events/)
    expect(record.gapsUs.length).toBeGreaterThanOrEqual(4000)
    // What one read brings more.
    expect(record.gapsUs.length).toBeLessThan(6000)
    await expect.poll(() => server.sockets.every((socket) => socket.destroyed)).toBe(true)
  })

  it('and ends before that is good, and of a short one 256 more are', async () => {
    const asking = async (tokens: number, askedOutputTokens?: number): Promise<string> => {
      const server = await endsAfter(tokens)
      return (await ask(clientOf(server.origin), askedOutputTokens === undefined ? {} : { askedOutputTokens })).outcome
    }
    expect(await asking(4000, 1000)).toBe('ok')
    expect(await asking(4001, 1000)).toBe('failed')
    expect(await asking(266, 10)).toBe('ok')
    expect(await asking(267, 10)).toBe('failed')
    expect(await asking(20_000)).toBe('ok')
  })

  it('may do so in each of its choices', async () => {
    const server = await serverOf((_, response) => {
      const second = token().replace('"index":0', '"index":1')
      response.writeHead(200, STREAM)
      response.write(second.repeat(250))
      response.end(`${token().repeat(250)}${FINISH}`)
    })
    const record = await ask(clientOf(server.origin), { askedOutputTokens: 10 })
    expect(record).toMatchObject({ outcome: 'ok', choices: 2 })
  })

  it('in one event is malformed at 64 MiB, and its connection dropped', async () => {
    const piece = 'x'.repeat(2 ** 20)
    const server = await serverOf((_, response) => {
      response.writeHead(200, STREAM)
      response.write('data: ')
      const more = (): void => {
        if (!response.destroyed && response.write(piece)) setImmediate(more)
      }
      response.on('drain', more)
      more()
    })
    const record = await ask(clientOf(server.origin))
    expect(record).toMatchObject({ outcome: 'failed', outputTokens: 0, error: { kind: 'malformed' } })
    await expect.poll(() => server.sockets.every((socket) => socket.destroyed), { timeout: 3000 }).toBe(true)
  })
})

describe('a compressed answer', () => {
  const body = Buffer.from(`${token('a')}${token('b')}${FINISH}`)
  const encodings = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }

  for (const [encoding, compress] of Object.entries(encodings)) {
    it(`is decoded: ${encoding}`, async () => {
      const server = await serverOf((_, response) => {
        response.writeHead(200, { ...STREAM, 'content-encoding': encoding })
        const bytes = compress(body)
        response.write(bytes.subarray(0, 20))
        setTimeout(() => response.end(bytes.subarray(20)), 5)
      })
      const record = await ask(clientOf(server.origin, { keepText: true }))
      expect(record).toMatchObject({ outcome: 'ok', outputTokens: 2, seen: { text: 'ab' } })
    })
  }

  it('of more than a buffer is decoded whole', async () => {
    const server = await serverOf((_, response) => {
      response.writeHead(200, { ...STREAM, 'content-encoding': 'gzip' })
      response.end(gzipSync(`${token('x'.repeat(50)).repeat(5_000)}${FINISH}`))
    })
    expect((await ask(clientOf(server.origin))).seen.events).toBe(5_000)
  })

  it('that is none fails', async () => {
    const server = await serverOf((_, response) => {
      response.writeHead(200, { ...STREAM, 'content-encoding': 'gzip' }).end(body)
    })
    expect((await ask(clientOf(server.origin))).error?.kind).toBe('truncated')
  })

  it('that is an error is read as one', async () => {
    const server = await serverOf((_, response) => {
      response.writeHead(503, { 'content-encoding': 'gzip' }).end(gzipSync('{"error":"busy"}'))
    })
    expect((await ask(clientOf(server.origin))).error?.message).toBe('HTTP 503. busy')
  })
})

describe('what is counted', () => {
  it('are token-bearing events, and the reads that brought more than one', async () => {
    const server = await serverOf((_, response) => {
      response.writeHead(200, STREAM)
      response.write(token())
      setTimeout(() => response.write(token() + token() + token()), 30)
      setTimeout(() => response.end(FINISH), 60)
    })
    const client = clientOf(server.origin)
    await ask(client)
    expect(client.counters()).toEqual({ events: 4, tokenReads: 2, sharedReads: 1, active: 0 })
  })

  it('counts the HTTP chunks of one read together, with one time for all', async () => {
    const server = await serverOf((_, response) => {
      response.writeHead(200, STREAM)
      response.socket?.cork()
      for (let i = 0; i < 4; i++) response.write(token())
      response.end(FINISH)
      response.socket?.uncork()
    })
    const client = clientOf(server.origin)
    const { gapsUs } = await ask(client)
    expect(gapsUs).toEqual([0, 0, 0])
    expect(client.counters()).toMatchObject({ tokenReads: 1, sharedReads: 1 })
  })
})
