import type { Random } from '../core/index.ts'
import { TENSOR_TYPES, type TensorType, tensorBytes } from './gguf.ts'

/**
 * Random weights, made straight in the blocks of their type: nothing real is rounded, so a hundred megabytes take about a second.
 * Each value is drawn from evenly spaced levels around 0, and the block's scale gives them the standard deviation asked for.
 */
export interface Weights {
  readonly type: TensorType
  /** [columns, rows]. */
  readonly shape: readonly [number, number]
  readonly deviation: number
  /** Rows outside [from, to) are 0. */
  readonly rows?: readonly [number, number]
}

export function randomWeights({ type, shape, deviation, rows }: Weights, random: Random): Uint8Array {
  const bytes = new Uint8Array(tensorBytes({ type, shape }))
  const rowBytes = bytes.length / shape[1]
  const [from, to] = rows ?? [0, shape[1]]
  const part = bytes.subarray(from * rowBytes, to * rowBytes)
  FILL[type](part, deviation, random)
  return bytes
}

type Fill = (bytes: Uint8Array, deviation: number, random: Random) => void

/** Standard deviation of the levels −7…7 of which 0 comes twice, and of −127…127 of which 0 comes twice. */
const DEVIATION_Q4 = Math.sqrt(280 / 16)
const DEVIATION_Q8 = Math.sqrt((127 * 128 * 255) / 3 / 256)

const FILL: Readonly<Record<Weights['type'], Fill>> = {
  // A half of scale, then 32 values of 4 bits as value + 8. −8 becomes 0, so that the mean is 0.
  Q4_0: (bytes, deviation, random) => {
    const nibble = (value: number): number => (value === 0 ? 8 : value)
    const table = Uint8Array.from({ length: 256 }, (_, byte) => (nibble(byte >> 4) << 4) | nibble(byte & 15))
    fillBlocks(bytes, TENSOR_TYPES.Q4_0.bytes, deviation / DEVIATION_Q4, table, random)
  },
  // A half of scale, then 32 signed bytes.
  Q8_0: (bytes, deviation, random) => {
    const table = Uint8Array.from({ length: 256 }, (_, byte) => (byte === 128 ? 0 : byte))
    fillBlocks(bytes, TENSOR_TYPES.Q8_0.bytes, deviation / DEVIATION_Q8, table, random)
  },
  F32: (bytes, deviation, random) => {
    const step = (deviation * Math.sqrt(12)) / 256
    const view = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
    fill(view.length, random, (at, byte) => {
      view[at] = (byte - 127.5) * step
    })
  },
  // 256 levels, evenly spaced: their deviation is that of a uniform distribution, width / √12.
  F16: (bytes, deviation, random) => {
    const step = (deviation * Math.sqrt(12)) / 256
    const levels = Uint16Array.from({ length: 256 }, (_, level) => half((level - 127.5) * step))
    const view = new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2)
    fill(view.length, random, (at, byte) => {
      view[at] = levels[byte] ?? 0
    })
  },
}

function fillBlocks(bytes: Uint8Array, blockBytes: number, scale: number, table: Uint8Array, random: Random): void {
  const scaleBits = half(scale)
  fill(bytes.length, random, (at, byte) => {
    bytes[at] = table[byte] ?? 0
  })
  for (let block = 0; block < bytes.length; block += blockBytes) {
    bytes[block] = scaleBits & 0xff
    bytes[block + 1] = scaleBits >> 8
  }
}

/** Calls with a random byte for each of `count` places; a draw gives four. */
function fill(count: number, random: Random, put: (at: number, byte: number) => void): void {
  for (let at = 0; at < count; at += 4) {
    const draw = random.below(2 ** 32)
    for (let k = 0; k < 4 && at + k < count; k++) put(at + k, (draw >>> (8 * k)) & 0xff)
  }
}

/** The bits of a number as IEEE 754 half; for the normal range and 0, which is all that scales and weights need. */
function half(value: number): number {
  const magnitude = Math.abs(value)
  if (magnitude < 2 ** -14) return 0
  const exponent = Math.floor(Math.log2(magnitude))
  const bits = ((exponent + 15) << 10) + Math.round((magnitude / 2 ** exponent - 1) * 1024)
  return value < 0 ? bits | 0x8000 : bits
}
