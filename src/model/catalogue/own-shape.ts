import type { Fields } from './fields.ts'
import type { ModelShape } from './model-shape.ts'

const STORED = ['bf16', 'fp8', 'int8', 'fp4', 'mxfp4', 'int4']

/** A model of the user's own catalogue, written with the keys of `ModelShape`. */
export function shapeOf(fields: Fields, id: string): ModelShape {
  fields.only([
    'id',
    'hidden',
    'layers',
    'vocabulary',
    'tiedEmbeddings',
    'attention',
    'linear',
    'window',
    'feedForward',
    'experts',
    'storedAs',
    'maxContext',
    'source',
  ])
  const layers = fields.required('layers', { most: 1e4 })
  const linear = part(fields, 'linear', ['layers', 'keyHeads', 'keyDim', 'valueHeads', 'valueDim'])
  const window = part(fields, 'window', ['tokens', 'layers'])
  const experts = part(fields, 'experts', ['layers', 'all', 'active', 'width', 'sharedWidth'], ['sharedWidth'])
  const feedForward = fields.object('feedForward')
  feedForward?.only(['layers', 'width', 'gated'])
  if (feedForward === undefined && experts === undefined) fields.problem('feedForward or experts is missing')
  const dense = feedForward?.required('layers', { least: 0, most: 1e4 }) ?? 0
  const storedAs = fields.text('storedAs')
  if (storedAs !== undefined && !STORED.includes(storedAs)) {
    fields.problem(`storedAs ${JSON.stringify(storedAs)} is none of ${STORED.join(', ')}`)
  }
  const maxContext = fields.number('maxContext')
  if (dense + (experts?.layers ?? 0) !== layers) {
    fields.problem(`feedForward and experts have ${dense + (experts?.layers ?? 0)} layers of ${layers}`)
  }
  if ((linear?.layers ?? 0) + (window?.layers ?? 0) > layers) {
    fields.problem(`linear and window have more layers than ${layers}`)
  }
  if (experts !== undefined && experts.active > experts.all) {
    fields.problem(`a token cannot pass ${experts.active} of ${experts.all} experts`)
  }
  return {
    id,
    hidden: fields.required('hidden', { most: 1e6 }),
    layers,
    vocabulary: fields.required('vocabulary', { most: 1e8 }),
    tiedEmbeddings: fields.flag('tiedEmbeddings') ?? false,
    attention: attentionOf(fields),
    ...(linear !== undefined && { linear }),
    ...(window !== undefined && { window }),
    feedForward: {
      layers: dense,
      width: feedForward?.required('width', { least: 0, most: 1e7 }) ?? 0,
      gated: feedForward?.flag('gated') ?? true,
    },
    ...(experts !== undefined && { experts }),
    ...(storedAs !== undefined && { storedAs }),
    ...(maxContext !== undefined && { maxContext }),
    source: fields.text('source') ?? 'own catalogue',
  }
}

/** An object of whole numbers; those of `mayBeZero` are 0 where they are missing. */
function part<Key extends string>(
  fields: Fields,
  name: string,
  keys: readonly Key[],
  mayBeZero: readonly Key[] = [],
): Readonly<Record<Key, number>> | undefined {
  const inner = fields.object(name)
  if (inner === undefined) return undefined
  inner.only(keys)
  const read = keys.map((key) => [
    key,
    mayBeZero.includes(key) ? (inner.number(key, { least: 0 }) ?? 0) : inner.required(key),
  ])
  return Object.fromEntries(read) as Record<Key, number>
}

function attentionOf(fields: Fields): ModelShape['attention'] {
  const attention = fields.object('attention')
  const kind = attention?.text('kind')
  if (attention === undefined || (kind !== 'grouped' && kind !== 'latent')) {
    fields.problem('attention needs a kind, grouped or latent')
    return { kind: 'grouped', heads: 1, kvHeads: 1, headDim: 1 }
  }
  const heads = attention.required('heads', { most: 1e5 })
  if (kind === 'latent') {
    attention.only(['kind', 'heads', 'queryRank', 'kvRank', 'nopeDim', 'ropeDim', 'valueDim', 'indexer'])
    const queryRank = attention.number('queryRank')
    const indexer = part(attention, 'indexer', ['heads', 'dim', 'tokens'])
    return {
      kind,
      heads,
      ...(queryRank !== undefined && { queryRank }),
      kvRank: attention.required('kvRank', { most: 1e6 }),
      nopeDim: attention.required('nopeDim', { most: 1e6 }),
      ropeDim: attention.required('ropeDim', { most: 1e6 }),
      valueDim: attention.required('valueDim', { most: 1e6 }),
      ...(indexer !== undefined && { indexer }),
    }
  }
  attention.only(['kind', 'heads', 'kvHeads', 'headDim', 'outputGate'])
  const kvHeads = attention.number('kvHeads', { most: 1e5 }) ?? heads
  if (heads > 0 && heads % kvHeads !== 0)
    attention.problem(`${heads} query heads cannot share ${kvHeads} KV heads evenly`)
  const headDim = attention.required('headDim', { most: 1e6 })
  return { kind, heads, kvHeads, headDim, ...(attention.flag('outputGate') === true && { outputGate: true }) }
}
