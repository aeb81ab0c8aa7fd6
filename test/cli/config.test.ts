import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { configJsonSchema, readConfig } from '../../src/cli/config.ts'
import { measureCommand } from '../../src/cli/measure.ts'
import { TwospeedError } from '../../src/core/index.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'twospeed-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const read = (yaml: string) => {
  const path = join(folder, 'run.yaml')
  writeFileSync(path, yaml)
  return readConfig(path)
}

const problemOf = (yaml: string): string => {
  try {
    read(yaml)
  } catch (error) {
    if (error instanceof TwospeedError && error.code === 'INVALID_CONFIG') return error.message
    throw error
  }
  return 'none'
}

describe('a config file that is none', () => {
  it('is refused shortly when it is binary: a few problems, no control characters', () => {
    const noise = Array.from({ length: 2000 }, (_, i) => `\u001b[31m[${i}: "\u0000`).join('\n')
    const problem = problemOf(noise)
    expect(problem).not.toBe('none')
    expect(problem).not.toMatch(/\p{Cc}/u)
    expect(problem.length).toBeLessThan(3000)
  })

  it('is refused when it is huge, without being parsed', () => {
    expect(problemOf(`# ${'x'.repeat(3e6)}\nseed: 1`)).toContain('far too long')
    expect(read(`# ${'x'.repeat(5e4)}\nseed: 1`)).toEqual({ seed: 1 })
  })

  it('is refused when its aliases unfold without end', () => {
    const nine = (what: string) => `[${Array.from({ length: 9 }, () => what).join()}]`
    const lines = ['a: &a0 [x]', ...[1, 2, 3, 4, 5, 6].map((i) => `k${i}: &a${i} ${nine(`*a${i - 1}`)}`)]
    expect(problemOf(lines.join('\n'))).toContain('alias')
  })
})

describe('a configuration', () => {
  it('gives durations in seconds and one load as a list', () => {
    expect(read('url: http://h:1\nconcurrency: 4\nduration: 500ms\nwait: 10m\npreflight: false\n')).toEqual({
      url: 'http://h:1',
      concurrency: [4],
      duration: 0.5,
      wait: 600,
      preflight: false,
    })
    expect(read('concurrency: [1, 2]')).toEqual({ concurrency: [1, 2] })
    expect(read('')).toEqual({})
    expect(read('{"inputTokens": 5}')).toEqual({ inputTokens: 5 })
  })

  it('tells all problems at once, with their lines', () => {
    const problem = problemOf('url: http://h:1\ninputTokns: 5\nduration: 30\nconcurrency: [1, 0]\n\ngpus: two\n')
    for (const part of [
      'line 2: inputTokns: no such key',
      'line 3: duration: a duration with its unit',
      'line 4: concurrency',
      'line 6: gpus',
    ]) {
      expect(problem).toContain(part)
    }
  })

  it('names the key that a flag or another spelling means', () => {
    expect(problemOf('url: http://h:1\ntime-limit: 5m\nInput_Tokens: 5\n')).toMatch(
      /line 2: time-limit: no such key; it is timeLimit; line 3: Input_Tokens: no such key; it is inputTokens/,
    )
    expect(problemOf('time: 5m\n')).toMatch(/time: no such key\.$/)
  })

  it.each([
    ['a key twice', 'gpus: 1\ngpus: 2\n', 'line 2'],
    ['no YAML', 'a: [1\n', 'line'],
    ['a list', '- 1\n', 'the file'],
    ['a number where a name belongs', 'model: 5\n', 'line 1: model'],
    ['a unit that is none', 'duration: 5 parsecs\n', 'line 1: duration'],
    ['no time at all', 'duration: 0s\n', 'line 1: duration'],
    ['NaN', 'floor: .nan\n', 'line 1: floor'],
  ])('refuses %s', (_, yaml, part) => {
    expect(problemOf(yaml)).toContain(part)
  })

  it('is not readable where there is no file', () => {
    expect(() => readConfig(join(folder, 'none.yaml'))).toThrowError(
      expect.objectContaining({ code: 'FILE_NOT_READABLE' }),
    )
  })

  it('has a key for every flag of measure, and no other', () => {
    const { properties } = configJsonSchema() as { properties: object }
    const flags = measureCommand().options.map((option) => option.attributeName())
    const outside = ['config', 'json']
    expect(Object.keys(properties).sort()).toEqual(['url', ...flags.filter((name) => !outside.includes(name))].sort())
  })

  it('is shown by an example that holds', () => {
    const path = new URL('../../examples/run.yaml', import.meta.url).pathname
    expect(readFileSync(path, 'utf8')).toContain('url:')
    expect(readConfig(path)).toMatchObject({ concurrency: [1, 4, 16], inputTokens: 512 })
  })
})
