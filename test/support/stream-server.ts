import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { TlsOptions } from 'node:tls'

/** A server on a free loopback port whose answers a test writes itself. */
export interface StreamServer {
  readonly origin: string
  readonly port: number
  /** Every request so far, and every connection. */
  readonly requests: readonly IncomingMessage[]
  readonly sockets: readonly Socket[]
  close(): Promise<void>
}

export async function startStreamServer(
  answer: (request: IncomingMessage, response: ServerResponse, index: number) => void,
  tls?: TlsOptions,
): Promise<StreamServer> {
  const requests: IncomingMessage[] = []
  const sockets: Socket[] = []
  const onRequest: RequestListener = (request, response) => {
    request.resume()
    answer(request, response, requests.push(request) - 1)
  }
  const server: Server = tls === undefined ? createServer(onRequest) : createSecureServer(tls, onRequest)
  server.on('connection', (socket) => sockets.push(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    requests,
    sockets,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

export const token = (text = 'x'): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text }, finish_reason: null }] })}\n\n`
export const FINISH =
  'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}\n\ndata: [DONE]\n\n'
export const STREAM = { 'content-type': 'text/event-stream' }

/** The plain good answer: two tokens. */
export function answerWell(_: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, STREAM)
  response.write(token('a'))
  response.end(`${token('b')}${FINISH}`)
}
