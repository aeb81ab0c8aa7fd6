import { describe, expect, it } from 'vitest'
import { NOT_HTTP } from '../../../src/load/http/failure.ts'
import { bodyOf, type Dialect, plainDialect, retreat } from '../../../src/load/target/dialect.ts'
import { targetError } from '../../../src/load/target/target-fault.ts'

const full: Dialect = { ...plainDialect('chat', 'm'), ignoreEos: true, minTokens: true }
const http = (status: number, message: string) => ({ kind: 'http', status, message }) as const

describe('what a refusal takes away', () => {
  it.each([
    ['Unrecognized request argument supplied: ignore_eos', { ignoreEos: false }],
    ['Unrecognized request arguments supplied: ignore_eos, min_tokens', { ignoreEos: false, minTokens: false }],
    [
      '[{"type":"extra_forbidden","loc":["body","min_tokens"],"msg":"Extra inputs are not permitted"}]',
      { minTokens: false },
    ],
    ["property 'stream_options' is unsupported", { includeUsage: false }],
    ['Invalid JSON payload received. Unknown name "ignore_eos": Cannot find field.', { ignoreEos: false }],
    [
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      { limitField: 'max_completion_tokens' },
    ],
    ['max_tokens: Extra inputs are not permitted', { limitField: 'max_completion_tokens' }],
    // Says nothing: first the extensions go, which few servers take.
    ['Bad Request', { ignoreEos: false, minTokens: false }],
  ])('%s', (message, change) => {
    for (const status of [400, 422]) expect(retreat(full, http(status, message))).toEqual({ ...full, ...change })
  })

  it('gives up usage when nothing else is left, and then nothing', () => {
    const plain = plainDialect('chat', 'm')
    const bare = retreat(plain, http(400, 'Bad Request'))
    expect(bare).toEqual({ ...plain, includeUsage: false })
    expect(bare && retreat(bare, http(400, 'Bad Request'))).toBeUndefined()
  })

  it('takes from Responses what it names, and nothing where a length is too small', () => {
    const asked: Dialect = { ...plainDialect('responses', 'm'), ignoreEos: true }
    const { store: _, ...kept } = asked
    expect(retreat(asked, http(400, "Unknown parameter: 'ignore_eos'."))).toEqual({ ...asked, ignoreEos: false })
    expect(retreat(asked, http(422, 'store: Extra inputs are not permitted'))).toEqual(kept)
    expect(retreat(asked, http(400, "Invalid 'max_output_tokens': integer below minimum value."))).toBeUndefined()
    const plain = plainDialect('responses', 'm')
    expect(retreat(plain, http(400, 'Bad Request'))).toBeUndefined()
  })

  it.each([
    ['lengths', http(400, "This model's maximum context length is 100 tokens, max_tokens is too large")],
    ['the model', http(400, 'Model m does not exist')],
    ['the key', http(401, 'ignore_eos')],
    ['the server', http(500, 'ignore_eos')],
    ['a broken connection', { kind: 'reset', message: 'ignore_eos' } as const],
  ])('takes nothing away where it is about %s', (_, fault) => {
    expect(retreat(full, fault)).toBeUndefined()
  })

  it('always ends', () => {
    let dialect: Dialect | undefined = full
    let steps = 0
    while (dialect !== undefined && steps < 20) {
      dialect = retreat(dialect, http(400, 'max_tokens ignore_eos Bad Request unsupported'))
      steps++
    }
    expect(steps).toBeLessThan(6)
  })
})

describe('a body', () => {
  it('without a preflight holds only what every server takes', () => {
    expect(JSON.parse(bodyOf(plainDialect('completions', 'm'), 'a b', 5))).toEqual({
      model: 'm',
      prompt: 'a b',
      max_tokens: 5,
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  it('of Responses asks that the answer be not kept, and for no usage, which comes unasked', () => {
    expect(JSON.parse(bodyOf(plainDialect('responses', 'm'), 'a b', 5))).toEqual({
      model: 'm',
      input: 'a b',
      max_output_tokens: 5,
      store: false,
      stream: true,
    })
  })

  it('holds what the dialect says', () => {
    const dialect: Dialect = { ...full, limitField: 'max_completion_tokens', includeUsage: false }
    expect(JSON.parse(bodyOf(dialect, 'a b', 5))).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'a b' }],
      max_completion_tokens: 5,
      min_tokens: 5,
      ignore_eos: true,
      stream: true,
    })
  })
})

describe('what a failure means', () => {
  it.each([
    [{ kind: 'connect', message: 'connect ECONNREFUSED 127.0.0.1:1' }, 'TARGET_UNREACHABLE'],
    [{ kind: 'tls', message: 'self-signed certificate' }, 'TARGET_TLS'],
    [http(401, 'HTTP 401. No key'), 'TARGET_UNAUTHORIZED'],
    [http(403, 'HTTP 403.'), 'TARGET_UNAUTHORIZED'],
    [http(404, 'HTTP 404. The model `x` does not exist.'), 'MODEL_NOT_FOUND'],
    [http(404, 'HTTP 404. The API deployment for this resource does not exist.'), 'MODEL_NOT_FOUND'],
    [http(400, 'HTTP 400. model x not found'), 'MODEL_NOT_FOUND'],
    [http(400, 'HTTP 400. Invalid model name passed'), 'MODEL_NOT_FOUND'],
    [http(400, "HTTP 400. 'logprobs' is not supported with this model."), 'TARGET_REFUSED'],
    [http(400, "HTTP 400. This model's maximum context length is 100 tokens."), 'TARGET_REFUSED'],
    [http(400, 'HTTP 400. stream is not supported'), 'NOT_STREAMING'],
    [http(404, 'HTTP 404. Not Found'), 'TARGET_REFUSED'],
    [http(307, 'HTTP 307.'), 'TARGET_REFUSED'],
    [http(429, 'HTTP 429. Rate limit'), 'TARGET_FAILED'],
    [http(503, 'HTTP 503. Loading model'), 'TARGET_FAILED'],
    [{ kind: 'timeout', message: 'No token came within 1 ms.' }, 'NO_ANSWER'],
    [{ kind: 'empty', message: 'no token' }, 'NO_ANSWER'],
    [{ kind: 'notStreaming', message: 'a page' }, 'NOT_STREAMING'],
    [{ kind: 'reset', message: 'reset' }, 'TARGET_FAILED'],
    [{ kind: 'truncated', message: 'cut' }, 'TARGET_FAILED'],
    [{ kind: 'truncated', message: `Ended early. ${NOT_HTTP} It does not begin like HTTP/1.1.` }, 'NOT_HTTP'],
    [{ kind: 'malformed', message: 'bad' }, 'TARGET_FAILED'],
    [{ kind: 'server', message: 'overloaded' }, 'TARGET_FAILED'],
  ] as const)('%o is %s', (fault, code) => {
    const error = targetError(fault, 'http://h/v1')
    expect(error.code).toBe(code)
    expect(error.message).toContain('http://h/v1')
    expect(error.message).toContain(fault.message.replace(/\.$/, ''))
    expect(error.hint).not.toBe('')
  })
})
