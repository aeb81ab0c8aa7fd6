import { describe, expect, it } from 'vitest'
import { TwospeedError } from '../../../src/core/index.ts'

import { findModel, type ModelShape, modelOfConfig, parametersOf } from '../../../src/model/index.ts'
import { cautions } from '../../../src/model/prediction/words.ts'

const refusal = (json: unknown): string => {
  try {
    modelOfConfig(json, 'x')
  } catch (error) {
    if (error instanceof TwospeedError && error.code === 'INVALID_CATALOGUE') return error.message
    throw error
  }
  return 'accepted'
}

/** What both ways to a shape should have in common. */
const bare = ({ id: _, source: __, ...shape }: ModelShape) => shape

const LONG = { inputTokens: 200_000, outputTokens: 1 }

const LLAMA = {
  architectures: ['LlamaForCausalLM'],
  hidden_act: 'silu',
  hidden_size: 4096,
  intermediate_size: 14_336,
  max_position_embeddings: 131_072,
  model_type: 'llama',
  num_attention_heads: 32,
  num_hidden_layers: 32,
  num_key_value_heads: 8,
  rope_scaling: { factor: 8, rope_type: 'llama3' },
  tie_word_embeddings: false,
  torch_dtype: 'bfloat16',
  vocab_size: 128_256,
}

const DEEPSEEK = {
  model_type: 'deepseek_v3',
  hidden_act: 'silu',
  hidden_size: 7168,
  num_hidden_layers: 61,
  num_attention_heads: 128,
  num_key_value_heads: 128,
  intermediate_size: 18_432,
  moe_intermediate_size: 2048,
  moe_layer_freq: 1,
  n_routed_experts: 256,
  n_shared_experts: 1,
  num_experts_per_tok: 8,
  first_k_dense_replace: 3,
  q_lora_rank: 1536,
  kv_lora_rank: 512,
  qk_nope_head_dim: 128,
  qk_rope_head_dim: 64,
  v_head_dim: 128,
  num_nextn_predict_layers: 1,
  max_position_embeddings: 163_840,
  quantization_config: {
    activation_scheme: 'dynamic',
    fmt: 'e4m3',
    quant_method: 'fp8',
    weight_block_size: [128, 128],
  },
  tie_word_embeddings: false,
  vocab_size: 129_280,
}

const GPT_OSS = {
  model_type: 'gpt_oss',
  hidden_act: 'silu',
  head_dim: 64,
  hidden_size: 2880,
  intermediate_size: 2880,
  num_hidden_layers: 36,
  num_attention_heads: 64,
  num_key_value_heads: 8,
  num_local_experts: 128,
  num_experts_per_tok: 4,
  experts_per_token: 4,
  layer_types: Array.from({ length: 36 }, (_, i) => (i % 2 === 0 ? 'sliding_attention' : 'full_attention')),
  sliding_window: 128,
  max_position_embeddings: 131_072,
  quantization_config: { quant_method: 'mxfp4', modules_to_not_convert: ['lm_head'] },
  tie_word_embeddings: false,
  vocab_size: 201_088,
}

const LLAMA4 = {
  model_type: 'llama4',
  vision_config: { hidden_size: 1408, num_hidden_layers: 34 },
  text_config: {
    model_type: 'llama4_text',
    attention_chunk_size: 8192,
    hidden_act: 'silu',
    hidden_size: 5120,
    head_dim: 128,
    intermediate_size: 8192,
    intermediate_size_mlp: 16_384,
    interleave_moe_layer_step: 2,
    no_rope_layers: [],
    num_attention_heads: 40,
    num_key_value_heads: 8,
    num_hidden_layers: 48,
    num_local_experts: 128,
    num_experts_per_tok: 1,
    max_position_embeddings: 1_048_576,
    vocab_size: 202_048,
  },
  tie_word_embeddings: false,
}

const QWEN35 = {
  model_type: 'qwen3_5_moe',
  tie_word_embeddings: false,
  text_config: {
    model_type: 'qwen3_5_moe_text',
    attn_output_gate: true,
    full_attention_interval: 4,
    head_dim: 256,
    hidden_act: 'silu',
    hidden_size: 4096,
    layer_types: Array.from({ length: 60 }, (_, i) => (i % 4 === 3 ? 'full_attention' : 'linear_attention')),
    linear_conv_kernel_dim: 4,
    linear_key_head_dim: 128,
    linear_num_key_heads: 16,
    linear_num_value_heads: 64,
    linear_value_head_dim: 128,
    max_position_embeddings: 262_144,
    moe_intermediate_size: 1024,
    num_attention_heads: 32,
    num_experts: 512,
    num_experts_per_tok: 10,
    num_hidden_layers: 60,
    num_key_value_heads: 2,
    shared_expert_intermediate_size: 1024,
    vocab_size: 248_320,
  },
}

