import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readGgufFileInfo } from 'node-llama-cpp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRandom } from '../../src/core/index.ts'
import { randomModelFile } from '../../src/serve/random-model.ts'
import { createVocabulary } from '../../src/serve/vocabulary.ts'
import { randomWeights } from '../../src/serve/weights.ts'
import { WORDS } from '../../src/serve/words.ts'
import { TINY } from './tiny.ts'

const folder = mkdtempSync(join(tmpdir(), 'twospeed-gguf-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('the file, as another reader sees it', () => {
  let path: string
  let info: Awaited<ReturnType<typeof readGgufFileInfo>>
  beforeAll(async () => {
    path = randomModelFile(TINY, folder)
    info = await readGgufFileInfo(path, { logWarnings: true })
  })

  test('is version 3, with the metadata that a llama has', () => {
    expect(info.version).toBe(3)
    expect(info.metadata.general).toMatchObject({ architecture: 'llama', file_type: 2 })
    expect((info.metadata as unknown as Record<string, unknown>).llama).toMatchObject({
      embedding_length: TINY.embedding,
      block_count: TINY.layers,
      attention: { head_count: TINY.heads, head_count_kv: TINY.kvHeads },
      feed_forward_length: TINY.feedForward,
      context_length: TINY.contextTokens,
      vocab_size: createVocabulary().tokens.length,
    })
    expect(info.metadata.tokenizer.ggml).toMatchObject({
      model: 'gpt2',
      pre: 'llama-bpe',
      bos_token_id: 0,
      eos_token_id: 1,
    })
    expect(info.metadata.tokenizer.ggml.tokens).toEqual(createVocabulary().tokens)
  })

  test('holds every tensor, one after the other up to the end of the file', () => {
    const tensors = info.fullTensorInfo ?? []
    expect(tensors).toHaveLength(3 + 9 * TINY.layers)
    const shape = (name: string): number[] => tensors.find((each) => each.name === name)?.dimensions.map(Number) ?? []
    expect(shape('blk.1.ffn_down.weight')).toEqual([TINY.feedForward, TINY.embedding])
    expect(shape('blk.0.attn_k.weight')).toEqual([TINY.embedding, (TINY.embedding / TINY.heads) * TINY.kvHeads])
    expect(shape('output.weight')).toEqual([TINY.embedding, createVocabulary().tokens.length])
    const bytes = (type: number, count: number): number => (type === 0 ? count * 4 : (count / 32) * 18)
    let offset = 0
    for (const { dimensions, ggmlType, offset: at } of tensors) {
      expect(Number(at)).toBe(offset)
      const size = bytes(
        ggmlType,
        dimensions.reduce<number>((product, n) => product * Number(n), 1),
      )
      offset += Math.ceil(size / 32) * 32
    }
    const head = Number(info.metadataSize) + Number(info.tensorInfoSize ?? 0)
    expect(statSync(path).size).toBe(Math.ceil(head / 32) * 32 + offset)
  })

  test('is made once, byte for byte the same, and another for another model', () => {
    const before = statSync(path)
    expect(randomModelFile(TINY, folder)).toBe(path)
    expect(statSync(path).mtimeMs).toBe(before.mtimeMs)
    const elsewhere = join(folder, 'again')
    expect(readFileSync(randomModelFile(TINY, elsewhere))).toEqual(readFileSync(path))
    expect(randomModelFile({ ...TINY, seed: 2 }, folder)).not.toBe(path)
    expect(readdirSync(folder).filter((name) => !/^(random-[0-9a-f]{12}\.gguf|again)$/.test(name))).toEqual([])
  })
})

describe('weights', () => {
  const half = (bits: number): number => {
    const sign = bits & 0x8000 ? -1 : 1
    const [exponent, mantissa] = [(bits >> 10) & 31, bits & 1023]
    return sign * (exponent === 0 ? mantissa * 2 ** -24 : (1 + mantissa / 1024) * 2 ** (exponent - 15))
  }
  const u16 = (bytes: Uint8Array, at: number): number => (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8)
  const decode = {
    Q4_0: (bytes: Uint8Array) =>
      blocks(bytes, 18).flatMap((block) => {
        const scale = half(u16(block, 0))
        const quants = [...block.subarray(2)]
        return [...quants.map((byte) => byte & 15), ...quants.map((byte) => byte >> 4)].map((q) => (q - 8) * scale)
      }),
    Q8_0: (bytes: Uint8Array) =>
      blocks(bytes, 34).flatMap((block) =>
        [...block.subarray(2)].map((byte) => (byte > 127 ? byte - 256 : byte) * half(u16(block, 0))),
      ),
    F32: (bytes: Uint8Array) => [...new Float32Array(bytes.buffer)],
    F16: (bytes: Uint8Array) => blocks(bytes, 2).map((pair) => half(u16(pair, 0))),
  }
  const blocks = (bytes: Uint8Array, size: number): Uint8Array[] =>
    Array.from({ length: bytes.length / size }, (_, index) => bytes.subarray(index * size, (index + 1) * size))

  test.each(['Q4_0', 'Q8_0', 'F16', 'F32'] as const)('of type %s have mean 0 and the deviation asked for', (type) => {
    const bytes = randomWeights({ type, shape: [256, 400], deviation: 0.036 }, createRandom(5))
    const values = decode[type](bytes)
    expect(values).toHaveLength(256 * 400)
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)
    expect(Math.abs(mean)).toBeLessThan(0.036 * 0.01)
    expect(deviation / 0.036).toBeCloseTo(1, 2)
  })

  test.each(['Q4_0', 'Q8_0', 'F16', 'F32'] as const)('of type %s are 0 outside the rows asked for', (type) => {
    const bytes = randomWeights({ type, shape: [64, 10], deviation: 1, rows: [3, 7] }, createRandom(5))
    const rows = Array.from({ length: 10 }, (_, row) => decode[type](bytes).slice(row * 64, (row + 1) * 64))
    expect(rows.map((row) => row.some((value) => value !== 0))).toEqual([
      false,
      false,
      false,
      true,
      true,
      true,
      true,
      false,
      false,
      false,
    ])
  })
})

describe('the vocabulary', () => {
  test('has no token twice, all bytes, and a length that kernels like', () => {
    const { tokens, types } = createVocabulary()
    expect(new Set(tokens).size).toBe(tokens.length)
    expect(tokens.length % 64).toBe(0)
    expect(types).toHaveLength(tokens.length)
    expect(types.filter((type) => type === 1).length).toBeGreaterThanOrEqual(256 + 2 * WORDS.length)
  })

  test('says words only', () => {
    const { tokens, said } = createVocabulary()
    expect(tokens.slice(...said)).toEqual(WORDS.map((word) => `Ġ${word}`))
  })

  test('of words in order, lower case, none twice', () => {
    expect([...new Set(WORDS)].sort()).toEqual(WORDS)
    expect(WORDS.filter((word) => !/^[a-z]+$/.test(word))).toEqual([])
  })
})
