import { TwospeedError } from '../../core/index.ts'
import type { Address } from './target.ts'

export interface Credentials {
  /** Sent with every request; names in small letters. */
  readonly headers: Readonly<Record<string, string>>
  /** What must never be printed or stored: keys, header values, parts of the URL. */
  readonly secrets: readonly string[]
  /** The API key is among the headers. */
  readonly sendsKey: boolean
}

/**
 * Set by the protocol or by twospeed itself: another value would break the framing or the join with a server's log, or have the server
 * wait for a word or change the protocol.
 */
const RESERVED: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'content-type',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-request-id',
])

const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/

// No message here repeats a value: it is a secret.
function parseHeader(text: string): readonly [name: string, value: string] {
  const colon = text.indexOf(':')
  const name = text.slice(0, Math.max(0, colon)).trim().toLowerCase()
  const value = text.slice(colon + 1).trim()
  const hint = "Give it as --header 'Name: value'."
  if (!TOKEN.test(name)) throw new TwospeedError('INVALID_VALUE', 'A --header has no name before a colon.', hint)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a header must not hold
  if (value === '' || /[\x00-\x08\x0a-\x1f\x7f]|[^\x00-\xff]/.test(value)) {
    throw new TwospeedError('INVALID_VALUE', `The value of --header ${name} is empty or no header can hold it.`, hint)
  }
  if (RESERVED.has(name)) {
    throw new TwospeedError(
      'INVALID_VALUE',
      `The header ${name} is twospeed's own to set or to leave out.`,
      'Leave it out.',
    )
  }
  return [name, value]
}

/** Azure deployments take a key in a header of their own; everybody else as a bearer. */
function keyHeader(address: Address, apiKey: string): Readonly<Record<string, string>> {
  return address.deployment === undefined ? { authorization: `Bearer ${apiKey}` } : { 'api-key': apiKey }
}

/**
 * The headers that say who asks. A header given by name wins over userinfo in the URL, and that over the key.
 *
 * @throws TwospeedError `INVALID_VALUE`, `DUPLICATE_FLAG`
 */
export function createCredentials(
  address: Address,
  apiKey: string | undefined,
  given: readonly string[] = [],
): Credentials {
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TwospeedError(
      'INVALID_VALUE',
      'The API key is empty or holds what no key does, such as a blank or a line end.',
      'Give a file that holds the key alone.',
    )
  }
  const named = given.map(parseHeader)
  for (const [index, [name]] of named.entries()) {
    if (named.findIndex(([other]) => other === name) !== index) {
      throw new TwospeedError('DUPLICATE_FLAG', `The header ${name} is given twice.`, 'Give it once.')
    }
  }
  const key = apiKey === undefined ? {} : keyHeader(address, apiKey)
  const headers: Readonly<Record<string, string>> = {
    ...key,
    ...(address.authorization === undefined ? {} : { authorization: address.authorization }),
    ...Object.fromEntries(named),
  }
  return {
    headers,
    sendsKey: Object.entries(key).some(([name, value]) => headers[name] === value),
    secrets: [...(apiKey === undefined ? [] : [apiKey]), ...named.map(([, value]) => value), ...address.secrets],
  }
}