const KIMI = {
  model_type: 'kimi_k25',
  tie_word_embeddings: false,
  text_config: {
    ...DEEPSEEK,
    model_type: 'kimi_k2',
    num_attention_heads: 64,
    first_k_dense_replace: 1,
    n_routed_experts: 384,
    max_position_embeddings: 262_144,
    vocab_size: 163_840,
    quantization_config: {
      quant_method: 'compressed-tensors',
      format: 'pack-quantized',
      config_groups: { group_0: { weights: { num_bits: 4, type: 'int', group_size: 32, strategy: 'group' } } },
    },
  },
}

const MINIMAX = {
  model_type: 'minimax_m2',
  attn_type_list: Array.from({ length: 62 }, () => 1),
  head_dim: 128,
  hidden_act: 'silu',
  hidden_size: 3072,
  intermediate_size: 1536,
  max_position_embeddings: 196_608,
  num_attention_heads: 48,
  num_hidden_layers: 62,
  num_key_value_heads: 8,
  num_local_experts: 256,
  num_experts_per_tok: 8,
  shared_intermediate_size: 0,
  sliding_window: null,
  quantization_config: { quant_method: 'fp8' },
  tie_word_embeddings: false,
  vocab_size: 200_064,
}

const QWEN25 = {
  model_type: 'qwen2',
  hidden_act: 'silu',
  hidden_size: 3584,
  intermediate_size: 18_944,
  max_position_embeddings: 32_768,
  max_window_layers: 28,
  num_attention_heads: 28,
  num_hidden_layers: 28,
  num_key_value_heads: 4,
  sliding_window: 131_072,
  use_sliding_window: false,
  tie_word_embeddings: false,
  vocab_size: 152_064,
}

// As published: what equals a default of its family is left out.
const GEMMA3 = {
  model_type: 'gemma3',
  text_config: {
    model_type: 'gemma3_text',
    hidden_size: 3840,
    intermediate_size: 15_360,
    num_attention_heads: 16,
    num_hidden_layers: 48,
    num_key_value_heads: 8,
    sliding_window: 1024,
  },
}

const MISTRAL = {
  model_type: 'mistral',
  hidden_act: 'silu',
  hidden_size: 4096,
  intermediate_size: 14_336,
  max_position_embeddings: 32_768,
  num_attention_heads: 32,
  num_hidden_layers: 32,
  num_key_value_heads: 8,
  sliding_window: 4096,
  tie_word_embeddings: false,
  vocab_size: 32_000,
}

const OPT = {
  model_type: 'opt',
  activation_function: 'relu',
  ffn_dim: 20_480,
  hidden_size: 5120,
  max_position_embeddings: 2048,
  num_attention_heads: 40,
  num_hidden_layers: 40,
  vocab_size: 50_272,
}

const BLOOM = { model_type: 'bloom', n_embed: 14_336, n_layer: 70, num_attention_heads: 112, vocab_size: 250_880 }

