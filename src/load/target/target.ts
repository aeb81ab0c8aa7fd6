import { TwospeedError } from '../../core/index.ts'
import type { Endpoint } from '../../wire/index.ts'

export type { Endpoint } from '../../wire/index.ts'

/** Where requests go, worked out from a URL as people paste it. */
export interface Address {
  /** The endpoint itself, query included, userinfo not. */
  readonly url: string
  /** Absent where the path names its model already (an Azure deployment). */
  readonly modelsUrl?: string
  readonly endpoint: Endpoint
  /** The deployment in an Azure path: what is asked, whatever model stands behind it. */
  readonly deployment?: string
  /** Value of an `authorization` header, from userinfo. */
  readonly authorization?: string
  /** What of the URL must never be shown: userinfo and the values of its query. */
  readonly secrets: readonly string[]
  /** The URL as it may be printed and stored. */
  readonly shown: string
}

/** The longer of two that end alike goes first. */
const PATHS: Readonly<Record<Endpoint, string>> = {
  chat: '/chat/completions',
  completions: '/completions',
  responses: '/responses',
}
const ENDPOINTS = Object.keys(PATHS) as readonly Endpoint[]

/** The API's version is no secret, and without it nobody could repeat the run. */
const OPEN_QUERY_KEYS: ReadonlySet<string> = new Set(['api-version'])

function refuse(message: string): never {
  throw new TwospeedError('INVALID_VALUE', message, 'Give it as http://localhost:8000 or https://example.com/v1.')
}

/** A host of one's own machine or network, or a bare address, for which there are no certificates: plain http is what listens there. */
function isPlain(host: string): boolean {
  return !host.includes('.') || /^[\d.]+$/.test(host) || /\.(local|internal|lan)$/.test(host)
}

function withScheme(text: string): string {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(text)) return text
  const authority = (text.split(/[/?#]/, 1)[0] ?? '').replace(/^.*@/, '')
  const host = authority.replace(/:\d*$/, '').toLowerCase()
  return `${isPlain(host) ? 'http' : 'https'}://${text}`
}

function parseUrl(text: string): URL {
  let url: URL
  try {
    url = new URL(withScheme(text.trim()))
  } catch {
    // The text itself is not repeated: it may hold a password.
    return refuse('The target is not a URL.')
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') refuse(`The target's scheme is ${url.protocol}// .`)
  if (url.hostname === '') refuse('The target has no host.')
  return url
}

/** Splits the endpoint off a full path; what is left is the base that `/models` stands under too. */
function splitPath(path: string): { readonly base: string; readonly endpoint?: Endpoint } {
  const bare = path.replace(/\/+$/, '')
  const endpoint = ENDPOINTS.find((name) => bare.endsWith(PATHS[name]))
  if (endpoint === undefined) return { base: bare.replace(/\/models$/, '') }
  return { base: bare.slice(0, -PATHS[endpoint].length), endpoint }
}

/** A base without a version in it is a server's root, and the API lives under `/v1` there. */
function withVersion(url: URL, base: string): string {
  if (/\/v\d/.test(base) || base.includes('/deployments/')) return base
  return url.hostname.endsWith('.openai.azure.com') ? `${base}/openai/v1` : `${base}/v1`
}

function authorizationOf(url: URL): { readonly authorization?: string; readonly secrets: readonly string[] } {
  if (url.username === '' && url.password === '') return { secrets: [] }
  let pair: string
  try {
    pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  } catch {
    return refuse('The user or password in the target is not properly percent-encoded.')
  }
  const basic = Buffer.from(pair).toString('base64')
  const parts = [pair, basic, ...pair.split(':', 1), pair.slice(pair.indexOf(':') + 1), url.username, url.password]
  return { authorization: `Basic ${basic}`, secrets: [...new Set(parts)].filter((part) => part !== '') }
}

/** The same URL without userinfo and with the values of its query blanked, but for those that are no secret. */
function shownUrl(url: string): string {
  const copy = new URL(url)
  for (const key of new Set(copy.searchParams.keys())) {
    if (!OPEN_QUERY_KEYS.has(key.toLowerCase())) copy.searchParams.set(key, 'redacted')
  }
  return copy.href
}

/**
 * Reads a target as pasted: a host, host:port, `/v1`, the full path of an endpoint, an Azure deployment with its `api-version`.
 * Without a scheme, names without a dot, bare addresses and `.local`, `.internal`, `.lan` are http, all others https.
 *
 * @throws TwospeedError `INVALID_VALUE`, or `CONFLICTING_FLAGS` when the path names another endpoint than the one asked for.
 */
export function parseTarget(text: string, asked?: Endpoint): Address {
  const url = parseUrl(text)
  const { base, endpoint: named } = splitPath(url.pathname)
  if (named !== undefined && asked !== undefined && named !== asked) {
    throw new TwospeedError(
      'CONFLICTING_FLAGS',
      `The target is a ${named} endpoint and --endpoint says ${asked}.`,
      'Leave out --endpoint, or give the URL without its last part.',
    )
  }
  const endpoint = named ?? asked ?? 'chat'
  // A full path is taken at its word; only a base may need its version.
  const root = named === undefined ? withVersion(url, base) : base
  const { authorization, secrets } = authorizationOf(url)
  const at = (path: string): string => `${url.protocol}//${url.host}${path}${url.search}`
  const deployment = /\/deployments\/([^/]+)$/.exec(root)?.[1]
  const values = [...url.searchParams]
    .filter(([key]) => !OPEN_QUERY_KEYS.has(key.toLowerCase()))
    .map(([, value]) => value)
  return {
    url: at(`${root}${PATHS[endpoint]}`),
    ...(deployment === undefined ? { modelsUrl: at(`${root}/models`) } : { deployment }),
    endpoint,
    ...(authorization === undefined ? {} : { authorization }),
    secrets: [...secrets, ...values.filter((value) => value !== '')],
    shown: shownUrl(at(`${root}${PATHS[endpoint]}`)),
  }
}
