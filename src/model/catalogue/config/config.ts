import { TwospeedError } from '../../../core/index.ts'
import { createFields, type Fields, isObject, type JsonObject } from '../fields.ts'
import type { GroupedAttention, LatentAttention, ModelShape } from '../model-shape.ts'
import { familyOf, unknownFamilyOf } from './family.ts'
import { checkLayerTypes, expertLayersOf, linearOf, windowOf } from './layers.ts'
import { storedAsOf } from './storage.ts'

/**
 * The shape of a model from its Hugging Face config.json. Fields are read by the names that the usual families give them; what
 * describes seeing or hearing is passed over. A file that leaves something open, or has parts that this model of bytes and FLOPs does
 * not know, is refused with all that is missing, for a guess would be a speed.
 */
export function modelOfConfig(json: unknown, id: string): ModelShape {
  const problems: string[] = []
  const shape = isObject(json) ? shapeOf(id, createFields(textOf(json), '', problems)) : undefined
  if (shape === undefined) problems.push('it is not a JSON object')
  if (shape === undefined || problems.length > 0) {
    throw new TwospeedError(
      'INVALID_CATALOGUE',
      `${id}: this config.json does not describe a model that is known: ${problems.join('; ')}`,
      'A shape can also be written by hand: models[] of a file given with --catalogue.',
    )
  }
  return shape
}

/** A model that sees keeps its decoder in an object of its own; what the whole has in common stands outside. */
function textOf(json: JsonObject): JsonObject {
  const key = ['text_config', 'llm_config', 'language_config'].find((name) => isObject(json[name]))
  const inner = key === undefined ? undefined : json[key]
  const { architectures, model_type, tie_word_embeddings, quantization_config } = json
  const common = { architectures, model_type, tie_word_embeddings, quantization_config }
  const text = isObject(inner) ? { ...common, ...inner } : json
  return { ...DEFAULTS[familyOf(text.model_type)], ...text }
}

/** What Transformers 4.50 takes where a file leaves it out, as those of Gemma 3 do; a quotient of widths would be wrong. */
const DEFAULTS: Readonly<Record<string, JsonObject>> = {
  gemma3: { vocab_size: 262_208, num_attention_heads: 8, num_key_value_heads: 4, head_dim: 256 },
}

/** Widths and counts beyond which a number is a slip. */
const MOST = { hidden: 1e6, layers: 1e4, heads: 1e5, vocabulary: 1e8, experts: 1e5, context: 1e9 } as const

function shapeOf(id: string, fields: Fields): ModelShape {
  const family = familyOf(fields.raw('model_type'))
  const unknownFamily = unknownFamilyOf(fields)
  refuseStrange(fields)
  const hidden = fields.required(['hidden_size', 'n_embd', 'n_embed', 'd_model'], { most: MOST.hidden })
  const layers = fields.required(['num_hidden_layers', 'n_layer', 'num_layers'], { most: MOST.layers })
  checkLayerTypes(fields, layers)
  const maxContext = fields.number(['max_position_embeddings', 'n_positions', 'seq_length'], { most: MOST.context })
  const linear = linearOf(fields, layers)
  const window = windowOf(fields, family, layers, maxContext)
  const storedAs = storedAsOf(fields)
  return {
    id,
    hidden,
    layers,
    vocabulary: fields.required('vocab_size', { most: MOST.vocabulary }),
    tiedEmbeddings: fields.flag('tie_word_embeddings') ?? TIED.test(family),
    attention: attentionOf(fields, family, hidden),
    ...(linear !== undefined && { linear }),
    ...(window !== undefined && { window }),
    ...widthsOf(fields, family, hidden, layers),
    ...(storedAs !== undefined && { storedAs }),
    ...(maxContext !== undefined && { maxContext }),
    ...(unknownFamily !== undefined && { unknownFamily }),
    source: 'config.json',
  }
}

/** Families that tie the embedding to the output matrix where the file does not say. */
const TIED = /^(gemma|gpt2|gptj|gpt_neo$|gpt_bigcode|opt|bloom|falcon|cohere)/

/** Families of two matrices, up and down, with no gate between. */
const UNGATED =
  /^(opt|bloom|gpt2|gptj|gpt_neo|gpt_neox|gpt_bigcode|codegen|falcon|mpt|starcoder2|phi|nemotron|persimmon)$/

/** Families of three matrices although their activation is not the one that tells so. */
const GATED = /^(gemma|llama4|gpt_oss|cohere|deepseek|kimi)/

/** Parts that change bytes or FLOPs and have no place in a `ModelShape`. */
const STRANGE: Readonly<Record<string, string>> = {
  is_encoder_decoder: 'layers of an encoder',
  hybrid_override_pattern: 'state-space layers',
  mamba_d_state: 'state-space layers',
  ssm_cfg: 'state-space layers',
  state_size: 'state-space layers',
  ssm_state_size: 'state-space layers',
  conv_L_cache: 'layers of convolution',
  linear_attn_config: 'linear layers of another kind',
  attn_type_list: 'linear layers of another kind',
  block_configs: 'layers that differ from one another',
  num_key_value_heads_per_layer: 'layers that differ from one another',
  hidden_size_per_layer_input: 'embeddings of each layer',
  num_kv_shared_layers: 'layers that share a cache',
  cross_attention_layers: 'layers of cross-attention',
  compress_ratios: 'layers with a compressed cache',
  o_lora_rank: 'compressed output matrices',
  swa_num_key_value_heads: 'sliding layers with other heads',
  global_head_dim: 'full layers with other heads',
  zero_expert_num: 'experts that do nothing',
}