describe('modelOfConfig', () => {
  it.each([
    ['grouped heads', LLAMA, 'meta-llama/Llama-3.1-8B'],
    ['latent attention, experts after three dense layers, fp8', DEEPSEEK, 'deepseek-ai/DeepSeek-V3'],
    ['sliding layers by layer_types, mxfp4', GPT_OSS, 'openai/gpt-oss-120b'],
    ['chunked attention and experts in every other layer', LLAMA4, 'meta-llama/Llama-4-Maverick-17B-128E-Instruct'],
    ['linear layers and a gate on attention', QWEN35, 'Qwen/Qwen3.5-397B-A17B'],
    ['INT4 experts in a decoder that stands inside', KIMI, 'moonshotai/Kimi-K2.5'],
    ['a list of layers that are all of the usual kind', MINIMAX, 'MiniMaxAI/MiniMax-M2.5'],
    ['a window that is switched off', QWEN25, 'Qwen/Qwen2.5-7B-Instruct'],
    ['a window in every layer', MISTRAL, 'mistralai/Mistral-7B-v0.1'],
    ['two matrices of another name', OPT, 'facebook/opt-13b'],
  ])('reads %s', (_, json, id) => {
    expect(bare(modelOfConfig(json, 'x'))).toEqual(bare(findModel(id)))
  })

  it('fills in what the files of Gemma 3 leave out, whose heads are wider than hidden / heads', () => {
    const { maxContext: _, ...wanted } = bare(findModel('google/gemma-3-12b'))
    expect(bare(modelOfConfig(GEMMA3, 'x'))).toEqual(wanted)
  })

  it('takes four times the width where BLOOM does', () => {
    const shape = modelOfConfig(BLOOM, 'x')
    expect(shape.feedForward).toEqual({ layers: 70, width: 57_344, gated: false })
    expect(shape.tiedEmbeddings).toBe(true)
    expect(parametersOf(shape)).toEqual(parametersOf(findModel('bigscience/bloom')))
  })

  it('names what it was given', () => {
    expect(modelOfConfig(LLAMA, 'here/config.json').id).toBe('here/config.json')
  })

  it.each([
    [{ quant_method: 'fp8' }, 'fp8'],
    [{ quant_method: 'modelopt', quant_algo: 'NVFP4' }, 'fp4'],
    [{ quant_method: 'modelopt', quant_algo: 'FP8' }, 'fp8'],
    [{ quant_method: 'awq', bits: 4 }, 'int4'],
    [{ quant_method: 'gptq', bits: 8 }, 'int8'],
    [{ quant_method: 'bitsandbytes', load_in_4bit: true }, 'int4'],
    [{ quant_method: 'compressed-tensors', config_groups: { a: { weights: { num_bits: 8, type: 'float' } } } }, 'fp8'],
    [{ quant_method: 'compressed-tensors', config_groups: { a: { weights: { num_bits: 8, type: 'int' } } } }, 'int8'],
    [{ quant_method: 'compressed-tensors', format: 'nvfp4-pack-quantized' }, 'fp4'],
  ])('%j keeps weights as %s', (quantization_config, storedAs) => {
    expect(modelOfConfig({ ...LLAMA, quantization_config }, 'x').storedAs).toBe(storedAs)
  })

  it('a method that says nothing of bits is refused; no method means 16 bits', () => {
    expect(refusal({ ...LLAMA, quantization_config: { quant_method: 'aqlm' } })).toMatch(
      /quantization_config: nothing says/,
    )
    expect(modelOfConfig(LLAMA, 'x').storedAs).toBeUndefined()
  })

  it('tells all that is missing at once', () => {
    const message = refusal({ model_type: 'llama', hidden_act: 'silu' })
    for (const key of ['hidden_size', 'num_hidden_layers', 'num_attention_heads', 'intermediate_size', 'vocab_size']) {
      expect(message).toContain(`${key} is missing`)
    }
    expect(message).not.toContain('0 query heads')
  })

  it.each([
    [{ ...LLAMA, num_hidden_layers: 32.5 }, /num_hidden_layers is not a whole number/],
    [{ ...LLAMA, hidden_size: -4096 }, /hidden_size is not a whole number from 1/],
    [{ ...LLAMA, vocab_size: '128256' }, /vocab_size is not a whole number/],
    [{ ...LLAMA, num_key_value_heads: 5 }, /32 query heads cannot share 5 KV heads/],
    [{ ...LLAMA, num_attention_heads: 30, num_key_value_heads: 5 }, /head_dim is missing/],
    [{ ...GPT_OSS, num_experts_per_tok: 200 }, /200 of 128 experts/],
    [{ ...GPT_OSS, layer_types: ['full_attention'] }, /layer_types has 1 entries for 36 layers/],
    [{ ...GPT_OSS, layer_types: GPT_OSS.layer_types.map(() => 'mamba') }, /of a kind not known: mamba/],
    [{ ...LLAMA, sliding_window: 4096 }, /nothing says which layers slide/],
    [{ ...MINIMAX, attn_type_list: [0, 1] }, /linear layers of another kind/],
    [{ ...LLAMA, is_encoder_decoder: true }, /an encoder/],
    [{ ...LLAMA, model_type: 'bert', architectures: ['BertModel'] }, /bert: layers of an encoder/],
    [{ ...LLAMA, model_type: undefined, architectures: ['XLMRobertaForCausalLM'] }, /layers of an encoder/],
    [{ ...LLAMA, model_type: 'mamba2', architectures: ['Mamba2ForCausalLM'] }, /mamba2: layers with a state/],
    [{ ...LLAMA, state_size: 16 }, /state-space/],
    [
      { ...LLAMA, model_type: 'foo', architectures: ['Foo'] },
      /model_type "foo" is not a known one, architectures is Foo/,
    ],
    [{ ...LLAMA, model_type: undefined, architectures: undefined }, /model_type is missing, architectures is missing/],
    [{ ...LLAMA, mamba_d_state: 128 }, /state-space/],
    [{ ...LLAMA, model_type: 'new', hidden_act: 'gelu' }, /two matrices or three \(model_type "new"/],
    [{ text_config: {} }, /hidden_size is missing/],
    [[], /not a JSON object/],
    [null, /not a JSON object/],
    ['llama', /not a JSON object/],
  ])('refuses what it cannot read: %#', (json, reason) => {
    expect(refusal(json)).toMatch(reason)
  })

  it('an unknown family with the usual gate is read', () => {
    const { unknownFamily, ...shape } = bare(modelOfConfig({ ...LLAMA, model_type: 'new' }, 'x'))
    expect(shape).toEqual(bare(findModel('llama-3.1-8b')))
    expect(unknownFamily).toBe('new')
    const [, caution] = cautions(modelOfConfig({ ...LLAMA, model_type: 'new' }, 'x'), LONG)
    expect(caution).toMatch(/"new" is not known/)
  })

  it('a known family is read without a word, and so is a model that sees by what is outside its decoder', () => {
    expect(modelOfConfig(LLAMA, 'x').unknownFamily).toBeUndefined()
    expect(cautions(modelOfConfig(LLAMA, 'x'), { inputTokens: 1, outputTokens: 1 })).toEqual([])
    const { architectures, model_type: _, ...inner } = LLAMA
    const outer = { model_type: 'seeing', architectures, text_config: inner }
    expect(modelOfConfig(outer, 'x').unknownFamily).toBe('seeing')
  })
})
