import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkOptions } from '../../../src/load/check-options.ts'
import type { MeasureOptions } from '../../../src/load/options.ts'
import { readSource, triedLengths, workloadOf } from '../../../src/load/work/source.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'twospeed-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const file = (name: string, lines: readonly (string | object)[]): string => {
  const path = join(folder, name)
  writeFileSync(path, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'))
  return path
}

const given = (more: Partial<MeasureOptions>): MeasureOptions => ({ url: 'http://127.0.0.1:1', ...more })
const failure = (action: () => unknown): unknown => {
  try {
    action()
  } catch (error) {
    return error
  }
  return undefined
}

const read = (more: Partial<MeasureOptions>, endpoint: 'chat' | 'completions' | 'responses' = 'chat') => {
  const notes: string[] = []
  const options = given(more)
  checkOptions(options)
  const source = readSource(options, endpoint, (text) => notes.push(text))
  return { source, notes, tried: triedLengths(source), workload: workloadOf(source, options) }
}

describe('what a run says it was asked', () => {
  it('is plain numbers where lengths are, 512 and 128 where nothing is said', () => {
    expect(read({}).workload).toEqual({ inputTokens: 512, outputTokens: 128 })
    expect(read({ inputTokens: 20, outputTokens: '4' }).workload).toEqual({ inputTokens: 20, outputTokens: 4 })
  })

  it('is the distribution as given, and its mean', () => {
    expect(read({ inputTokens: 'lognormal:400,0.6', outputTokens: 9 })).toMatchObject({
      tried: { inputTokens: 479, outputTokens: 9 },
      workload: { inputTokens: 'lognormal:400,0.6', outputTokens: 9, meanInputTokens: 479, meanOutputTokens: 9 },
    })
  })

  it('does not change what a preflight tries, but for lengths that would show nothing of others', () => {
    expect(read({ inputTokens: 20 }).tried.inputTokens).toBe(20)
    expect(read({ inputTokens: 20, turns: 2 }).tried.inputTokens).toBe(128)
    expect(read({ inputTokens: 'uniform:10-30' }).tried.inputTokens).toBe(128)
    expect(read({ inputTokens: 'uniform:100-300' }).tried.inputTokens).toBe(200)
  })

  it('is the file of pairs, and how many there are', () => {
    const lengths = file('pairs.csv', ['input,output', '100,10', '300,20'])
    expect(read({ lengths }).workload).toEqual({ lengths, pairs: 2, meanInputTokens: 200, meanOutputTokens: 15 })
  })

  it('is the prefixes and the turns', () => {
    expect(read({ prefixShare: 0.5, prefixes: 8, turns: 4 }).workload).toEqual({
      inputTokens: 512,
      outputTokens: 128,
      prefixShare: 0.5,
      prefixes: 8,
      turns: 4,
    })
  })

  it('is the trace, its speed-up and its size', () => {
    const path = file('trace.jsonl', [
      { atS: 0, inputTokens: 10, outputTokens: 2 },
      { atS: 1, inputTokens: 30, outputTokens: 4 },
    ])
    const { workload } = read({ trace: { path, speedup: 2 } })
    expect(workload).toEqual({ trace: { path, speedup: 2, requests: 2, meanInputTokens: 20, meanOutputTokens: 3 } })
  })

  it('is the file of prompts, which repeat', () => {
    const prompts = file('prompts.jsonl', [{ prompt: 'a' }, { prompt: 'b' }, { prompt: 'c' }])
    const { workload, notes } = read({ prompts })
    expect(workload).toEqual({ prompts, promptCount: 3 })
    expect(notes.join()).toContain('3 prompts of')
    expect(notes.join()).toContain('a server that caches prompts then has them already')
  })
})

describe('refused', () => {
  it.each<[string, string, Partial<MeasureOptions>]>([
    ['a length that is none', 'INVALID_VALUE', { inputTokens: 0 }],
    ['a distribution that is none', 'INVALID_VALUE', { outputTokens: 'uniform:5' }],
    ['half a turn', 'INVALID_VALUE', { turns: 0.5 }],
    ['prompts that share all they are', 'INVALID_VALUE', { prefixShare: 1 }],
    ['a trace at no speed', 'INVALID_VALUE', { trace: { path: 'x', speedup: 0 } }],
    ['a negative temperature', 'INVALID_VALUE', { temperature: -1 }],
    ['a top-p of 0', 'INVALID_VALUE', { topP: 0 }],
    ['prefixes without a share', 'CONFLICTING_FLAGS', { prefixes: 8 }],
    ['a trace and lengths', 'CONFLICTING_FLAGS', { trace: { path: 'x' }, inputTokens: 5 }],
    ['a trace and prompts', 'CONFLICTING_FLAGS', { trace: { path: 'x' }, prompts: 'y' }],
    ['a trace and turns', 'CONFLICTING_FLAGS', { trace: { path: 'x' }, turns: 2 }],
    ['prompts and a length for them', 'CONFLICTING_FLAGS', { prompts: 'x', inputTokens: 5 }],
    ['prompts and a shared beginning', 'CONFLICTING_FLAGS', { prompts: 'x', prefixShare: 0.5 }],
    ['pairs and a length', 'CONFLICTING_FLAGS', { lengths: 'x', outputTokens: 5 }],
    ['turns in an open loop', 'CONFLICTING_FLAGS', { turns: 2, rates: [5] }],
    ['a model in the extra body', 'CONFLICTING_FLAGS', { extraBody: { model: 'x' } }],
    ['a limit in the extra body', 'CONFLICTING_FLAGS', { extraBody: { max_tokens: 5 } }],
    ['a temperature twice', 'CONFLICTING_FLAGS', { temperature: 1, extraBody: { temperature: 1 } }],
    ['a file that is not there', 'FILE_NOT_READABLE', { prompts: '/nowhere' }],
  ])('%s', (_, code, more) => {
    expect(failure(() => read(more))).toMatchObject({ code })
  })

  it('a length of answers for whole requests, but not where one has no length of its own', () => {
    const whole = { messages: [{ role: 'user', content: 'a' }], max_tokens: 5 }
    const prompts = file('whole.jsonl', [whole, whole])
    expect(failure(() => read({ prompts, outputTokens: 9 }))).toMatchObject({ code: 'CONFLICTING_FLAGS' })
    expect(read({ prompts }).source).toMatchObject({ kind: 'own' })
    const mixed = file('mixed.jsonl', [whole, { prompt: 'a' }])
    expect(read({ prompts: mixed, outputTokens: 9 }).source).toMatchObject({ output: { kind: 'fixed', tokens: 9 } })
  })

  it('requests for another endpoint, and the right one is named', () => {
    const chat = file('chat.jsonl', [{ messages: [{ role: 'user', content: 'a' }], max_tokens: 5 }])
    expect(failure(() => read({ prompts: chat }, 'completions'))).toMatchObject({
      code: 'CONFLICTING_FLAGS',
      hint: expect.stringContaining('--endpoint chat'),
    })
    expect(read({ prompts: chat }).source).toMatchObject({ kind: 'own' })
    const trace = { path: file('bodies.jsonl', [{ atS: 0, body: { prompt: 'a' } }]) }
    expect(failure(() => read({ trace }))).toMatchObject({ hint: expect.stringContaining('--endpoint completions') })
    expect(read({ trace }, 'completions').source).toMatchObject({ kind: 'trace' })
  })

  it('turns of prompts that are no conversations', () => {
    const prompts = file('single.jsonl', [{ prompt: 'a' }])
    expect(failure(() => read({ prompts, turns: 2 }))).toMatchObject({ code: 'CONFLICTING_FLAGS' })
    const talks = file('talks.json', [[{ conversations: [{ from: 'human', value: 'hi' }] }]])
    expect(read({ prompts: talks, turns: 2 }).workload).toEqual({ prompts: talks, promptCount: 1, turns: 2 })
  })

  it('completions without a limit, which would end after 16 tokens', () => {
    const prompts = file('single.jsonl', [{ prompt: 'a' }])
    expect(failure(() => read({ prompts }, 'completions'))).toMatchObject({ code: 'MISSING_VALUE' })
    expect(read({ prompts, outputTokens: 9 }, 'completions').workload).toMatchObject({ outputTokens: 9 })
  })
})
