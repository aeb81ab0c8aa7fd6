import type { Socket } from 'node:net'
import { buildConnector, Pool } from 'undici'

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

/** Ways to `origin` (`https://host:port`). Throws TypeError where a proxy's address is no URL. */
export function createTransport(origin: string, options: TransportOptions = {}): Transport {
  const { ca, cert, key, insecure, environment = {} } = options
  const tls = {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(insecure === true && { rejectUnauthorized: false }),
  }
  const direct = buildConnector({ ...tls, timeout: CONNECT_TIMEOUT_MS })
  const target = new URL(origin)
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

function authorizationOf({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '') return {}
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` }
}

function proxyFor(target: URL, environment: Readonly<Record<string, string | undefined>>): URL | undefined {
  const get = (name: string): string => environment[name.toLowerCase()] ?? environment[name] ?? ''
  const address = get(target.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY')
  if (address === '' || isExempt(target, get('NO_PROXY'))) return undefined
  return new URL(address.includes('://') ? address : `http://${address}`)
}

/** `NO_PROXY`: hosts, each with all that lies under it, with or without a port, or `*`. */
function isExempt(target: URL, list: string): boolean {
  const host = target.hostname.replace(/^\[|\]$/g, '')
  const port = target.port || (target.protocol === 'https:' ? '443' : '80')
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      const [, name = '', onlyPort] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(entry) ?? []
      if (entry === '*') return true
      if (name === '' || (onlyPort !== undefined && onlyPort !== port)) return false
      return host === name || host.endsWith(`.${name}`)
    })
}
