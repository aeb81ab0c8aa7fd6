/** End-to-end runs of one engine each, both speeds at several loads: the table is read as `fit` reads it. */
import { parseSweepsCsv, type SweepRow, type SweepSetup } from '../../src/record/index.ts'
import { readText } from './tables.ts'

const NEEDED = ['model', 'system', 'inputTokens', 'outputTokens', 'tp', 'pp', 'dp', 'moeTp', 'ep'] as const

/** What the rows of a sweep share; this table says all of it. */
export type ServingSetup = SweepSetup & { readonly [K in (typeof NEEDED)[number]]: NonNullable<SweepSetup[K]> }

export interface ServingRow extends SweepRow {
  readonly tokensPerSecondPerUser: number
}

export interface ServingSweep {
  readonly setup: ServingSetup
  /** Ascending by load. */
  readonly rows: readonly ServingRow[]
}

/**
 * Without the rows that the table itself doubts: split pools stored as one, speeds that rise with the load, and points whose first token
 * took over half of the answer's time, which are a queue and no step time.
 */
export function servingSweeps(): readonly ServingSweep[] {
  return parseSweepsCsv(readText('inferencex_agg_e2e.csv')).flatMap(({ setup, rows }) => {
    const clean = rows
      .filter(({ fault }) => fault === undefined)
      .map(({ tokensPerSecondPerUser = Number.NaN, ...row }) => ({ ...row, tokensPerSecondPerUser }))
      .sort((a, b) => a.concurrency - b.concurrency)
    return clean.length === 0 ? [] : [{ setup: complete(setup), rows: clean }]
  })
}

function complete(setup: SweepSetup): ServingSetup {
  const missing = NEEDED.filter((key) => setup[key] === undefined)
  if (missing.length > 0) throw new Error(`${JSON.stringify(setup)} lacks ${missing.join(', ')}`)
  return setup as ServingSetup
}

/** Sweeps of one family can calibrate one another: all but lengths, layout, day and version is the same. */
export const familyOf = ({
  source,
  system,
  engine,
  model,
  precision,
  gemmPrecision,
  expertPrecision,
}: ServingSetup): string => JSON.stringify([source, system, engine, model, precision, gemmPrecision, expertPrecision])

export const lengthsOf = ({ inputTokens, outputTokens }: ServingSetup): string => `${inputTokens} ${outputTokens}`

export const layoutOf = ({ gpus, tp, pp, dp, moeTp, ep }: ServingSetup): string =>
  [gpus, tp, pp, dp, moeTp, ep].join(' ')

/** The lowest, the middle and the highest. */
export const threeOf = <T>(ascending: readonly T[]): readonly T[] =>
  [0, ascending.length >> 1, ascending.length - 1].flatMap((i) => ascending[i] ?? [])
