import { type PointsRow, TwospeedError } from '../core/index.ts'
import { amountIn, type CsvTable, noAmount, parseCsv, told } from './csv.ts'

/** Columns that say what was measured; an empty cell is not known. */
const WORDS = [
  ['source', 'source'],
  ['measured', 'measured'],
  ['model', 'model'],
  ['system', 'system'],
  ['backend', 'engine'],
  ['backend_version', 'engineVersion'],
  ['precision', 'precision'],
  ['gemm_quant', 'gemmPrecision'],
  ['moe_quant', 'expertPrecision'],
] as const
const COUNTS = [
  ['num_gpus', 'gpus'],
  ['isl', 'inputTokens'],
  ['osl', 'outputTokens'],
  ['tp', 'tp'],
  ['pp', 'pp'],
  ['attn_dp', 'dp'],
  ['moe_tp', 'moeTp'],
  ['moe_ep', 'ep'],
  ['prefill_workers', 'prefillWorkers'],
  ['prefill_tp', 'prefillTp'],
  ['prefill_dp', 'prefillDp'],
  ['prefill_gpus', 'prefillGpus'],
  ['decode_workers', 'decodeWorkers'],
  ['decode_tp', 'decodeTp'],
  ['decode_dp', 'decodeDp'],
  ['decode_gpus', 'decodeGpus'],
] as const
const LOAD = 'concurrency'
const TTFT = 'ttft_ms'
const TPOT = 'tpot_ms'
const PACE = 'tok_s_user_1000_over_tpot'
const PER_GPU = 'derived_out_tok_s_gpu_littles_law'
const FLAG = 'flag'
const KNOWN: ReadonlySet<string> = new Set(
  [WORDS.map(([column]) => column), COUNTS.map(([column]) => column), [LOAD, TTFT, TPOT, PACE, PER_GPU, FLAG]].flat(),
)

type Words = Partial<Record<(typeof WORDS)[number][1], string>>
type Counts = Partial<Record<(typeof COUNTS)[number][1], number>>

/** What the rows of a sweep share, in the table's own words. GPUs are those of the whole server, of both pools where it is split. */
export interface SweepSetup extends Readonly<Words>, Readonly<Counts> {
  readonly gpus: number
}

/** A row of a sweep, and which of the file's rows it is, counted from 0. */
export interface SweepRow extends PointsRow {
  readonly row: number
}

/** Rows of one deployment, of one day, that differ in load alone. */
export interface Sweep {
  readonly setup: SweepSetup
  readonly rows: readonly SweepRow[]
}

/** Whether a CSV has a table's columns, not those of a points file. */
export function isSweepsCsv(text: string): boolean {
  const [first = ''] = text.trimStart().split(/[\r\n]/, 1)
  const header = parseCsv(first)?.header ?? []
  return [TPOT, PACE, PER_GPU].some((column) => header.includes(column))
}

/**
 * A table of measurements in the columns of the InferenceX data that are published with AIConfigurator, colocated or split: one
 * sweep for all rows that agree in everything but load and results. tok/s/user is 1000 / TPOT. Throughput is that of the table, else by
 * Little's law N·C / (TTFT + (N − 1)·TPOT), with C in flight and N output tokens. A row that is flagged is kept with its flag as its fault.
 *
 * Throws INVALID_POINTS with every problem of the file: a missing, unknown or double column, a cell that is no number above 0, or one that
 * contradicts another of its row.
 */
export function parseSweepsCsv(text: string): readonly Sweep[] {
  const table = parseCsv(text)
  const problems = table === undefined ? ['it is empty'] : columnProblems(table)
  if (table === undefined || problems.length > 0) throw invalid(problems)
  const sweeps = new Map<string, { readonly setup: SweepSetup; readonly rows: SweepRow[] }>()
  table.rows.forEach(({ line, cells }, row) => {
    const read = readerOf(table.header, cells, line, problems)
    const setup = setupOf(read)
    problems.push(...contradictionsIn(read, setup).map((what) => `line ${line}: ${what}`))
    const point = { ...pointOf(read, setup), row }
    const key = JSON.stringify(setup)
    const sweep = sweeps.get(key)
    if (sweep === undefined) sweeps.set(key, { setup, rows: [point] })
    else sweep.rows.push(point)
  })
  if (problems.length > 0) throw invalid(problems)
  return [...sweeps.values()]
}

function columnProblems({ header, rows }: CsvTable): string[] {
  const has = (column: string): boolean => header.includes(column)
  return [
    ...[LOAD, 'num_gpus'].filter((column) => !has(column)).map((column) => `column ${column} is missing`),
    ...(has(TPOT) || has(PACE) ? [] : [`column ${TPOT} is missing`]),
    ...(has(PER_GPU) || (has(TTFT) && has('osl')) ? [] : [`column ${PER_GPU} is missing, and ${TTFT} with osl too`]),
    ...header.filter((column) => !KNOWN.has(column)).map((column) => `unknown column ${JSON.stringify(column)}`),
    ...[...new Set(header)]
      .filter((column) => header.indexOf(column) !== header.lastIndexOf(column))
      .map((column) => `column ${column} is double`),
    ...(rows.length === 0 ? ['it has no row below the header'] : []),
  ]
}

