import { X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import { buildConnector, Pool } from 'undici'
import { TwospeedError } from '../core/index.ts'

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

export interface Transport {
  /** What sockets connect to: the target, or the proxy that forwards plain http. */
  readonly origin: string
  /** What goes before a path, and the headers that go with it, where a proxy forwards. */
  readonly pathPrefix: string
  readonly headers: Readonly<Record<string, string>>
  readonly connect: buildConnector.connector
  /** The proxy in use, without its password. */
  readonly proxy?: string
  close(): Promise<void>
}

const CONNECT_TIMEOUT_MS = 30_000

/** Ways to `origin` (`https://host:port`). Throws INVALID_VALUE for a certificate, a key or a proxy's address that is none. */
export function createTransport(origin: string, options: TransportOptions = {}): Transport {
  const { insecure = false, environment = {} } = options
  const target = new URL(origin)
  const direct = buildConnector({
    timeout: CONNECT_TIMEOUT_MS,
    ...(target.protocol === 'https:' && { secureContext: contextOf(options), rejectUnauthorized: !insecure }),
  })
  const proxy = proxyFor(target, environment)
  if (proxy === undefined) {
    return { origin, pathPrefix: '', headers: {}, connect: direct, close: async () => {} }
  }
  const shown = proxy.origin
  const authorization = authorizationOf(proxy)
  if (target.protocol === 'http:') {
    // A proxy takes a plain request by its whole URL; many allow tunnels for https alone.
    return {
      origin: proxy.origin,
      pathPrefix: target.origin,
      headers: { host: target.host, ...authorization },
      connect: buildConnector({ timeout: CONNECT_TIMEOUT_MS }),
      proxy: shown,
      close: async () => {},
    }
  }
  const pool = new Pool(proxy.origin, { headersTimeout: CONNECT_TIMEOUT_MS, connectTimeout: CONNECT_TIMEOUT_MS })
  return {
    origin,
    pathPrefix: '',
    headers: {},
    connect: (to, done) => {
      const host = `${to.hostname.includes(':') ? `[${to.hostname}]` : to.hostname}:${to.port || '443'}`
      pool.connect({ path: host, headers: { host, ...authorization } }).then(
        ({ socket, statusCode }) => {
          if (statusCode === 200) return direct({ ...to, httpSocket: socket as Socket }, done)
          socket.destroy()
          done(new Error(`The proxy ${shown} refused the tunnel with status ${statusCode}.`), null)
        },
        (error: Error) => done(new Error(`The proxy ${shown} cannot be reached: ${error.message}`), null),
      )
    },
    proxy: shown,
    close: () => pool.destroy(),
  }
}

/** Read once: a connection that had to read the certificates itself would be late by it. */
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

function authorizationOf({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '') return {}
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` }
}

function proxyFor(target: URL, environment: Readonly<Record<string, string | undefined>>): URL | undefined {
  const get = (name: string): string => environment[name.toLowerCase()] ?? environment[name] ?? ''
  const name = target.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const address = get(name)
  if (address === '' || isExempt(target, get('NO_PROXY'))) return undefined
  const url = address.includes('://') ? address : `http://${address}`
  if (URL.canParse(url) && /^https?:/i.test(url)) return new URL(url)
  // The address is not repeated: it may hold a password.
  throw new TwospeedError('INVALID_VALUE', `${name} is no address of an HTTP proxy.`, 'Give it as http://host:port.')
}

/** `NO_PROXY`: hosts, each with all that lies under it, with or without a port, or `*`. */
function isExempt(target: URL, list: string): boolean {
  const host = target.hostname.replace(/^\[|\]$/g, '')
  const port = target.port || (target.protocol === 'https:' ? '443' : '80')
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === '*') return true
      // host, host:port, [v6]:port, or a bare v6 address
      const [, bracketed, plain, onlyPort] = /^(?:\[(.*)\]|(?:\*?\.)?([^:]*))(?::(\d+))?$/.exec(entry) ?? [entry, entry]
      const name = bracketed ?? plain ?? ''
      if (name === '' || (onlyPort !== undefined && onlyPort !== port)) return false
      return host === name || host.endsWith(`.${name}`)
    })
}
