import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadTokenizer } from '../../../src/load/counting/tokenizer.ts'

// Bytes are tokens, and so are " word", "word", " sto", "sto" and "ry"; a text begins with a special token.
const fixture = fileURLToPath(new URL('../../fixtures/tokenizer', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'twospeed-tokenizer-'))
beforeAll(() => {
  writeFileSync(join(folder, 'words.txt'), 'no JSON')
  writeFileSync(join(folder, 'null.json'), 'null')
  writeFileSync(join(folder, 'other.json'), '{"model": {"type": "none that is known"}}')
  writeFileSync(join(folder, 'config.json'), '{"hidden_size": 64}')
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('a tokenizer', () => {
  it.each([fixture, join(fixture, 'tokenizer.json')])('is loaded from %s', async (path) => {
    const count = await loadTokenizer(path)
    expect(count(' word')).toBe(1)
  })

  it.each([
    ['', 0],
    ['word', 1],
    ['word word word', 3],
    [' story', 2],
    ['abc', 3],
    ['é', 2],
    ['😀', 4],
    ['word\n\n story', 5],
    // The one that a text would begin with is not counted unless it stands there.
    ['<|begin|>word', 2],
  ])('counts %j', async (text, tokens) => {
    expect((await loadTokenizer(fixture))(text)).toBe(tokens)
  })

  it.each([
    ['a file that is not there', join(folder, 'none.json'), 'FILE_NOT_READABLE'],
    ['a folder without one', folder, 'FILE_NOT_READABLE'],
    ['no JSON', join(folder, 'words.txt'), 'INVALID_VALUE'],
    ['JSON of nothing', join(folder, 'null.json'), 'INVALID_VALUE'],
    ['a kind that is not known', join(folder, 'other.json'), 'INVALID_VALUE'],
    ['the configuration of a model', join(folder, 'config.json'), 'INVALID_VALUE'],
  ])('is refused: %s', async (_, path, code) => {
    await expect(loadTokenizer(path)).rejects.toMatchObject({ code, hint: expect.stringContaining('tokenizer.json') })
  })
})
