/** End-to-end runs of one engine each: both speeds at several loads, on H100 to B300. */
import { type Row, readTable } from './tables.ts'

export interface ServingRow {
  readonly system: string
  readonly backend: string
  readonly model: string
  readonly precision: string
  readonly inputTokens: number
  readonly outputTokens: number
  /** Requests in flight, of the whole server. */
  readonly concurrency: number
  readonly gpus: number
  readonly tp: number
  readonly pp: number
  readonly dp: number
  readonly ep: number
  /** Into how many pieces each expert is cut. */
  readonly expertTp: number
  readonly ttftMs: number
  readonly tpotMs: number
  readonly flags: readonly string[]
  /** All but the load, and what was seen at it: rows that share it are one sweep. */
  readonly sweep: string
  /** The same without lengths, layout, day and version: sweeps that share it can calibrate one another. */
  readonly family: string
  readonly version: string
  /** Mixture of experts: its rows share experts out. */
  readonly layout: string
}

const FILE = 'inferencex_agg_e2e.csv'
const WHAT = ['source', 'system', 'backend', 'model', 'precision', 'gemm_quant', 'moe_quant'] as const
const WHEN = ['measured', 'backend_version'] as const
const LENGTHS = ['isl', 'osl'] as const
const LAYOUT = ['num_gpus', 'tp', 'pp', 'attn_dp', 'moe_tp', 'moe_ep'] as const

export function servingRows(): readonly ServingRow[] {
  return readTable(FILE).map(rowOf)
}

function rowOf(row: Row): ServingRow {
  const text = (key: string): string => {
    const cell = row[key]
    if (cell === undefined) throw new Error(`${FILE} has no column ${key}`)
    return cell
  }
  const join = (keys: readonly string[]): string => keys.map(text).join(' ')
  const number = (key: string): number => Number(text(key))
  return {
    system: text('system'),
    backend: text('backend'),
    model: text('model'),
    precision: text('precision'),
    inputTokens: number('isl'),
    outputTokens: number('osl'),
    concurrency: number('concurrency'),
    gpus: number('num_gpus'),
    tp: number('tp'),
    pp: number('pp'),
    dp: number('attn_dp'),
    ep: number('moe_ep'),
    expertTp: number('moe_tp'),
    ttftMs: number('ttft_ms'),
    tpotMs: number('tpot_ms'),
    flags: text('flag').split(';'),
    sweep: join([...WHAT, ...WHEN, ...LENGTHS, ...LAYOUT]),
    family: join(WHAT),
    version: join(WHEN),
    layout: join(LAYOUT),
  }
}

/**
 * Left out are rows that the table itself doubts: split pools stored as one, speeds that rise with the load, and points whose first
 * token took over half of the answer's time, which are a queue and no step time.
 */
const DOUBTED = /suspect|ttft_over_half/

export const isClean = ({ flags }: ServingRow): boolean => !flags.some((flag) => DOUBTED.test(flag))

/** The lowest, the middle and the highest. */
export const threeOf = <T>(ascending: readonly T[]): readonly T[] =>
  [0, ascending.length >> 1, ascending.length - 1].flatMap((i) => ascending[i] ?? [])

/** Rows of one run at several loads, ascending by load. */
export interface Sweep {
  readonly rows: readonly ServingRow[]
  /** What all rows share. */
  readonly first: ServingRow
}

export function sweepsOf(rows: readonly ServingRow[]): readonly Sweep[] {
  const sweeps = new Map<string, ServingRow[]>()
  for (const row of rows) sweeps.set(row.sweep, [...(sweeps.get(row.sweep) ?? []), row])
  return [...sweeps.values()].flatMap((members) => {
    const sorted = members.toSorted((a, b) => a.concurrency - b.concurrency)
    const [first] = sorted
    return first === undefined ? [] : [{ rows: sorted, first }]
  })
}
