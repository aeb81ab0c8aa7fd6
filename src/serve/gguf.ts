import { closeSync, openSync, writeFileSync } from 'node:fs'

/** Writes GGUF, the file format of llama.cpp: version 3, little endian, tensors aligned to 32 bytes (ggml's docs/gguf.md). */
export type GgufValue =
  | { readonly type: 'uint32'; readonly value: number }
  | { readonly type: 'float32'; readonly value: number }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'strings'; readonly value: readonly string[] }
  | { readonly type: 'int32s'; readonly value: readonly number[] }

export type TensorType = 'F32' | 'F16' | 'Q4_0' | 'Q8_0'

export interface GgufTensor {
  readonly name: string
  readonly type: TensorType
  /** Fastest first, as ggml counts: [columns, rows]. */
  readonly shape: readonly number[]
  /** Called when the tensor's turn comes, so that one tensor at a time is in memory. */
  data(): Uint8Array
}

/** A block of `values` numbers takes `bytes` (ggml-common.h). */
export const TENSOR_TYPES: Readonly<
  Record<TensorType, { readonly id: number; readonly values: number; readonly bytes: number }>
> = {
  F32: { id: 0, values: 1, bytes: 4 },
  F16: { id: 1, values: 1, bytes: 2 },
  Q4_0: { id: 2, values: 32, bytes: 18 },
  Q8_0: { id: 8, values: 32, bytes: 34 },
}

export function tensorBytes({ type, shape }: Pick<GgufTensor, 'type' | 'shape'>): number {
  const { values, bytes } = TENSOR_TYPES[type]
  return (shape.reduce((product, n) => product * n, 1) / values) * bytes
}

const ALIGNMENT = 32
const VALUE_TYPES = { uint32: 4, int32: 5, float32: 6, bool: 7, string: 8, array: 9 } as const

export function writeGguf(
  path: string,
  metadata: Readonly<Record<string, GgufValue>>,
  tensors: readonly GgufTensor[],
): void {
  const file = openSync(path, 'w')
  try {
    writeFileSync(file, padded(head(metadata, tensors)))
    for (const tensor of tensors) writeFileSync(file, padded(tensor.data()))
  } finally {
    closeSync(file)
  }
}

function head(metadata: Readonly<Record<string, GgufValue>>, tensors: readonly GgufTensor[]): Uint8Array {
  const entries = Object.entries(metadata)
  const parts = [Buffer.from('GGUF'), u32(3), u64(tensors.length), u64(entries.length)]
  for (const [key, value] of entries) parts.push(text(key), ...typedValue(value))
  let offset = 0
  for (const tensor of tensors) {
    const { name, type, shape } = tensor
    parts.push(text(name), u32(shape.length), ...shape.map(u64), u32(TENSOR_TYPES[type].id), u64(offset))
    offset += roundUp(tensorBytes(tensor))
  }
  return Buffer.concat(parts)
}

function typedValue(value: GgufValue): Buffer[] {
  const type = (name: keyof typeof VALUE_TYPES): Buffer => u32(VALUE_TYPES[name])
  switch (value.type) {
    case 'uint32':
      return [type('uint32'), u32(value.value)]
    case 'float32':
      return [type('float32'), f32(value.value)]
    case 'bool':
      return [type('bool'), Buffer.from([value.value ? 1 : 0])]
    case 'string':
      return [type('string'), text(value.value)]
    case 'strings':
      return [type('array'), type('string'), u64(value.value.length), ...value.value.map(text)]
    case 'int32s':
      return [type('array'), type('int32'), u64(value.value.length), Buffer.from(Int32Array.from(value.value).buffer)]
  }
}

const roundUp = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT

function padded(bytes: Uint8Array): Uint8Array {
  const whole = Buffer.alloc(roundUp(bytes.length))
  whole.set(bytes)
  return whole
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}

function f32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatLE(value)
  return bytes
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([u64(bytes.length), bytes])
}
