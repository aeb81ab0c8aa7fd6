import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, createServer as createPlainServer, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import type { RequestRecord } from '../../../src/core/index.ts'
import { createClock } from '../../../src/load/clock.ts'
import { createClient } from '../../../src/load/http/client.ts'
import { NOT_HTTP } from '../../../src/load/http/failure.ts'
import { createTransport, type TransportOptions } from '../../../src/load/http/transport.ts'
import { createIdentity, holdsKey } from '../../support/certificate.ts'
import { answerWell, startStreamServer } from '../../support/stream-server.ts'

const open: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

async function serverOf(...args: Parameters<typeof startStreamServer>) {
  const server = await startStreamServer(...args)
  open.push(server)
  return server
}

async function ask(origin: string, transport: TransportOptions): Promise<RequestRecord> {
  const client = createClient({ origin, path: '/v1/x', endpoint: 'chat', clock: createClock(), transport })
  try {
    return await new Promise((resolve) => client.send({ id: 'r', point: 0, body: '{}' }, resolve))
  } finally {
    await client.close()
  }
}

/** A proxy that tunnels and forwards, notes what it was asked, and may want a password. */
async function startProxy(password?: string) {
  const asked: string[] = []
  const sockets = new Set<Socket>()
  const isKnown = ({ headers }: IncomingMessage): boolean =>
    password === undefined ||
    headers['proxy-authorization'] === `Basic ${Buffer.from(`me:${password}`).toString('base64')}`
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    if (!isKnown(request)) {
      response.writeHead(407).end('who are you?')
      return
    }
    const { 'proxy-authorization': _, ...headers } = request.headers
    const onward = httpRequest(request.url ?? '', { method: request.method ?? 'GET', headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    request.pipe(onward)
  })
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    asked.push(`CONNECT ${request.url}`)
    if (!isKnown(request)) {
      socket.end('HTTP/1.1 407 Who are you\r\n\r\n')
      return
    }
    const [host = '', port] = (request.url ?? '').split(':')
    const onward = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      onward.pipe(socket).pipe(onward)
    })
    for (const end of [socket, onward]) end.on('error', () => end.destroy())
  })
  server.on('connection', (socket) => sockets.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy = {
    port: (server.address() as AddressInfo).port,
    asked,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
  open.push(proxy)
  return proxy
}

describe('TLS', () => {
  const authority = createIdentity('authority')
  const identity = createIdentity('server', { name: 'authority', key: authority.key })

  it('is tested with certificates that fit their keys', () => {
    expect(holdsKey(identity)).toBe(true)
    expect(holdsKey({ ...identity, key: authority.key })).toBe(false)
  })

  it('trusts the authority that it is given, or anybody if told so, else nobody unknown', async () => {
    const { origin } = await serverOf(answerWell, identity)
    expect(await ask(origin, { ca: authority.cert })).toMatchObject({ outcome: 'ok', connectMs: expect.any(Number) })
    expect(await ask(origin, { insecure: true })).toMatchObject({ outcome: 'ok' })
    expect((await ask(origin, {})).error?.kind).toBe('tls')
    expect((await ask(origin, { ca: createIdentity('other').cert })).error?.kind).toBe('tls')
  })

  it('checks the name', async () => {
    const issuer = { name: 'authority', key: authority.key }
    const other = await serverOf(answerWell, createIdentity('server', issuer, 'other.example'))
    expect((await ask(other.origin, { ca: authority.cert })).error?.kind).toBe('tls')
    const { port } = await serverOf(answerWell, identity)
    expect(await ask(`https://localhost:${port}`, { ca: authority.cert })).toMatchObject({ outcome: 'ok' })
  })

  it('refuses at once what is no certificate, or a key of another', () => {
    const refuse = (options: TransportOptions): unknown => {
      try {
        return createTransport('https://a.example', options)
      } catch (error) {
        return error
      }
    }
    const other = createIdentity('other').key
    for (const options of [{ ca: 'x' }, { cert: identity.cert, key: 'x' }, { cert: identity.cert, key: other }]) {
      expect(refuse(options)).toMatchObject({ code: 'INVALID_VALUE' })
    }
    for (const address of ['socks5://me:secret@a:1', 'http://me:secret@:x']) {
      const error = refuse({ environment: { HTTPS_PROXY: address } })
      expect(error).toMatchObject({ code: 'INVALID_VALUE', message: expect.stringContaining('HTTPS_PROXY') })
      expect(String(error)).not.toContain('secret')
    }
  })

  it('shows its own certificate', async () => {
    const client = createIdentity('client', { name: 'authority', key: authority.key })
    const names: unknown[] = []
    const server = await serverOf(
      (request, response) => {
        names.push((request.socket as TLSSocket).getPeerCertificate().subject.CN)
        answerWell(request, response)
      },
      { ...identity, ca: authority.cert, requestCert: true, rejectUnauthorized: true },
    )
    expect(await ask(server.origin, { ca: authority.cert, ...client })).toMatchObject({ outcome: 'ok' })
    expect(names).toEqual(['client'])
    expect((await ask(server.origin, { ca: authority.cert })).outcome).toBe('failed')
  })
})

describe('a proxy', () => {
  const authority = createIdentity('authority')
  const identity = createIdentity('server', { name: 'authority', key: authority.key })

  it('tunnels https, checked end to end', async () => {
    const proxy = await startProxy()
    const { origin, port } = await serverOf(answerWell, identity)
    const environment = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` }
    expect(await ask(origin, { ca: authority.cert, environment })).toMatchObject({ outcome: 'ok' })
    expect(proxy.asked).toEqual([`CONNECT 127.0.0.1:${port}`])
    expect((await ask(origin, { environment })).error?.kind).toBe('tls')
  })

  it('forwards http', async () => {
    const proxy = await startProxy()
    const server = await serverOf(answerWell)
    const environment = { http_proxy: `127.0.0.1:${proxy.port}` }
    expect(await ask(server.origin, { environment })).toMatchObject({ outcome: 'ok', outputTokens: 2 })
    expect(proxy.asked).toEqual([`POST ${server.origin}/v1/x`])
    expect(server.requests[0]).toMatchObject({ url: '/v1/x' })
    expect(server.requests[0]?.headers.host).toBe(`127.0.0.1:${server.port}`)
  })

  it('is given its password, and nobody else is', async () => {
    const proxy = await startProxy('s p')
    const secure = await serverOf(answerWell, identity)
    const plain = await serverOf(answerWell)
    const url = `http://me:s%20p@127.0.0.1:${proxy.port}`
    const environment = { HTTPS_PROXY: url, HTTP_PROXY: url }
    for (const { origin, requests } of [secure, plain]) {
      expect(await ask(origin, { ca: authority.cert, environment })).toMatchObject({ outcome: 'ok' })
      expect(requests[0]?.headers).not.toHaveProperty('proxy-authorization')
    }
    const wrong = url.replace('s%20p', 'wrong')
    const refused = await ask(secure.origin, { environment: { HTTPS_PROXY: wrong } })
    expect(refused.error).toMatchObject({ kind: 'connect', message: expect.stringContaining('407') })
    expect(refused.error?.message).not.toContain('wrong')
    expect((await ask(plain.origin, { environment: { HTTP_PROXY: wrong } })).error).toMatchObject({
      kind: 'http',
      status: 407,
    })
  })

  it('that is not there is told as a connection that failed', async () => {
    const proxy = await startProxy()
    await proxy.close()
    const url = `http://127.0.0.1:${proxy.port}`
    for (const origin of ['https://127.0.0.1:1', 'http://127.0.0.1:1']) {
      const { error } = await ask(origin, { environment: { HTTPS_PROXY: url, HTTP_PROXY: url } })
      expect(error?.kind, origin).toBe('connect')
    }
  })

  it('that answers, but not in HTTP, is told as such', async () => {
    const server = createPlainServer((socket) =>
      socket
        .on('error', () => {})
        .resume()
        .end('SSH-2.0-OpenSSH_9.6\r\n'),
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    open.push({ close: () => new Promise((resolve) => server.close(resolve)) })
    const environment = { HTTPS_PROXY: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    const { error } = await ask('https://127.0.0.1:1', { environment })
    expect(error).toMatchObject({ kind: 'connect', message: expect.stringContaining(`The proxy: ${NOT_HTTP}`) })
  })

  it('is chosen by scheme and left out for the hosts of NO_PROXY', () => {
    const proxyOf = (origin: string, environment: Record<string, string>): string | undefined =>
      createTransport(origin, { environment }).proxy
    const both = { HTTP_PROXY: 'http://plain:1', HTTPS_PROXY: 'http://u:p@secure:2' }
    expect(proxyOf('http://a.example:8000', both)).toBe('http://plain:1')
    expect(proxyOf('https://a.example', both)).toBe('http://secure:2')
    expect(proxyOf('https://a.example', { HTTP_PROXY: 'http://plain:1' })).toBeUndefined()
    expect(proxyOf('https://a.example', { ...both, https_proxy: 'http://small:3' })).toBe('http://small:3')
    expect(proxyOf('https://a.example', {})).toBeUndefined()
    const isExempt = (origin: string, NO_PROXY: string): boolean => proxyOf(origin, { ...both, NO_PROXY }) === undefined
    for (const list of ['*', 'a.example', 'x, .example', '*.example', 'A.EXAMPLE:443', 'x a.example']) {
      expect(isExempt('https://a.example', list), list).toBe(true)
    }
    for (const list of ['', 'b.example', 'ample', 'a.example:80', 'a.example.org', ',']) {
      expect(isExempt('https://a.example', list), list).toBe(false)
    }
    expect(isExempt('http://[::1]:80', '::1')).toBe(true)
    expect(isExempt('http://[::1]:80', '[::1]:80')).toBe(true)
    expect(isExempt('http://[::1]:80', '[::1]')).toBe(true)
    expect(isExempt('http://127.0.0.1:8000', 'localhost,127.0.0.1')).toBe(true)
  })
})
