import { type ErrorCode, type RequestFault, TwospeedError } from '../../core/index.ts'
import { NOT_HTTP } from '../http/failure.ts'

/** The codes that a target that is still starting may give; waiting can help. */
const PASSING: ReadonlySet<ErrorCode> = new Set(['TARGET_UNREACHABLE', 'TARGET_FAILED', 'NO_ANSWER'])
export const mayPass = (error: unknown): boolean => error instanceof TwospeedError && PASSING.has(error.code)

const NOT_THERE = /not (be )?found|not exist|unknown|no such|not available|invalid|unsupported|not supported/i
const LACKS_MODEL =
  /(\bmodel|deployment)\b.{0,120}(not (be )?found|not exist|unknown|not available)|(unknown|invalid|no such|not a valid) model/i

/** Does the server say that it has no such model? Most say so with 404, some with 400. */
const lacksModel = ({ status, message }: RequestFault): boolean =>
  (status === 404 && /\bmodel|deployment/i.test(message)) || (status === 400 && LACKS_MODEL.test(message))

/** OpenSSL wraps its reason in numbers and file names. */
const plain = (text: string): string => text.trim().replace(/^\S*error:[\dA-F]+:[^:]*:[^:]*:([^:]+):.*$/s, '$1')

const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`)

function ofStatus(fault: RequestFault, shown: string): TwospeedError {
  const { status = 0, message } = fault
  const said = `${shown}: ${sentence(message)}`
  if (status === 401 || status === 403) {
    return new TwospeedError(
      'TARGET_UNAUTHORIZED',
      said,
      "Give a key with --api-key-file or OPENAI_API_KEY, or with --header 'Name: value'.",
    )
  }
  if (lacksModel(fault)) {
    return new TwospeedError('MODEL_NOT_FOUND', said, 'Name one that GET /models lists, with --model.')
  }
  if (status === 429 || status >= 500) {
    return new TwospeedError(
      'TARGET_FAILED',
      said,
      'Look at the server and its limits; --wait 10m waits for one that is still loading.',
    )
  }
  if (/\bstream(ing)?\b/i.test(message) && !/stream_options/i.test(message) && NOT_THERE.test(message)) {
    return new TwospeedError('NOT_STREAMING', said, 'Only streamed answers show both speeds: turn streaming on.')
  }
  if (status >= 300 && status < 400) {
    return new TwospeedError('TARGET_REFUSED', said, 'Redirects are not followed: give the URL that it leads to.')
  }
  const hint =
    status === 404 || status === 405
      ? 'Is the path right? Give the base that ends in /v1, or the full path of the endpoint.'
      : 'The server refuses such a request: try other lengths, --endpoint or --model.'
  return new TwospeedError('TARGET_REFUSED', said, hint)
}

/** The server heeds no limit, by whatever name. */
export function endlessError(tokens: number, asked: number, shown: string): TwospeedError {
  return new TwospeedError(
    'LIMIT_IGNORED',
    `${shown}: it goes on beyond the length asked for: ${asked} tokens were asked for, ${tokens} had come when it was cut off.`,
    'Give with --output-tokens a length at which its answers end by themselves; a limit of its own may be set at the server.',
  )
}

/** What a request's failure means for the person who asked for a measurement: an error with a code, in which `shown` names the target. */
export function targetError(fault: RequestFault, shown: string): TwospeedError {
  const said = `${shown}: ${sentence(plain(fault.message))}`
  if (fault.message.includes(NOT_HTTP)) {
    return new TwospeedError(
      'NOT_HTTP',
      said,
      'Is it the right port? A server that speaks only TLS or HTTP/2 answers http:// like that: try https://.',
    )
  }
  switch (fault.kind) {
    case 'http':
      return ofStatus(fault, shown)
    case 'connect':
      return new TwospeedError(
        'TARGET_UNREACHABLE',
        said,
        'Is the server running, and are scheme, host, port and proxy right? --wait 10m waits for it.',
      )
    case 'tls':
      return new TwospeedError(
        'TARGET_TLS',
        said,
        'Trust its authority with --ca FILE; a server without TLS needs http:// before its name.',
      )
    case 'timeout':
      return new TwospeedError(
        'NO_ANSWER',
        said,
        'Look at the server; --first-token-timeout, --idle-timeout and --request-timeout set how long is waited.',
      )
    case 'empty':
      return new TwospeedError(
        'NO_ANSWER',
        said,
        'A model that thinks out of sight may need more --output-tokens before a word is seen.',
      )
    case 'notStreaming':
      return new TwospeedError('NOT_STREAMING', said, 'Only streamed answers show both speeds: turn streaming on.')
    case 'reset':
    case 'truncated':
    case 'malformed':
    case 'server':
      return new TwospeedError('TARGET_FAILED', said, 'Look at the log of the server.')
  }
}
