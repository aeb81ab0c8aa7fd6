/** Steps timed by tables of kernel times, with nothing fitted. */
import type { StepLoad, StepTime } from '../../src/sim/index.ts'
import { type Row, readTable } from '../model/tables.ts'
import { betweenRows, nearby, type Scattered } from './grid.ts'

export interface ProfiledModel {
  readonly hardware: string
  readonly model: string
  readonly tp: number
  readonly layers: number
}

type Line = (x: number) => number

/** Kernels of one layer, by how often it has them. */
const LAYER = { layernorm: 2, qkv_proj: 1, rotary_emb: 1, o_proj: 1, gate_up_proj: 1, act_fn: 1, down_proj: 1 } as const
const ONCE = ['embedding', 'final_layernorm'] as const
const PER_SEQUENCE = ['lm_head', 'sampler'] as const

/**
 *     T = once(tokens) + head(sequences) + layers · (kernels(tokens) + attention(chunk, decode))
 *
 * Of a step that reads a chunk *and* decodes, attention takes more than the two alone: the kernel is then that of prompts. The tables hold
 * few of those, so the ratio to the sum of the two is taken from the nearest, in doublings of each size.
 */
export function tableStepTime(of: ProfiledModel): StepTime {
  const dense = linesOf('llmservingsim_profile_dense.csv', 'tokens', of)
  const perSequence = linesOf('llmservingsim_profile_perseq.csv', 'sequences', of)
  const attention = attentionOf(of)
  const sum = (lines: ReadonlyMap<string, Line>, names: readonly string[], x: number): number =>
    names.reduce((total, name) => total + (lines.get(name)?.(x) ?? 0), 0)
  return {
    seconds: (load) => {
      const tokens = load.decoding + load.prefillTokens
      const sequences = load.decoding + load.completing
      const kernels = Object.entries(LAYER).reduce(
        (t, [name, times]) => t + times * (dense.get(name)?.(tokens) ?? 0),
        0,
      )
      const head = sequences === 0 ? 0 : sum(perSequence, PER_SEQUENCE, sequences)
      return sum(dense, ONCE, tokens) + head + of.layers * (kernels + attention.seconds(load))
    },
    straightFor: (load, most) => Math.min(most, attention.straightFor(load)),
  }
}

const isOf = ({ hardware, model, tp }: Row, of: ProfiledModel): boolean =>
  hardware === of.hardware && model === of.model && Number(tp) === of.tp

const ascending = (values: Iterable<number>): number[] => [...new Set(values)].sort((a, b) => a - b)

function linesOf(file: string, column: string, of: ProfiledModel): ReadonlyMap<string, Line> {
  const tables = new Map<string, Map<number, number>>()
  for (const row of readTable(file)) {
    if (!isOf(row, of)) continue
    const { layer = '', time_us } = row
    const table = tables.get(layer) ?? new Map<number, number>()
    tables.set(layer, table.set(Number(row[column]), Number(time_us) / 1e6))
  }
  return new Map(
    [...tables].map(([layer, table]) => {
      const xs = ascending(table.keys())
      return [
        layer,
        (x: number) =>
          Math.max(
            0,
            betweenRows(xs, (at) => table.get(at) as number, x),
          ),
      ]
    }),
  )
}

/** Chunk, what stands before it, sequences that decode, and the context of each. */
type Sizes = readonly [number, number, number, number]

const doublings = (sizes: Sizes): number[] => sizes.map((size) => Math.log2(Math.max(size, 8)))

function attentionOf(of: ProfiledModel): {
  readonly seconds: (load: StepLoad) => number
  readonly straightFor: (load: StepLoad) => number
} {
  const rows = readTable('llmservingsim_profile_attention.csv')
    .filter((row) => isOf(row, of))
    .map((row) => ({
      sizes: [row.prefill_chunk, row.kv_prefill, row.n_decode, row.kv_decode].map(Number) as unknown as Sizes,
      seconds: Number(row.time_us) / 1e6,
    }))
  const known = new Map(rows.map(({ sizes, seconds }) => [sizes.join(), seconds]))
  const at = (...sizes: Sizes): number => known.get(sizes.join()) ?? 0
  const axis = (i: number): number[] => ascending(rows.map(({ sizes }) => sizes[i] as number))
  const [chunks, before, sequences, contexts] = [0, 1, 2, 3].map(axis) as [number[], number[], number[], number[]]
  const lengths = contexts.filter((length) => length > 0)

  const reading = (chunk: number, standing: number): number =>
    chunk === 0
      ? 0
      : betweenRows(chunks, (c) => (c === 0 ? 0 : betweenRows(before, (s) => at(c, s, 0, 0), standing)), chunk)
  const decoding = (count: number, context: number): number =>
    count === 0
      ? 0
      : betweenRows(
          sequences,
          (n) =>
            n === 0 ? 0 : betweenRows(lengths, (length) => at(0, 0, n, length), Math.max(context, lengths[0] ?? 0)),
          count,
        )
  const apart = ([chunk, standing, count, context]: Sizes): number =>
    reading(chunk, standing) + decoding(count, context)
  const together: readonly Scattered[] = rows
    .filter(({ sizes: [chunk, , count] }) => chunk > 0 && count > 0)
    .map(({ sizes, seconds }) => ({ at: doublings(sizes), value: Math.log(seconds / apart(sizes)) }))

  return {
    seconds: ({ decoding: count, decodeKvTokens, prefillTokens, prefillContextTokens }) => {
      const standing = Math.max(0, prefillContextTokens - prefillTokens / 2)
      const sizes: Sizes = [prefillTokens, standing, count, count === 0 ? 0 : decodeKvTokens / count]
      const sum = apart(sizes)
      return prefillTokens === 0 || count === 0 ? sum : sum * Math.exp(nearby(together, doublings(sizes)))
    },
    // The mean context grows by one a step; the table is straight to its next column.
    straightFor: ({ decoding: count, decodeKvTokens }) => {
      const context = decodeKvTokens / count
      const corner = lengths.find((length) => length > context) ?? Number.POSITIVE_INFINITY
      return Math.max(1, Math.floor(corner - context) + 1)
    },
  }
}
