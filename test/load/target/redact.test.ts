import { describe, expect, it } from 'vitest'
import { createCredentials } from '../../../src/load/target/credentials.ts'
import { createRedactor } from '../../../src/load/target/redact.ts'
import { parseTarget } from '../../../src/load/target/target.ts'

const key = 'sk-proj-4f9QmZ81xTtB7cLw2RkV'

describe('redaction', () => {
  const redact = createRedactor([key])
  it.each([
    ['as it is', `bad key ${key}.`],
    ['percent-encoded', `bad key ${encodeURIComponent(`${key}`)}`],
    ['in base64', `bad key ${Buffer.from(key).toString('base64')}`],
    ['cut off', `bad key ${key.slice(0, 14)}`],
    ['cut off at both ends', `bad key ${key.slice(5, 18)}`],
    ['with an ellipsis', `bad key ${key.slice(0, 9)}…`],
    ['masked by the server', `Incorrect API key provided: ${key.slice(0, 7)}*******${key.slice(-4)}. Find it.`],
    ['masked with few characters', `key sk-p***${key.slice(-3)}`],
    ['masked in dots', `key ${key.slice(0, 3)}...${key.slice(-4)} unknown`],
  ])('blanks a key %s', (_, text) => {
    const shown = redact(text)
    expect(shown).toContain('[redacted]')
    for (let at = 0; at + 5 <= key.length; at++) expect(shown).not.toContain(key.slice(at, at + 5))
    expect(shown).not.toContain(key.slice(-4))
  })

  it('leaves what is no secret', () => {
    const text = 'model sk-learn says ...wait: **bold** HTTP 401. application/json'
    expect(redact(text)).toBe(text)
    expect(createRedactor([])(key)).toBe(key)
  })

  it('blanks the key alone of a header that holds a scheme too', () => {
    expect(createRedactor([`Bearer ${key}`])(`token ${key} is bad`)).toBe('token [redacted] is bad')
  })

  it('blanks words of an ordinary value only as a whole, short ones only as words', () => {
    const words = createRedactor(['application/json', 'v7'])
    expect(words('application error')).toBe('application error')
    expect(words('got application/json')).toBe('got [redacted]')
    expect(words('rev7 of v7')).toBe('rev7 of [redacted]')
  })

  it('blanks a word like others only where it stands as one', () => {
    const words = createRedactor(['user', 'user:hunter7', 'hunter7'])
    expect(words('stopped at 4 users: user user:hunter7')).toBe('stopped at 4 users: [redacted] [redacted]')
    // What is no such word goes wherever it stands.
    expect(words('xhunter7x')).toBe('x[redacted]x')
  })

  it('takes linear time on a long text', () => {
    const started = performance.now()
    redact('a'.repeat(1_000_000))
    expect(performance.now() - started).toBeLessThan(2000)
  })
})

describe('credentials', () => {
  const address = parseTarget('http://localhost:1')
  it('sends a key as a bearer, to an Azure deployment as api-key', () => {
    expect(createCredentials(address, key).headers).toEqual({ authorization: `Bearer ${key}` })
    const azure = parseTarget('https://x.openai.azure.com/openai/deployments/d?api-version=1')
    expect(createCredentials(azure, key).headers).toEqual({ 'api-key': key })
  })

  it('lets a header by name win over userinfo, and that over the key', () => {
    const named = parseTarget('http://ann:pw@localhost:1')
    expect(createCredentials(named, key).headers.authorization).toMatch(/^Basic /)
    expect(createCredentials(named, key, ['Authorization: Token t0']).headers.authorization).toBe('Token t0')
  })

  it('knows whether the key goes out', () => {
    expect(createCredentials(address, key).sendsKey).toBe(true)
    expect(createCredentials(address, key, ['X-Team: a']).sendsKey).toBe(true)
    expect(createCredentials(parseTarget('http://ann:pw@localhost:1'), key).sendsKey).toBe(false)
    expect(createCredentials(address, key, ['Authorization: Token t0']).sendsKey).toBe(false)
    expect(createCredentials(address, undefined).sendsKey).toBe(false)
  })

  it('counts every header value among the secrets', () => {
    const { headers, secrets } = createCredentials(address, undefined, ['X-Tenant: blue', 'X-Colon: a:b'])
    expect(headers).toEqual({ 'x-tenant': 'blue', 'x-colon': 'a:b' })
    expect(secrets).toEqual(expect.arrayContaining(['blue', 'a:b']))
  })

  it.each([
    ['no colon', ['swordfish']],
    ['no name', [': swordfish']],
    ['a line end in the value', ['X-A: swordfish\r\nX-B: 1']],
    ['no value', ['X-swordless:']],
    ['a header of the protocol', ['Content-Length: 99887766']],
    ['another protocol', ['Upgrade: swordfish']],
    ['a wait before the body', ['Expect: 100-swordfish']],
    ['the same twice', ['X-A: swordfish', 'x-a: swordfish']],
  ])('refuses a header with %s and does not repeat its value', (_, headers) => {
    expect(() => createCredentials(address, undefined, headers)).toThrow(/^(?!.*(swordfish|99887766))/s)
    expect(() => createCredentials(address, undefined, headers)).toThrow()
  })

  it('refuses a key with a line end inside, without repeating it', () => {
    expect(() => createCredentials(address, 'sword\nfish')).toThrow(/^(?!.*fish)/s)
    expect(() => createCredentials(address, '')).toThrow(/empty/)
  })
})
