import { TwospeedError } from '../../core/index.ts'
import type { Accelerator } from './accelerator.ts'
import { ACCELERATORS, type Catalogue, MODELS } from './catalogue.ts'
import type { ModelShape } from './model-shape.ts'
import { nearest, squeeze } from './names.ts'
import { parametersOf } from './parameters.ts'

/**
 * The accelerator of that name, the user's own first. `h100`, `H100 SXM5`, `b200_sxm`, `NVIDIA A100-SXM4-80GB`: letters and digits
 * count, a size of memory picks among forms, and of several forms the first in the catalogue is meant.
 */
export function findAccelerator(name: string, own?: Catalogue): Accelerator {
  const exact = own?.accelerators.find(({ id }) => squeeze(id) === squeeze(name))
  if (exact !== undefined) return exact
  const { stem, gigabytes } = wordsOfAccelerator(name)
  const found = [...(own?.accelerators ?? []), ...ACCELERATORS].filter(
    ({ id, memoryBytes }) => formsOf(id).includes(stem) && gigabytes.every((size) => isMemory(size, memoryBytes)),
  )
  const [first] = found
  if (first !== undefined) return first
  const ids = [...(own?.accelerators ?? []), ...ACCELERATORS].map(({ id }) => id)
  throw new TwospeedError(
    'UNKNOWN_GPU',
    `no GPU named ${JSON.stringify(name)} in the catalogue; the nearest: ${nearest(stem, ids, (id) => [id, ...formsOf(id)]).join(', ')}`,
    'The names are in docs/reference/catalogue.md; another GPU is described in a JSON file given with --catalogue.',
  )
}

/** What drivers and data centres write around the name of a chip; the 480 GB are those of the CPU beside a GH200. */
const AROUND =
  /^(|nvidia|amd|intel|google|habana|tesla|geforce|instinct|cloud|gpu|oam|hbm\d?e?|blackwell|hopper|edition|nvl72|480gb)$/

function wordsOfAccelerator(name: string): { readonly stem: string; readonly gigabytes: readonly number[] } {
  const words = name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => !AROUND.test(word))
  return {
    stem: words
      .filter((word) => !isSize(word))
      .join('')
      .replace(/sxm\d$/, 'sxm'),
    gigabytes: words.filter(isSize).map((word) => Number.parseInt(word, 10)),
  }
}

/** Bare numbers that are sizes of memory and not part of a name, as in `a100-sxm-80`. */
const SIZES: ReadonlySet<number> = new Set([40, 80, 96, 141, 144])

const isSize = (word: string): boolean => /^\d+(gb|gib|g)$/.test(word) || SIZES.has(Number(word))

/** What an id may be called: cut off after its first word with a digit, or after any later one. `l40` is no form of `l40s`. */
function formsOf(id: string): readonly string[] {
  const words = id.split('-').filter((word) => !isSize(word))
  const first = words.findIndex((word) => /\d/.test(word))
  return words.flatMap((_, i) => (i < first ? [] : [words.slice(0, i + 1).join('')]))
}

/** 80 for 80 GiB or 85.9 GB; 192 for the 180 GiB that a driver leaves of it. */
const isMemory = (gigabytes: number, bytes: number): boolean => {
  const share = bytes / (gigabytes * 1e9)
  return share > 0.92 && share < 1.09
}

/**
 * The model of that name, the user's own first. `Llama-3.1-8B-Instruct`, `llama3.1:8b`, `nvidia/DeepSeek-R1-NVFP4`: who publishes it,
 * and endings that change nothing about the shape, may differ; an ending that names a format says how the weights are kept.
 */
export function findModel(name: string, own?: Catalogue): ModelShape {
  const all = [...(own?.models ?? []), ...MODELS]
  const bare = withoutOwner(name)
  const exact = all.find(({ id }) => squeeze(id) === squeeze(name) || squeeze(withoutOwner(id)) === squeeze(bare))
  if (exact !== undefined) return exact
  const { stem, words, storedAs } = wordsOfModel(bare)
  const found = all.find(({ id }) => wordsOfModel(withoutOwner(id)).stem === stem) ?? onlyOne(words, all)
  if (found === undefined || stem === '') {
    const ids = all.map(({ id }) => id)
    const near = nearest(bare, ids, (id) => [withoutOwner(id), wordsOfModel(withoutOwner(id)).stem])
    throw new TwospeedError(
      'UNKNOWN_MODEL',
      `no model named ${JSON.stringify(name)} in the catalogue; the nearest: ${near.join(', ')}`,
      'The names are in docs/reference/catalogue.md; for another model give the path of its Hugging Face config.json.',
    )
  }
  if (storedAs === undefined) return found
  const { storedAs: _, ...shape } = found
  return storedAs === '' ? shape : { ...shape, storedAs }
}

/**
 * `Llama 4 Maverick` leaves out the sizes that the id ends with, `bloom-176b` says one that it lacks: meant where that fits one model alone.
 * Any other word makes another model: `DeepSeek-V2` is not `DeepSeek-V2-Lite`.
 */
function onlyOne(words: readonly string[], all: readonly ModelShape[]): ModelShape | undefined {
  const sizes = words.filter((word) => SIZE.test(word))
  const family = squeeze(words.filter((word) => !SIZE.test(word)).join(''))
  const whole = squeeze(words.join(''))
  const fitting = all.filter((model) => {
    const { words: own } = wordsOfModel(withoutOwner(model.id))
    const starts = own.flatMap((_, i) =>
      own.slice(i + 1).every((word) => PART.test(word)) ? [squeeze(own.slice(0, i + 1).join(''))] : [],
    )
    return starts.includes(whole) || (starts.includes(family) && sizes.every((size) => isTotal(size, model)))
  })
  return fitting.length === 1 ? fitting[0] : undefined
}

/** Sizes of parts: `17b`, `a22b`, `8x7b`, `128e`. */
const PART = /^a?(\d+x)?\d+(\.\d+)?[be]$/

/** All parameters as names round them, such as `176b`. */
const SIZE = /^\d+(\.\d+)?b$/

function isTotal(size: string, model: ModelShape): boolean {
  return Math.abs(parametersOf(model).total / (Number.parseFloat(size) * 1e9) - 1) < 0.05
}

const withoutOwner = (id: string): string => id.slice(id.lastIndexOf('/') + 1)

/** Endings that name a format; '' stands for 16 bits. The longer before the shorter that they contain. */
const FORMATS: Readonly<Record<string, string>> = {
  bf16: '',
  fp16: '',
  fp8: 'fp8',
  nvfp4: 'fp4',
  fp4: 'fp4',
  mxfp4: 'mxfp4',
  int8: 'int8',
  w8a8: 'int8',
  int4: 'int4',
  awq: 'int4',
  gptq: 'int4',
  w4a16: 'int4',
}

/** A name without what is said of training, date or format at its end. */
const NOTHING = /^(instruct|chat|it|hf|base|text|thinking|original|preview|dynamic|block|quantized|v0\.\d|\d{4})$/

interface ModelWords {
  readonly words: readonly string[]
  /** The words as one. */
  readonly stem: string
  readonly storedAs?: string
}

function wordsOfModel(name: string): ModelWords {
  const words = name
    .toLowerCase()
    .split(/[^a-z0-9.]+/)
    .filter((word) => word !== '' && word !== 'meta')
  let storedAs: string | undefined
  const kept = words.filter((word) => {
    storedAs = FORMATS[word] ?? storedAs
    return FORMATS[word] === undefined && !NOTHING.test(word)
  })
  return { words: kept, stem: squeeze(kept.join('')), ...(storedAs !== undefined && { storedAs }) }
}
