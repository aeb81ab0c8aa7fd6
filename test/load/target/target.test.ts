import { describe, expect, it } from 'vitest'
import { TwospeedError } from '../../../src/core/index.ts'
import { parseTarget } from '../../../src/load/target/target.ts'

const codeOf = (run: () => unknown): string | undefined => {
  try {
    run()
  } catch (error) {
    if (error instanceof TwospeedError) return error.code
    throw error
  }
  return undefined
}

describe('a target as people paste it', () => {
  it.each([
    ['localhost', 'http://localhost/v1/chat/completions'],
    ['localhost:8000', 'http://localhost:8000/v1/chat/completions'],
    ['http://localhost:8000/', 'http://localhost:8000/v1/chat/completions'],
    ['http://localhost:8000/v1', 'http://localhost:8000/v1/chat/completions'],
    ['http://localhost:8000/v1/', 'http://localhost:8000/v1/chat/completions'],
    ['  http://localhost:8000/v1/models ', 'http://localhost:8000/v1/chat/completions'],
    ['http://localhost:8000/v1/chat/completions', 'http://localhost:8000/v1/chat/completions'],
    ['http://localhost:8000/v1/completions', 'http://localhost:8000/v1/completions'],
    ['http://localhost:8000/v1/responses', 'http://localhost:8000/v1/responses'],
    ['192.168.1.7:8000', 'http://192.168.1.7:8000/v1/chat/completions'],
    ['203.0.113.9:8000', 'http://203.0.113.9:8000/v1/chat/completions'],
    ['[::1]:8000', 'http://[::1]:8000/v1/chat/completions'],
    ['gpu-box:8000', 'http://gpu-box:8000/v1/chat/completions'],
    ['box.local:8000', 'http://box.local:8000/v1/chat/completions'],
    ['example.com', 'https://example.com/v1/chat/completions'],
    ['api.example.com/v1', 'https://api.example.com/v1/chat/completions'],
    ['https://example.com/llm', 'https://example.com/llm/v1/chat/completions'],
    ['https://example.com/v1beta/openai', 'https://example.com/v1beta/openai/chat/completions'],
    ['https://example.com/openai/chat/completions', 'https://example.com/openai/chat/completions'],
    ['https://x.openai.azure.com', 'https://x.openai.azure.com/openai/v1/chat/completions'],
    ['http://localhost:8000/v1#top', 'http://localhost:8000/v1/chat/completions'],
  ])('%s → %s', (text, url) => {
    expect(parseTarget(text).url).toBe(url)
  })

  it('takes the endpoint from the path, else from the flag, else chat', () => {
    expect(parseTarget('localhost:1/v1/completions').endpoint).toBe('completions')
    expect(parseTarget('localhost:1', 'completions').url).toBe('http://localhost:1/v1/completions')
    expect(parseTarget('localhost:1').endpoint).toBe('chat')
    expect(codeOf(() => parseTarget('localhost:1/v1/completions', 'chat'))).toBe('CONFLICTING_FLAGS')
    expect(codeOf(() => parseTarget('localhost:1/v1/completions', 'completions'))).toBeUndefined()
    expect(parseTarget('localhost:1', 'responses').url).toBe('http://localhost:1/v1/responses')
    expect(parseTarget('localhost:1/v1/responses')).toMatchObject({
      endpoint: 'responses',
      modelsUrl: 'http://localhost:1/v1/models',
    })
    expect(codeOf(() => parseTarget('localhost:1/v1/responses', 'chat'))).toBe('CONFLICTING_FLAGS')
  })

  it('keeps an Azure path with its version, asks for no list of models, and knows the deployment', () => {
    const base = 'https://x.openai.azure.com/openai/deployments/gpt-4o'
    for (const text of [`${base}?api-version=2024-10-21`, `${base}/chat/completions?api-version=2024-10-21`]) {
      const address = parseTarget(text)
      expect(address.url).toBe(`${base}/chat/completions?api-version=2024-10-21`)
      expect(address.shown).toBe(address.url)
      expect(address.modelsUrl).toBeUndefined()
      expect(address.deployment).toBe('gpt-4o')
      expect(address.secrets).toEqual([])
    }
  })

  it('lists models under the same base and query', () => {
    expect(parseTarget('http://h:1/W101/v1/chat/completions?key=k9').modelsUrl).toBe('http://h:1/W101/v1/models?key=k9')
  })

  it('turns userinfo into a header, and shows neither it nor the values of the query', () => {
    const address = parseTarget('https://ann:p%40ss@example.com/v1?api_key=sekret&api-version=3')
    expect(address.authorization).toBe(`Basic ${Buffer.from('ann:p@ss').toString('base64')}`)
    expect(address.url).toBe('https://example.com/v1/chat/completions?api_key=sekret&api-version=3')
    expect(address.shown).toBe('https://example.com/v1/chat/completions?api_key=redacted&api-version=3')
    expect(address.secrets).toEqual(expect.arrayContaining(['ann', 'p@ss', 'p%40ss', 'sekret']))
    expect(address.secrets).not.toContain('3')
  })

  it.each([
    ['ftp://example.com', 'INVALID_VALUE'],
    ['http://', 'INVALID_VALUE'],
    ['', 'INVALID_VALUE'],
    ['http://exa mple.com', 'INVALID_VALUE'],
    ['http://localhost:99999', 'INVALID_VALUE'],
    ['http://a:%zz@localhost', 'INVALID_VALUE'],
  ])('refuses %s', (text, code) => {
    expect(codeOf(() => parseTarget(text))).toBe(code)
  })

  it('never repeats what it refuses, for it may hold a password', () => {
    expect(() => parseTarget('http://ann:hunter2@exa mple')).toThrow(/^(?!.*hunter2)/)
  })
})
