import { X509Certificate } from 'node:crypto'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { connect, isIP, type OnReadOpts, type Socket } from 'node:net'
import {
  connect as connectTls,
  createSecureContext,
  type SecureContext,
  type ConnectionOptions as TlsOptions,
} from 'node:tls'
import { TwospeedError } from '../../core/index.ts'
import { NOT_HTTP } from './failure.ts'
import { type HttpProxy, proxyFor } from './proxy.ts'

/** How connections are made: trust, identity, and the way out. */
export interface TransportOptions {
  /** PEM. */
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  /** Accept any certificate. */
  readonly insecure?: boolean
  /** Where `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` (or in small letters) are looked up; default: nowhere. */
  readonly environment?: Readonly<Record<string, string | undefined>>
}

/** What happens on a connection: it opens, brings bytes, and ends with one of the last two; or it fails to open. */
export interface LinkEvents {
  onOpen(socket: Socket): void
  /** Those before `end` were read. They are valid during the call: all connections read into one buffer. */
  onBytes(bytes: Uint8Array, end: number): void
  /** The other side has no more to say. */
  onClose(): void
  onError(error: Error, isOpen: boolean): void
}

/** A connection that is open or opening. */
export interface Link {
  close(): void
}

/** The ways to one target. */
export interface Transport {
  readonly isSecure: boolean
  /** What stands before a path, and the fields that go with it: where a proxy forwards, the target's whole origin. */
  readonly pathPrefix: string
  readonly fields: Readonly<Record<string, string>>
  /** The proxy in use, without its password. */
  readonly proxy?: string
  open(events: LinkEvents): Link
}

/** One buffer for the reads of all connections: a read is looked at and done with before the next. */
const READ_BYTES = 65_536
const readBuffer = Buffer.allocUnsafeSlow(READ_BYTES)

interface Place {
  readonly host: string
  readonly port: number
}

function placeOf({ hostname, port, protocol }: URL): Place {
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || (protocol === 'https:' ? 443 : 80)) }
}

/** Ways to `origin` (`https://host:port`). Throws INVALID_VALUE for a certificate, a key or a proxy's address that is none. */
export function createTransport(origin: string, options: TransportOptions = {}): Transport {
  const target = new URL(origin)
  const proxy = proxyFor(target, options.environment ?? {})
  const place = placeOf(target)
  const fields = { host: target.host }
  const shown = proxy && { proxy: proxy.url.origin }
  if (target.protocol === 'https:') {
    const tls = secured(place.host, options)
    return {
      isSecure: true,
      pathPrefix: '',
      fields,
      ...shown,
      open: (events) => (proxy === undefined ? tls.open(place, events) : openTunnel(proxy, place, tls, events)),
    }
  }
  // A proxy takes a plain request by its whole URL: many allow tunnels for https alone.
  const first = proxy === undefined ? place : placeOf(proxy.url)
  return {
    isSecure: false,
    pathPrefix: proxy === undefined ? '' : target.origin,
    fields: { ...fields, ...proxy?.authorization },
    ...shown,
    open: (events) =>
      proxy?.url.protocol === 'https:'
        ? secured(first.host, {}).open(first, events)
        : watch(connect({ ...first, ...SOCKET, onread: readInto(events) }), 'connect', events),
  }
}

const SOCKET = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 }

function readInto(events: LinkEvents): OnReadOpts {
  return {
    buffer: readBuffer,
    callback: (length: number): boolean => {
      events.onBytes(readBuffer, length)
      return true
    },
  }
}

function watch(socket: Socket, opens: 'connect' | 'secureConnect', events: LinkEvents): Link {
  let isOpen = false
  socket.once(opens, () => {
    isOpen = true
    events.onOpen(socket)
  })
  socket.on('error', (error) => events.onError(error, isOpen))
  const onClose = (): void => {
    if (isOpen) events.onClose()
    else events.onError(new Error('The connection was closed before it stood.'), false)
  }
  socket.on('end', onClose)
  socket.on('close', onClose)
  return { close: () => void socket.destroy() }
}

interface Secured {
  open(place: Place, events: LinkEvents): Link
  /** Over a connection that a proxy has made. */
  openOver(socket: Socket, events: LinkEvents): Link
}

function secured(host: string, options: TransportOptions): Secured {
  const tls: TlsOptions = {
    host,
    // Read once: a connection that had to read the certificates itself would be late by it.
    secureContext: contextOf(options),
    rejectUnauthorized: options.insecure !== true,
    ALPNProtocols: ['http/1.1'],
    ...(isIP(host) === 0 && { servername: host }),
  }
  let session: Buffer | undefined // of the last connection: the next is sooner made by it
  const resumed = (): TlsOptions => (session === undefined ? tls : { ...tls, session })
  const keepSession = (socket: Socket): Socket =>
    socket.on('session', (next: Buffer) => {
      session = next
    })
  return {
    open({ port }, events) {
      const connecting = { ...resumed(), port, onread: readInto(events) }
      const socket = connectTls(connecting)
      socket.setNoDelay(true)
      socket.setKeepAlive(true, SOCKET.keepAliveInitialDelay)
      return watch(keepSession(socket), 'secureConnect', events)
    },
    openOver(socket, events) {
      const over = connectTls({ ...resumed(), socket })
      over.on('data', (bytes: Buffer) => events.onBytes(bytes, bytes.length))
      return watch(keepSession(over), 'secureConnect', events)
    },
  }
}

function openTunnel(proxy: HttpProxy, { host, port }: Place, tls: Secured, events: LinkEvents): Link {
  const path = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const request = proxy.url.protocol === 'https:' ? requestHttps : requestHttp
  const asking = request({
    ...placeOf(proxy.url),
    method: 'CONNECT',
    path,
    headers: { host: path, ...proxy.authorization },
    agent: false,
  })
  let link: Link = { close: () => void asking.destroy() }
  asking.on('connect', ({ statusCode }, socket) => {
    if (statusCode === 200) {
      socket.setNoDelay(true)
      link = tls.openOver(socket, events)
      return
    }
    socket.destroy()
    events.onError(new Error(`The proxy refused the tunnel with status ${statusCode}.`), false)
  })
  asking.on('error', ({ message, code = '' }: NodeJS.ErrnoException) => {
    const what = code.startsWith('HPE_') ? `The proxy: ${NOT_HTTP}` : 'The proxy cannot be reached:'
    events.onError(new Error(`${what} ${message}`), false)
  })
  asking.end()
  return { close: () => link.close() }
}

function contextOf({ ca, cert, key }: TransportOptions): SecureContext {
  try {
    // A file without a certificate would be passed over in silence.
    if (ca !== undefined) new X509Certificate(ca)
    return createSecureContext({ ca, cert, key })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new TwospeedError(
      'INVALID_VALUE',
      `The certificates or the key cannot be used: ${reason}`,
      'Give PEM files, and a key that belongs to its certificate.',
    )
  }
}
