/** Pools that are split, prefill here and decode there: both speeds of public runs, from specifications and calibrated by one layout. */
import { findAccelerator, findModel } from '../../src/model/catalogue/find.ts'
import type { Pool } from '../../src/model/pools/split.ts'
import { splitLoop } from '../../src/model/pools/split-loop.ts'
import { createSplitPools, type SplitRequest } from '../../src/model/pools/split-pools.ts'
import { type SplitMeasurement, splitSamples } from '../../src/model/pools/split-samples.ts'
import { calibrate, calibrated } from '../../src/model/roofline/calibrate.ts'
import {
  type Configuration,
  createConfiguration,
  createStepModel,
  type StepModel,
} from '../../src/model/roofline/index.ts'
import { errorsOf, groupErrors, type Pair } from './errors.ts'
import type { SplitPoolsErrors, SplitPoolsReport } from './table-report.ts'
import { type Row, readTable } from './tables.ts'

const FILE = 'inferencex_disagg_e2e.csv'

interface SplitRow {
  readonly model: string
  readonly system: string
  readonly precision: string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly prefill: Pool
  readonly decode: Pool
  readonly concurrency: number
  readonly ttftMs: number
  readonly tpotMs: number
  readonly perGpu: number
  /** Rows that share it can calibrate one another. */
  readonly family: string
  /** Pools and lengths: one layout is measured, the others are foretold. */
  readonly layout: string
}

/** Predicted and measured, of both speeds. */
interface Foretold {
  readonly row: SplitRow
  readonly perGpu: Pair
  readonly perUser: Pair
}

export function splitPools(): SplitPoolsReport {
  const rows = splitRows()
  return {
    uncalibrated: errors(rows.map((row) => foretell(row, createStepModel))),
    calibrated: errors(calibratedByAnother(rows)),
    notes: [
      'A pool is its workers × TP × DP; where attention is copied (DP), experts are shared out over all GPUs of a worker.',
      'Calibrated: all loads of one layout and pair of lengths correct every other of the same model, GPU, precision and engine.',
      'Table and prediction both take tok/s/GPU by Little’s law over the GPUs of both pools, so a long wait for the first token counts. The runs begin with all their requests at once and are short, and their mean wait holds that burst; the prediction is of a steady loop, without it.',
    ],
  }
}

export const splitRows = (): readonly SplitRow[] => readTable(FILE).map(rowOf)

function rowOf(row: Row): SplitRow {
  const text = (key: string): string => {
    const cell = row[key]
    if (cell === undefined) throw new Error(`${FILE} has no column ${key}`)
    return cell
  }
  const number = (key: string): number => Number(text(key))
  const join = (keys: readonly string[]): string => keys.map(text).join(' ')
  const pool = (name: string): Pool => {
    const [count, tp, dp] = [number(`${name}_workers`), number(`${name}_tp`), number(`${name}_dp`)]
    return { count, tp, dp, ep: dp > 1 ? tp * dp : 1 }
  }
  return {
    model: text('model'),
    system: text('system'),
    precision: text('precision'),
    inputTokens: number('isl'),
    outputTokens: number('osl'),
    prefill: pool('prefill'),
    decode: pool('decode'),
    concurrency: number('concurrency'),
    ttftMs: number('ttft_ms'),
    tpotMs: number('tpot_ms'),
    perGpu: number('derived_out_tok_s_gpu_littles_law'),
    family: join(['source', 'system', 'backend', 'model', 'precision']),
    layout: join(
      ['prefill', 'decode'].flatMap((name) => [`${name}_workers`, `${name}_tp`, `${name}_dp`]).concat('isl', 'osl'),
    ),
  }
}

export function requestOf(row: SplitRow): SplitRequest {
  const [model, gpu] = [findModel(row.model), findAccelerator(row.system)]
  const { precision, inputTokens, outputTokens, prefill, decode } = row
  return {
    prefill,
    decode,
    lengths: { inputTokens, outputTokens },
    configurationOf: ({ ep, ...parallelism }) =>
      createConfiguration({ model, gpu, precision, ...parallelism, ...(model.experts !== undefined && { ep }) }),
  }
}

function foretell(row: SplitRow, stepModelOf: (configuration: Configuration) => StepModel): Foretold {
  const split = createSplitPools({ ...requestOf(row), stepModelOf })
  const point = splitLoop(split, row.concurrency)
  return {
    row,
    perGpu: { predicted: point.outputTokensPerSecond / split.gpus, measured: row.perGpu },
    perUser: { predicted: point.tokensPerSecondPerUser, measured: 1000 / row.tpotMs },
  }
}

function calibratedByAnother(rows: readonly SplitRow[]): readonly Foretold[] {
  const layouts = new Set(rows.map(({ family, layout }) => `${family} ${layout}`))
  return [...layouts].flatMap((known) => {
    const measured = rows.filter(({ family, layout }) => `${family} ${layout}` === known)
    const calibration = calibrate(measured.flatMap((row) => splitSamples(requestOf(row), [measurementOf(row)])))
    const others = rows.filter(({ family, layout }) => family === measured[0]?.family && layout !== measured[0].layout)
    const stepModelOf = (configuration: Configuration): StepModel =>
      calibrated(createStepModel(configuration), calibration)
    return others.map((row) => foretell(row, stepModelOf))
  })
}

function measurementOf({ concurrency, tpotMs, ttftMs }: SplitRow): SplitMeasurement {
  return { load: concurrency, tokensPerSecondPerUser: 1000 / tpotMs, ttftMs }
}

function errors(foretold: readonly Foretold[]): SplitPoolsErrors {
  return {
    perGpu: errorsOf(foretold.map(({ perGpu }) => perGpu)),
    perUser: errorsOf(foretold.map(({ perUser }) => perUser)),
    groups: groupErrors(
      foretold.map(({ row, perGpu }) => ({ ...perGpu, name: `${row.system} ${row.precision}` })),
      ({ name }) => name,
    ),
  }
}
