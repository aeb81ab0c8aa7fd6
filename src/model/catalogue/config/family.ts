import type { Fields } from '../fields.ts'

/** `model_type` without what marks the decoder of a model that also sees. */
export const familyOf = (type: unknown): string => String(type ?? '').replace(/_text$/, '')

/** Families of decoders whose layers are those of a `ModelShape`. Others of these prefixes that differ are told by their keys. */
const KNOWN =
  /^(llama|mi[sx]tral|ministral|qwen|gemma|phi|starcoder|deepseek|kimi|glm|chatglm|gpt|cohere|olmo|granite|internlm|baichuan|stablelm|smollm|exaone|minimax|opt$|bloom|falcon|mpt|codegen|persimmon|nemotron$|seed_oss|ernie4|hunyuan|yi$|dbrx|solar)/

/** Layers that keep a state in place of a cache, or read both ways: their bytes and FLOPs are others. */
const OTHERS = [
  {
    names: /mamba|rwkv|retnet|xlstm|hyena|jamba|zamba|bamba|recurrent_?gemma|falcon_?h1|nemotron_?h|lfm2/i,
    what: 'layers with a state',
  },
  {
    names: /bert|electra|xlm_?roberta|^m?t5|^umt5|^m?bart|^clip|^siglip|^vit|whisper|^esm/i,
    what: 'layers of an encoder',
  },
] as const

/** Ends of the names that Transformers gives to models that write. */
const WRITES = /(ForCausalLM|ForConditionalGeneration|LMHeadModel)$/

/**
 * Notes what speaks against a decoder that writes text token by token. Returns the family where it is not a known one, though the file
 * calls it a decoder: its layers are then taken to be the usual ones.
 */
export function unknownFamilyOf(fields: Fields): string | undefined {
  const family = familyOf(fields.raw('model_type'))
  const architectures = (fields.list('architectures') ?? []).map(String)
  const names = [family, ...architectures]
  for (const { names: theirs, what } of OTHERS) {
    const found = names.find((name) => theirs.test(name))
    if (found !== undefined) {
      fields.problem(`${found}: ${what} are not modelled`)
      return undefined
    }
  }
  if (KNOWN.test(family)) return undefined
  const calledSo = architectures.some((name) => WRITES.test(name))
  if (!calledSo) {
    const [said = 'is missing'] = architectures.map((name) => `is ${name}`)
    fields.problem(
      `nothing says that this is a decoder: model_type ${family === '' ? 'is missing' : `"${family}" is not a known one`}, architectures ${said}`,
    )
  }
  return family === '' ? architectures.find((name) => WRITES.test(name)) : family
}
