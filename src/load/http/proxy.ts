import { TwospeedError } from '../../core/index.ts'

export interface HttpProxy {
  /** Without its password in anything that is shown: use `origin`. */
  readonly url: URL
  readonly authorization: Readonly<Record<string, string>>
}

/** The proxy that the environment names for a target. Throws INVALID_VALUE where its address is none. */
export function proxyFor(
  target: URL,
  environment: Readonly<Record<string, string | undefined>>,
): HttpProxy | undefined {
  const get = (name: string): string => environment[name.toLowerCase()] ?? environment[name] ?? ''
  const name = target.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const address = get(name)
  if (address === '' || isExempt(target, get('NO_PROXY'))) return undefined
  const text = address.includes('://') ? address : `http://${address}`
  if (!URL.canParse(text) || !/^https?:/i.test(text)) {
    // The address is not repeated: it may hold a password.
    throw new TwospeedError('INVALID_VALUE', `${name} is no address of an HTTP proxy.`, 'Give it as http://host:port.')
  }
  const url = new URL(text)
  return { url, authorization: authorizationOf(url) }
}

function authorizationOf({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '') return {}
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` }
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
