import { type Fields, isObject } from '../fields.ts'

/**
 * How the weights are kept, from `quantization_config` of a config.json: its own method names it, or the bits and kind of a number do.
 * Undefined for 16 bits.
 */
export function storedAsOf(fields: Fields): string | undefined {
  const config = fields.object('quantization_config')
  if (config === undefined) return undefined
  const known = named(config) ?? ofBits(config)
  if (known === undefined) {
    config.problem('nothing says in how many bits the weights are kept (quant_method, quant_algo, bits)')
  }
  return known
}

function named(config: Fields): string | undefined {
  const words = [config.raw('quant_algo'), config.raw('format'), config.raw('quant_method')]
    .filter((word) => typeof word === 'string')
    .join(' ')
    .toLowerCase()
  if (words.includes('mxfp4')) return 'mxfp4'
  if (words.includes('fp4')) return 'fp4'
  if (/w4a|int4/.test(words)) return 'int4'
  if (/fp8/.test(words)) return 'fp8'
  return /w8a|int8/.test(words) ? 'int8' : undefined
}

function ofBits(config: Fields): string | undefined {
  if (config.raw('load_in_4bit') === true) return 'int4'
  if (config.raw('load_in_8bit') === true) return 'int8'
  const groups = config.raw('config_groups')
  const { weights } = (isObject(groups) ? Object.values(groups).find(isObject) : undefined) ?? {}
  const { num_bits, type } = isObject(weights) ? weights : {}
  const bits = num_bits ?? config.raw('bits', 'w_bit')
  const float = type === 'float'
  if (bits === 8) return float ? 'fp8' : 'int8'
  if (bits === 4) return float ? 'fp4' : 'int4'
  return undefined
}