/** One row by the names of its columns. */
interface RowReader {
  /** Empty where the column is missing. */
  word(column: string): string
  /** Undefined where the cell is empty or the column missing. */
  amount(column: string): number | undefined
  /** A cell that must hold a number. */
  needed(column: string): number
}

function readerOf(header: readonly string[], cells: readonly string[], line: number, problems: string[]): RowReader {
  if (cells.length !== header.length) problems.push(`line ${line} has ${cells.length} cells, not ${header.length}`)
  const word = (column: string): string => cells[header.indexOf(column)] ?? ''
  const needed = (column: string): number => {
    const value = amountIn(word(column))
    if (value === undefined) problems.push(`line ${line}, ${column}: ${noAmount(word(column))}`)
    return value ?? Number.NaN
  }
  return { word, needed, amount: (column) => (word(column) === '' ? undefined : needed(column)) }
}

function setupOf({ word, amount, needed }: RowReader): SweepSetup {
  const words: Words = {}
  for (const [column, key] of WORDS) if (word(column) !== '') words[key] = word(column)
  const counts: Counts = {}
  for (const [column, key] of COUNTS) {
    const value = column === 'num_gpus' ? needed(column) : amount(column)
    if (value !== undefined) counts[key] = value
  }
  return { ...words, ...counts, gpus: counts.gpus ?? Number.NaN }
}

/** Beyond rounding. */
const APART = 0.02

/** What two cells of a row say of the same thing. */
function contradictionsIn({ amount }: RowReader, setup: SweepSetup): readonly string[] {
  const { gpus, tp = 1, pp = 1, dp = 1 } = setup
  const { prefillWorkers, prefillTp = 1, prefillDp = 1, prefillGpus } = setup
  const { decodeWorkers, decodeTp = 1, decodeDp = 1, decodeGpus } = setup
  const [tpot, pace] = [amount(TPOT), amount(PACE)]
  const pool = (name: string, given: number | undefined, workers: number | undefined, each: number): string | false =>
    given !== undefined &&
    workers !== undefined &&
    given % (workers * each) !== 0 &&
    `${name}_gpus ${given} is no multiple of ${name}_workers × ${name}_tp × ${name}_dp, ${workers * each}`
  return [
    tpot !== undefined &&
      pace !== undefined &&
      Math.abs((tpot * pace) / 1000 - 1) > APART &&
      `${PACE} ${pace} is not 1000 / ${TPOT} ${tpot}`,
    gpus % (tp * pp * dp) !== 0 && `num_gpus ${gpus} is no multiple of tp × pp × attn_dp, ${tp * pp * dp}`,
    pool('prefill', prefillGpus, prefillWorkers, prefillTp * prefillDp),
    pool('decode', decodeGpus, decodeWorkers, decodeTp * decodeDp),
    prefillGpus !== undefined &&
      decodeGpus !== undefined &&
      gpus !== prefillGpus + decodeGpus &&
      `num_gpus ${gpus} is not prefill_gpus ${prefillGpus} and decode_gpus ${decodeGpus}`,
  ].filter((problem) => problem !== false)
}

function pointOf(read: RowReader, { gpus }: SweepSetup): PointsRow {
  const concurrency = read.needed(LOAD)
  const ttftMs = read.amount(TTFT)
  const tpotMs = read.amount(TPOT) ?? 1000 / read.needed(PACE)
  const perGpu = read.amount(PER_GPU)
  const fault = faultOf(read.word(FLAG))
  return {
    concurrency,
    tokensPerSecondPerUser: 1000 / tpotMs,
    outputTokensPerSecond:
      perGpu === undefined ? byLittlesLaw(concurrency, read.needed('osl'), read.needed(TTFT), tpotMs) : perGpu * gpus,
    ...(ttftMs !== undefined && { ttftMs }),
    ...(fault !== undefined && { fault }),
  }
}

const byLittlesLaw = (inFlight: number, tokens: number, ttftMs: number, tpotMs: number): number =>
  (1000 * tokens * inFlight) / (ttftMs + (tokens - 1) * tpotMs)

/** Flags that tell of a correction; every other one casts doubt on the row. */
const CORRECTED = /_corrected$/

function faultOf(flags: string): string | undefined {
  const doubts = flags.split(';').filter((flag) => flag !== '' && !CORRECTED.test(flag))
  return doubts.length === 0 ? undefined : doubts.join(';')
}

function invalid(problems: readonly string[]): TwospeedError {
  return new TwospeedError(
    'INVALID_POINTS',
    `The table of sweeps: ${told(problems)}`,
    `It takes ${LOAD}, num_gpus, ${TPOT} or ${PACE}, ${PER_GPU} or ${TTFT} and osl, and columns that say what was measured: ${[...WORDS, ...COUNTS].map(([column]) => column).join(', ')}.`,
  )
}
