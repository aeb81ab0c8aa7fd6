import type { Accelerator, ComputeType } from '../catalogue/accelerator.ts'
import type { ModelShape } from '../catalogue/model-shape.ts'

/** How the weights of one kind are kept in memory, and in which type they are multiplied. */
export interface WeightFormat {
  /** Per weight, its share of the scales included. */
  readonly bytes: number
  readonly compute: ComputeType
}

/** Formats of a model's weights under one name of a precision. Embedding and output matrix stay in 16 bits, as engines keep them. */
export interface WeightFormats {
  readonly experts: WeightFormat
  /** Projections of attention, feed-forward layers, shared experts. */
  readonly layers: WeightFormat
  readonly head: WeightFormat
}

interface Stored {
  readonly bytes: number
  /** What a unit must take for it. Absent: the weights are widened to 16 bits on the way, so any accelerator will do. */
  readonly unit?: ComputeType
}

/**
 * Bytes per weight with scales: fp8 and int8 have one a block or a channel (nothing to speak of), nvfp4 one byte a 16 weights, mxfp4 one
 * byte a 32, int4 16 bits a 128 (GPTQ, AWQ).
 */
const STORED: Readonly<Record<string, Stored>> = {
  bf16: { bytes: 2, unit: 'bf16' },
  fp16: { bytes: 2, unit: 'fp16' },
  fp8: { bytes: 1, unit: 'fp8' },
  int8: { bytes: 1, unit: 'int8' },
  fp4: { bytes: 0.5 + 1 / 16, unit: 'fp4' },
  mxfp4: { bytes: 0.5 + 1 / 32 },
  int4: { bytes: 0.5 + 2 / 128 },
  w8a16: { bytes: 1 },
}

const OTHER_NAMES: Readonly<Record<string, string>> = {
  bfloat16: 'bf16',
  float16: 'fp16',
  half: 'fp16',
  fp8_block: 'fp8',
  w8a8: 'int8',
  nvfp4: 'fp4',
  w4a16: 'int4',
}

export const PRECISIONS: readonly string[] = Object.keys(STORED)

/** A precision under the name that formats are listed by, of a given model; undefined: no such one. */
export function precisionNamed(name: string, model: ModelShape): string | undefined {
  const lower = name.toLowerCase()
  const known = OTHER_NAMES[lower] ?? lower
  if (!Object.hasOwn(STORED, known)) return undefined
  // One says fp4 of a model that is published in another 4-bit float, and means that one: it is not converted.
  return known === 'fp4' && model.storedAs === 'mxfp4' ? 'mxfp4' : known
}

/** 16-bit arithmetic of an accelerator: both kinds run at one rate wherever both exist. */
export function wideUnit(gpu: Accelerator): ComputeType {
  return gpu.flopsPerSecond.bf16 === undefined ? 'fp16' : 'bf16'
}

/** Does it run there? Every accelerator takes 16 bits and what is widened to them. */
export function runsOn(precision: string, gpu: Accelerator): boolean {
  const unit = STORED[precision]?.unit
  return unit === undefined || unit === 'bf16' || unit === 'fp16' || gpu.flopsPerSecond[unit] !== undefined
}

/** The precision a model runs in unless one is asked for: as it is published where the accelerator has that, else in 16 bits. */
export function usualPrecision(model: ModelShape, gpu: Accelerator): string {
  const stored = model.storedAs === undefined ? undefined : precisionNamed(model.storedAs, model)
  return stored !== undefined && runsOn(stored, gpu) ? stored : wideUnit(gpu)
}

/** Formats of the weights of a model; the precision is one that `runsOn` this accelerator. */
export function weightFormats(precision: string, model: ModelShape, gpu: Accelerator): WeightFormats {
  const wide: WeightFormat = { bytes: 2, compute: wideUnit(gpu) }
  const { bytes, unit } = STORED[precision] ?? { bytes: 2 }
  // Accelerators with arithmetic in 4 bits multiply mxfp4 by activations of 8 without widening it.
  const mixed = precision === 'mxfp4' && gpu.flopsPerSecond.fp4 !== undefined ? 'fp8' : wide.compute
  const format: WeightFormat = { bytes, compute: bytes === 2 ? wide.compute : (unit ?? mixed) }
  // The published 4-bit mixtures (gpt-oss, DeepSeek and Qwen in nvfp4, Kimi in int4) keep all but the routed experts in 16 bits.
  const layers = bytes < 1 && model.experts !== undefined ? wide : format
  return { experts: format, layers, head: wide }
}

/** Bytes of one number in the KV cache; undefined: no such precision. */
export function kvBytes(precision: string): number | undefined {
  const name = precision.toLowerCase()
  if (name === 'fp8' || name === 'int8') return 1
  return name === 'bf16' || name === 'fp16' ? 2 : undefined
}
