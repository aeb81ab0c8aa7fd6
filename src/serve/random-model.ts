import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createRandom, TwospeedError } from '../core/index.ts'
import { type GgufTensor, type GgufValue, writeGguf } from './gguf.ts'
import { CHAT_TEMPLATE, createVocabulary, type Vocabulary } from './vocabulary.ts'
import { randomWeights, type Weights } from './weights.ts'

/** A llama-architecture model of random weights: it says nothing sensible, at the speed of a real one of its size. */
export interface RandomModel {
  readonly embedding: number
  readonly layers: number
  readonly heads: number
  readonly kvHeads: number
  readonly feedForward: number
  readonly type: Weights['type']
  readonly contextTokens: number
  readonly seed: number
}

/**
 * About 22 million weights of 32 bits. A step of one sequence is spent reading them from memory, once; each further sequence adds its
 * arithmetic only. So one thread of a laptop shows, at a speed that a person can follow, the trade of a GPU that decodes.
 * (4-bit weights are unpacked for each sequence anew, and the trade is dull: twice the tokens at 8 sequences, not three times.)
 */
export const RANDOM_MODEL: RandomModel = {
  embedding: 1024,
  layers: 2,
  heads: 16,
  kvHeads: 4,
  feedForward: 2048,
  type: 'F32',
  contextTokens: 8192,
  seed: 1,
}

/** A new number whenever the same `RandomModel` gives another file, so that no stale one is used. */
const FORMAT = 3

/** The model's file, made where it is not there yet: about a second. Throws FILE_NOT_WRITABLE. */
export function randomModelFile(model: RandomModel = RANDOM_MODEL, folder: string = cacheFolder()): string {
  const vocabulary = createVocabulary()
  const key = createHash('sha256')
    .update(JSON.stringify([FORMAT, model, vocabulary]))
    .digest('hex')
    .slice(0, 12)
  const path = join(folder, `random-${key}.gguf`)
  if (existsSync(path)) return path
  // Written beside and renamed: whoever else looks sees the whole file or none.
  const partial = `${path}.${process.pid}`
  try {
    mkdirSync(folder, { recursive: true })
    writeGguf(partial, metadata(model, vocabulary), tensors(model, vocabulary))
    renameSync(partial, path)
  } catch (error) {
    if (existsSync(partial)) rmSync(partial)
    const why = error instanceof Error ? error.message : String(error)
    throw new TwospeedError(
      'FILE_NOT_WRITABLE',
      `the model file cannot be made: ${why}`,
      `Name a folder with ${FOLDER}.`,
    )
  }
  return path
}

/** The environment's name for another cache folder than the user's. */
const FOLDER = 'TWOSPEED_CACHE'

function cacheFolder(): string {
  const { [FOLDER]: given, XDG_CACHE_HOME, LOCALAPPDATA } = process.env
  if (given !== undefined) return given
  if (process.platform === 'win32' && LOCALAPPDATA !== undefined) return join(LOCALAPPDATA, 'twospeed')
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'twospeed')
  return join(XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'twospeed')
}

const LOGIT_DEVIATION = 5

/** llama.cpp's `llama_ftype`. */
const FILE_TYPES: Readonly<Record<Weights['type'], number>> = { F32: 0, F16: 1, Q4_0: 2, Q8_0: 7 }

const uint32 = (value: number): GgufValue => ({ type: 'uint32', value })
const string = (value: string): GgufValue => ({ type: 'string', value })

function metadata(model: RandomModel, vocabulary: Vocabulary): Record<string, GgufValue> {
  const { embedding, layers, heads, kvHeads, feedForward, contextTokens } = model
  return {
    'general.architecture': string('llama'),
    'general.name': string('twospeed random'),
    'general.file_type': uint32(FILE_TYPES[model.type]),
    'general.quantization_version': uint32(2),
    'llama.context_length': uint32(contextTokens),
    'llama.embedding_length': uint32(embedding),
    'llama.block_count': uint32(layers),
    'llama.feed_forward_length': uint32(feedForward),
    'llama.attention.head_count': uint32(heads),
    'llama.attention.head_count_kv': uint32(kvHeads),
    'llama.attention.layer_norm_rms_epsilon': { type: 'float32', value: 1e-5 },
    'llama.rope.dimension_count': uint32(embedding / heads),
    'llama.vocab_size': uint32(vocabulary.tokens.length),
    'tokenizer.ggml.model': string('gpt2'),
    'tokenizer.ggml.pre': string('llama-bpe'),
    'tokenizer.ggml.tokens': { type: 'strings', value: vocabulary.tokens },
    'tokenizer.ggml.token_type': { type: 'int32s', value: vocabulary.types },
    'tokenizer.ggml.merges': { type: 'strings', value: [] },
    'tokenizer.ggml.bos_token_id': uint32(vocabulary.bos),
    'tokenizer.ggml.eos_token_id': uint32(vocabulary.eos),
    'tokenizer.ggml.add_bos_token': { type: 'bool', value: true },
    'tokenizer.chat_template': string(CHAT_TEMPLATE),
  }
}

function tensors(model: RandomModel, vocabulary: Vocabulary): GgufTensor[] {
  const { embedding, layers, heads, kvHeads, feedForward, type, seed } = model
  const kv = (embedding / heads) * kvHeads
  const words = vocabulary.tokens.length

  /** Weights that keep the size of what they multiply: deviation 1/√columns. */
  const matrix = (name: string, columns: number, rows: number, more: Partial<Weights> = {}): GgufTensor => ({
    name: `${name}.weight`,
    type: more.type ?? type,
    shape: [columns, rows],
    data: () =>
      randomWeights(
        { type, shape: [columns, rows], deviation: 1 / Math.sqrt(columns), ...more },
        createRandom(`${seed}/${name}`),
      ),
  })
  const norm = (name: string): GgufTensor => ({
    name: `${name}.weight`,
    type: 'F32',
    shape: [embedding],
    data: () => new Uint8Array(new Float32Array(embedding).fill(1).buffer),
  })
  const block = (index: number): GgufTensor[] => {
    const at = `blk.${index}`
    return [
      norm(`${at}.attn_norm`),
      matrix(`${at}.attn_q`, embedding, embedding),
      matrix(`${at}.attn_k`, embedding, kv),
      matrix(`${at}.attn_v`, embedding, kv),
      matrix(`${at}.attn_output`, embedding, embedding),
      norm(`${at}.ffn_norm`),
      matrix(`${at}.ffn_gate`, embedding, feedForward),
      matrix(`${at}.ffn_up`, embedding, feedForward),
      matrix(`${at}.ffn_down`, feedForward, embedding),
    ]
  }
  return [
    // Looked up, never multiplied: it needs no precision.
    matrix('token_embd', embedding, words, { deviation: 1, type: 'Q4_0' }),
    ...Array.from({ length: layers }, (_, index) => block(index)).flat(),
    norm('output_norm'),
    // All other tokens, the end of the answer among them, have a logit of exactly 0. Those of the words spread widely around it, so that
    // the best are far above: sampled at any usual temperature, the model says words.
    matrix('output', embedding, words, { rows: vocabulary.said, deviation: LOGIT_DEVIATION / Math.sqrt(embedding) }),
  ]
}