function refuseStrange(fields: Fields): void {
  for (const [key, what] of Object.entries(STRANGE)) {
    const value = fields.raw(key)
    // MiniMax-M2 lists its layers, but all are of the usual kind, 1.
    const usual = Array.isArray(value) && value.every((kind) => kind === 1)
    if (value !== undefined && value !== false && value !== 0 && !usual) {
      fields.problem(`${key}: ${what} are not modelled`)
    }
  }
}

function attentionOf(fields: Fields, family: string, hidden: number): GroupedAttention | LatentAttention {
  const heads = fields.required(['num_attention_heads', 'n_head', 'num_heads'], { most: MOST.heads })
  if (fields.raw('kv_lora_rank') !== undefined) return latentOf(fields, heads)
  const oneForAll = fields.raw('multi_query') === true ? 1 : heads
  const kvHeads =
    fields.number(['num_key_value_heads', 'num_kv_heads', 'multi_query_group_num'], { most: MOST.heads }) ?? oneForAll
  if (heads > 0 && heads % kvHeads !== 0) fields.problem(`${heads} query heads cannot share ${kvHeads} KV heads evenly`)
  const headDim = fields.number(['head_dim', 'kv_channels'], { most: MOST.hidden })
  if (headDim === undefined && hidden % Math.max(1, heads) !== 0) {
    fields.problem(`head_dim is missing, and ${hidden} is no multiple of ${heads} heads`)
  }
  const outputGate = fields.flag('attn_output_gate') ?? /^qwen3_(next|5)/.test(family)
  return {
    kind: 'grouped',
    heads,
    kvHeads,
    headDim: headDim ?? hidden / Math.max(1, heads),
    ...(outputGate && { outputGate }),
  }
}

function latentOf(fields: Fields, heads: number): LatentAttention {
  const queryRank = fields.number('q_lora_rank', { most: MOST.hidden })
  const indexed = fields.raw('index_topk') !== undefined
  return {
    kind: 'latent',
    heads,
    ...(queryRank !== undefined && { queryRank }),
    kvRank: fields.required('kv_lora_rank', { most: MOST.hidden }),
    nopeDim: fields.required('qk_nope_head_dim', { most: MOST.hidden }),
    ropeDim: fields.required('qk_rope_head_dim', { most: MOST.hidden }),
    valueDim: fields.required('v_head_dim', { most: MOST.hidden }),
    ...(indexed && {
      indexer: {
        heads: fields.required('index_n_heads', { most: MOST.heads }),
        dim: fields.required('index_head_dim', { most: MOST.hidden }),
        tokens: fields.required('index_topk', { most: MOST.context }),
      },
    }),
  }
}

function widthsOf(
  fields: Fields,
  family: string,
  hidden: number,
  layers: number,
): Pick<ModelShape, 'feedForward' | 'experts'> {
  const range = { most: 1e7 }
  const names = ['intermediate_size', 'n_inner', 'ffn_dim', 'ffn_hidden_size']
  const fourfold = UNGATED.test(family) ? 4 * hidden : undefined
  const all = fields.number(['num_local_experts', 'num_experts', 'n_routed_experts', 'moe_num_experts'], {
    least: 0,
    most: MOST.experts,
  })
  const gated = gatedOf(fields, family)
  const common = fields.number(names, range) ?? fourfold
  if (all === undefined || all === 0) {
    return { feedForward: { layers, width: common ?? fields.required(names, range), gated } }
  }
  const expertLayers = expertLayersOf(fields, layers)
  const dense = layers - expertLayers
  const width = fields.number('moe_intermediate_size', range) ?? common ?? fields.required('moe_intermediate_size')
  const active = fields.required(['num_experts_per_tok', 'num_experts_per_token', 'moe_topk', 'moe_k'], {
    most: MOST.experts,
  })
  if (active > all) fields.problem(`a token cannot pass ${active} of ${all} experts`)
  const denseWidth = fields.number('intermediate_size_mlp', range) ?? common
  return {
    feedForward: { layers: dense, width: dense === 0 ? 0 : (denseWidth ?? fields.required(names, range)), gated },
    experts: { layers: expertLayers, all, active, width, sharedWidth: sharedWidthOf(fields, family, width) },
  }
}

function sharedWidthOf(fields: Fields, family: string, width: number): number {
  const range = { least: 0, most: 1e7 }
  const stated = fields.number(['shared_expert_intermediate_size', 'shared_intermediate_size'], range)
  if (stated !== undefined) return stated
  const count = fields.number(['n_shared_experts', 'num_shared_experts', 'moe_num_shared_experts'], range)
  return (count ?? (family === 'llama4' ? 1 : 0)) * width
}

/** SiLU stands between gate and down in every family that uses it; of other activations the family must be known. */
function gatedOf(fields: Fields, family: string): boolean {
  const activation = fields.raw('hidden_act', 'hidden_activation', 'activation_function')
  if (UNGATED.test(family)) return false
  if (GATED.test(family) || activation === 'silu' || activation === 'swiglu') return true
  fields.problem(
    `nothing says whether a feed-forward layer has two matrices or three (model_type ${JSON.stringify(family)}, ` +
      `hidden_act ${JSON.stringify(activation) ?? 'missing'})`,
  )
  return true
}
