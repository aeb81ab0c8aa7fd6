import type { Fields } from '../fields.ts'
import type { LinearAttention, ModelShape } from '../model-shape.ts'

/** Families whose every layer slides where `sliding_window` is set; of others the file must say which do. */
const SLIDING = /^(mistral|mixtral|phi3|phimoe|starcoder2)$/

/** Families that set `sliding_window` and do not use it unless `use_sliding_window` says so. */
const SELDOM_SLIDING = /^qwen/

/** Every `first`-th layer of so many, counted from one. */
const every = (interval: number, layers: number): number => Math.floor(layers / interval)

/** What `layer_types` may hold; a layer of any other kind is one that this model of bytes and FLOPs does not know. */
const KINDS = ['full_attention', 'attention', 'sliding_attention', 'chunked_attention', 'linear_attention']

/** How many layers are of these kinds, by `layer_types`; undefined where the file has no such list. */
function countOf(fields: Fields, kinds: readonly string[], layers: number): number | undefined {
  const types = fields.list('layer_types')
  if (types === undefined || types.length !== layers) return undefined
  return types.filter((type) => kinds.includes(String(type))).length
}

/** Notes a list of layers that is too long, too short, or of unknown kinds. */
export function checkLayerTypes(fields: Fields, layers: number): void {
  const types = fields.list('layer_types')
  if (types === undefined) return
  if (types.length !== layers) fields.problem(`layer_types has ${types.length} entries for ${layers} layers`)
  const strange = [...new Set(types.map(String))].filter((type) => !KINDS.includes(type))
  if (strange.length > 0) fields.problem(`layer_types has layers of a kind not known: ${strange.join(', ')}`)
}

/** Which layers look back a limited way, and how far. A window as long as the longest context limits nothing. */
export function windowOf(fields: Fields, family: string, layers: number, maxContext?: number): ModelShape['window'] {
  const chunk = fields.number('attention_chunk_size')
  const tokens = chunk ?? fields.number('sliding_window', { least: 0 })
  if (tokens === undefined || tokens === 0 || tokens >= (maxContext ?? Number.POSITIVE_INFINITY)) return undefined
  const use = fields.flag('use_sliding_window')
  if (use === false || (use === undefined && SELDOM_SLIDING.test(family))) return undefined
  const sliding = chunk !== undefined ? chunkedLayers(fields, layers) : slidingLayers(fields, family, layers)
  if (sliding === undefined) {
    fields.problem('sliding_window is set, but nothing says which layers slide (layer_types, sliding_window_pattern)')
    return undefined
  }
  return sliding === 0 ? undefined : { tokens, layers: sliding }
}

/** Llama 4: of each `no_rope_layer_interval` layers the last sees everything; a list has 0 for those that do. */
function chunkedLayers(fields: Fields, layers: number): number {
  const counted = countOf(fields, ['chunked_attention'], layers)
  if (counted !== undefined) return counted
  const list = fields.list('no_rope_layers')
  if (list !== undefined && list.length === layers) return list.filter((rope) => rope !== 0).length
  return layers - every(fields.number('no_rope_layer_interval') ?? 4, layers)
}

function slidingLayers(fields: Fields, family: string, layers: number): number | undefined {
  const counted = countOf(fields, ['sliding_attention'], layers)
  if (counted !== undefined) return counted
  const pattern = fields.raw('sliding_window_pattern')
  if (typeof pattern === 'string' && /^[LG]+$/.test(pattern)) {
    return Array.from({ length: layers }, (_, i) => pattern[i % pattern.length]).filter((kind) => kind === 'L').length
  }
  if (typeof pattern === 'number' && pattern >= 1) return layers - every(pattern, layers)
  if (/^gemma3/.test(family)) return layers - every(6, layers)
  if (family === 'gemma2') return layers - every(2, layers)
  // Qwen's first `max_window_layers` layers see everything.
  if (SELDOM_SLIDING.test(family)) return Math.max(0, layers - (fields.number('max_window_layers', { least: 0 }) ?? 0))
  return SLIDING.test(family) ? layers : undefined
}

/** Layers of a gated delta rule, as Qwen3-Next and its followers mix them in: three, then one of full attention. */
export function linearOf(fields: Fields, layers: number): LinearAttention | undefined {
  const counted = countOf(fields, ['linear_attention'], layers)
  if (fields.raw('linear_num_value_heads') === undefined) {
    if (counted !== undefined && counted > 0) fields.problem('linear_num_value_heads is missing')
    return undefined
  }
  const linear = counted ?? layers - every(fields.number('full_attention_interval') ?? 4, layers)
  if (linear === 0) return undefined
  return {
    layers: linear,
    keyHeads: fields.required('linear_num_key_heads', { most: 1e5 }),
    keyDim: fields.required('linear_key_head_dim', { most: 1e5 }),
    valueHeads: fields.required('linear_num_value_heads', { most: 1e5 }),
    valueDim: fields.required('linear_value_head_dim', { most: 1e5 }),
  }
}

/** How many layers have experts. Every rule that the file gives must let a layer have them. */
export function expertLayersOf(fields: Fields, layers: number): number {
  const kinds = fields.list('mlp_layer_types')
  if (kinds !== undefined) return kinds.filter((kind) => kind === 'sparse').length
  const named = fields.list('moe_layers')
  if (named !== undefined && named.length > 0) return named.length
  const frequency = fields.raw('moe_layer_freq')
  if (Array.isArray(frequency)) return frequency.filter((has) => has !== 0).length
  const first = fields.number(['first_k_dense_replace', 'moe_layer_start_index'], { least: 0 }) ?? 0
  const spacing = typeof frequency === 'number' && frequency > 1 ? frequency : 1
  const step =
    fields.number(['decoder_sparse_step', 'interleave_moe_layer_step', 'moe_layer_interval'], { least: 1 }) ?? 1
  const without = fields.list('mlp_only_layers') ?? []
  return Array.from({ length: Math.min(layers, 1e4) }, (_, i) => i).filter(
    (i) => i >= first && i % spacing === 0 && (i + 1) % step === 0 && !without.includes(i),
  ).length
}
