import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { TwospeedError } from '../core/index.ts'
import { sendJson } from './answer.ts'
import type { Engine } from './engine.ts'
import { runExchange } from './exchange.ts'
import { type Fault, faultBody, notFound, tooLarge, unavailable, wrongMethod } from './fault.ts'
import { type Endpoint, parseRequest } from './request.ts'
import { hrtimeNs, openTruthLog } from './truth.ts'

export interface ServerOptions {
  readonly engine: Engine
  /** 0, the default, takes any that is free. */
  readonly port?: number
  /** Loopback unless said otherwise: the server asks nobody who they are. */
  readonly host?: string
  /** File for the truth log. */
  readonly truth?: string
}

export interface RunningServer {
  /** With `/v1`, as a client takes it. */
  readonly url: string
  /** Cuts what is still streaming, and closes the engine. */
  close(): Promise<void>
}

const DEFAULT_HOST = '127.0.0.1'
const BODY_LIMIT_BYTES = 32 * 2 ** 20
/** Thousands of clients may connect in one moment. */
const BACKLOG = 4096

/**
 * An OpenAI-compatible server over one engine: `/v1/models`, `/v1/chat/completions`, `/v1/completions`, `/v1/responses`,
 * `/health`.
 * Throws CANNOT_LISTEN where the port or address is not to be had, FILE_NOT_WRITABLE for the truth log.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { engine, port = 0, host = DEFAULT_HOST } = options
  const truth = options.truth === undefined ? undefined : openTruthLog(options.truth)
  const startedS = Math.floor(Date.now() / 1000)
  const running = new Map<ServerResponse, () => void>()
  let closing = false

  const modelCard = { id: engine.model, object: 'model', created: startedS, owned_by: `twospeed-${engine.kind}` }
  const routes: Readonly<Record<string, Route>> = {
    '/health': get(() => {
      const status = engine.status()
      const health = status.failure === undefined ? 'ok' : 'failed'
      return { status: health, engine: engine.kind, model: engine.model, ...status }
    }),
    '/v1/models': get(() => ({ object: 'list', data: [modelCard] })),
    [`/v1/models/${engine.model}`]: get(() => modelCard),
    '/v1/chat/completions': post('chat'),
    '/v1/completions': post('completions'),
    '/v1/responses': post('responses'),
  }

  function post(endpoint: Endpoint): Route {
    return {
      method: 'POST',
      handle(request, response, requestId, receivedNs) {
        readBody(request, (text) => {
          if (text === undefined) {
            response.setHeader('connection', 'close')
            return sendFault(response, tooLarge(`The body is larger than ${BODY_LIMIT_BYTES} bytes.`))
          }
          const down = closing ? 'the server is stopping' : engine.status().failure
          if (down !== undefined) return sendFault(response, unavailable(`No answer can be given: ${down}.`))
          const parsed = parseRequest(endpoint, text, engine.model)
          if (!parsed.ok) return sendFault(response, parsed.fault)
          const exchange = { endpoint, requestId, receivedNs, request: parsed.value, response }
          const started = runExchange(engine, exchange, (record) => {
            truth?.append(record)
            running.delete(response)
          })
          if ('fault' in started) sendFault(response, started.fault)
          else running.set(response, started.cancel)
        })
      },
    }
  }

  const server = createServer({ noDelay: true, keepAlive: true }, (request, response) => {
    const receivedNs = hrtimeNs()
    const given = request.headers['x-request-id']
    const requestId = typeof given === 'string' && given !== '' ? given : randomUUID()
    response.setHeader('x-request-id', requestId)
    const path = (request.url ?? '/').replace(/\?.*$/s, '')
    const route = routes[path]
    if (route === undefined) {
      sendFault(response, notFound(`There is nothing at ${request.method} ${path}.`, null, 'unknown_url'))
    } else if (route.method !== request.method) {
      response.setHeader('allow', route.method)
      sendFault(response, wrongMethod(`${path} takes ${route.method}.`, null, 'method_not_supported'))
    } else {
      route.handle(request, response, requestId, receivedNs)
    }
  })
  // A load test may leave a connection idle for long, and a queued request silent for longer: no timeout may get in the way.
  server.keepAliveTimeout = 0
  server.headersTimeout = 0
  server.requestTimeout = 0

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      truth?.close()
      reject(
        new TwospeedError(
          'CANNOT_LISTEN',
          `${host}:${port}: ${error.message}`,
          'Give a free --port (0 takes any) and a --host of this machine.',
        ),
      )
    })
    server.listen({ port, host, backlog: BACKLOG }, resolve)
  })
  const { address, family, port: bound } = server.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}/v1`,
    async close() {
      closing = true
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      for (const cancel of running.values()) cancel()
      await closed
      await engine.close()
      truth?.close()
    },
  }
}

interface Route {
  readonly method: 'GET' | 'POST'
  handle(request: IncomingMessage, response: ServerResponse, requestId: string, receivedNs: number): void
}

function get(body: () => unknown): Route {
  return { method: 'GET', handle: (_request, response) => sendJson(response, 200, JSON.stringify(body())) }
}

function sendFault(response: ServerResponse, fault: Fault): void {
  sendJson(response, fault.status, faultBody(fault))
}

/** Calls once: with the whole body, or with undefined as soon as it is too large. */
function readBody(request: IncomingMessage, call: (text: string | undefined) => void): void {
  const parts: Buffer[] = []
  let bytes = Number(request.headers['content-length'] ?? 0) > BODY_LIMIT_BYTES ? Number.POSITIVE_INFINITY : 0
  let tooMuch = false
  const take = (part: Buffer): void => {
    bytes += part.length
    if (bytes <= BODY_LIMIT_BYTES) parts.push(part)
    else if (!tooMuch) {
      tooMuch = true
      call(undefined)
    }
  }
  request.on('data', take)
  request.on('end', () => {
    if (!tooMuch) call(Buffer.concat(parts).toString())
  })
}
