import { statSync } from 'node:fs'
import { TwospeedError } from '../core/index.ts'
import {
  type CalibrationSample,
  type Catalogue,
  type Configuration,
  createStepModel,
  type Lengths,
  type LoadPoint,
  memoryOf,
  type Pool,
  parallelismOf,
  pointsOfRows,
  pointsOfRun,
  type SplitMeasurement,
  type SplitRequest,
  splitSamples,
} from '../model/index.ts'
import type { SweepSetup } from '../record/index.ts'
import { type Asked, configurationOf, readText } from './configuration.ts'
import { count, lengths, refuse, word } from './flags.ts'
import { lanesOf } from './lane.ts'

const EXAMPLE = 'Such as --calibrate run, --calibrate points.csv@tp=4,input-tokens=1024 or --calibrate sweeps.csv.'

/** Of every `--calibrate`. */
export async function neighboursOfAll(
  sources: readonly string[],
  asked: Asked,
  own?: Catalogue,
): Promise<readonly CalibrationSample[]> {
  const samples: CalibrationSample[] = []
  for (const source of sources) samples.push(...(await neighboursOf(source, asked, own)))
  return samples
}

/**
 * The measured points of `--calibrate FILE[@tp=4,…]`, each with the configuration it was measured on: the one that is predicted, but for
 * what stands behind the @. FILE is a run folder, a points CSV, or a CSV of sweeps that describe themselves; of these the ones of the same
 * model in the same precision on the same GPU are taken, and what stands behind the @ picks among them.
 */
async function neighboursOf(source: string, asked: Asked, own?: Catalogue): Promise<readonly CalibrationSample[]> {
  const { path, given } = parted(source)
  const isRun = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  const { isSweepsCsv, parsePointsCsv } = await import('../record/index.ts')
  const text = isRun ? '' : readText('--calibrate', path)
  if (isSweepsCsv(text)) return ofSweeps(path, text, asked, given, own)
  if (given.engine !== undefined) {
    throw new TwospeedError(
      'INVALID_VALUE',
      `--calibrate ${source}: engine picks rows of a table of sweeps; a run and a points file are of one`,
      EXAMPLE,
    )
  }
  try {
    if (isRun) return await ofRun(path, asked, given, own)
    const configured = { ...asked, ...given }
    return samplesOf(pointsOfRows(parsePointsCsv(text)), 1, configurationOf(configured, own), configured)
  } catch (error) {
    if (!(error instanceof TwospeedError) || !CANNOT_BE.has(error.code)) throw error
    // It did run, so it was laid out otherwise.
    throw new TwospeedError(error.code, `--calibrate ${source}: ${error.message}`, EXAMPLE)
  }
}

const CANNOT_BE: ReadonlySet<string> = new Set(['IMPOSSIBLE_CONFIGURATION', 'DOES_NOT_FIT'])

interface Given extends Partial<Asked> {
  /** Of a table of sweeps, which names it for each row. */
  readonly engine?: string
}

function tokens(text: string): number {
  const value = lengths(text)
  return typeof value === 'number' ? value : refuse('It takes a whole number of at least 1.')
}

const KEYS: Readonly<Record<string, readonly [keyof Given, (text: string) => number | string]>> = {
  tp: ['tp', count],
  pp: ['pp', count],
  ep: ['ep', count],
  dp: ['dp', count],
  precision: ['precision', word],
  'kv-precision': ['kvPrecision', word],
  'input-tokens': ['inputTokens', tokens],
  'output-tokens': ['outputTokens', tokens],
  engine: ['engine', word],
}

/** What stands behind the last @ is keys and values; every one that is not is told. */
function parted(source: string): { readonly path: string; readonly given: Given } {
  const at = source.lastIndexOf('@')
  if (at < 0 || !source.slice(at).includes('=')) return { path: source, given: {} }
  const given: Record<string, number | string> = {}
  const problems: string[] = []
  for (const part of source.slice(at + 1).split(',')) {
    const [name = '', value = ''] = part.split('=', 2).map((piece) => piece.trim())
    const [key, parse] = (Object.hasOwn(KEYS, name) ? KEYS[name] : undefined) ?? []
    if (key !== undefined && given[key] !== undefined) {
      problems.push(`${name} is said twice`)
      continue
    }
    if (key === undefined || parse === undefined) {
      problems.push(`"${part.trim()}" is none of ${Object.keys(KEYS).join('=…, ')}=…`)
      continue
    }
    try {
      given[key] = parse(value)
    } catch (error) {
      problems.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  if (problems.length > 0) {
    throw new TwospeedError('INVALID_VALUE', `--calibrate ${source}: ${problems.join('; ')}`, EXAMPLE)
  }
  return { path: source.slice(0, at), given }
}

/** The lengths and the GPUs of a run are those that it says; its model is the one asked for, whatever the server called it. */
async function ofRun(dir: string, asked: Asked, given: Given, own?: Catalogue): Promise<readonly CalibrationSample[]> {
  const { loadRun } = await import('./run.ts')
  const run = await loadRun(dir)
  const lanes = lanesOf(run)
  if (lanes.length > 0) {
    throw new TwospeedError(
      'CONFLICTING_FLAGS',
      `--calibrate ${dir}: it is of several lanes (${lanes.join(', ')}), and their mix is no measurement of one load`,
      'Give a run of one load.',
    )
  }
  const { inputTokens, outputTokens } = run.workload
  const { gpus, replicas = 1 } = run.hardware
  const configured = {
    ...asked,
    ...(typeof inputTokens === 'number' && { inputTokens }),
    ...(typeof outputTokens === 'number' && { outputTokens }),
    ...given,
  }
  const { tp = 1, pp = 1, dp = 1 } = configured
  const laidOver = tp * pp * dp * replicas
  if (gpus !== undefined && gpus !== laidOver) {
    throw new TwospeedError(
      'CONFLICTING_FLAGS',
      `--calibrate ${dir}: the run was made on ${gpus} GPUs, and TP × PP × DP of it would be ${laidOver}`,
      `Say how it was laid out: --calibrate ${dir}@tp=${Math.max(1, Math.round(gpus / replicas))}.`,
    )
  }
  const points = pointsOfRun(run.points, run.hardware).filter(({ fault }) => fault === undefined)
  return samplesOf(points, replicas, configurationOf(configured, own), configured)
}

async function ofSweeps(
  path: string,
  text: string,
  asked: Asked,
  given: Given,
  own?: Catalogue,
): Promise<readonly CalibrationSample[]> {
  const { parseSweepsCsv } = await import('../record/index.ts')
  const wanted = configurationOf(asked, own)
  // A table does not say how the KV cache is stored: that is told, and picks nothing.
  const { kvPrecision, ...picks } = given
  const found: CalibrationSample[] = []
  for (const { setup, rows } of parseSweepsCsv(text)) {
    const { model, system, engine, precision, inputTokens, outputTokens, tp = 1, pp = 1, dp = 1, ep = 1 } = setup
    if (model === undefined || system === undefined) continue
    if (inputTokens === undefined || outputTokens === undefined) continue
    const pools = poolsOf(setup)
    const said: Asked = {
      model,
      gpu: system,
      ...(precision !== undefined && { precision }),
      ...(kvPrecision !== undefined && { kvPrecision }),
      ...{ inputTokens, outputTokens },
      ...(pools === undefined ? { tp, pp, dp, ep } : parallelismOf(pools.decode)),
    }
    const row: Given = { ...said, ...(engine !== undefined && { engine }) }
    const isPicked = Object.entries(picks).every(([key, value]) => row[key as keyof Given] === value)
    const configuration = isPicked ? unlessRefused(() => configurationOf(said, own)) : undefined
    if (configuration?.model.id !== wanted.model.id || configuration.gpu.id !== wanted.gpu.id) continue
    // Another format has other kernels: none of its factors carries over. It can be asked for behind the @.
    if (configuration.precision !== wanted.precision && given.precision === undefined) continue
    const points = pointsOfRows(rows.filter(({ fault }) => fault === undefined))
    const samples = unlessRefused(() =>
      pools === undefined
        ? samplesOf(points, setup.gpus / (tp * pp * dp), configuration, said)
        : splitSamples({ ...pools, ...ofAsked(said, own) }, points.map(measurementOf)),
    )
    found.push(...(samples ?? []))
  }
  if (found.length > 0) return found
  throw new TwospeedError(
    'INVALID_POINTS',
    `--calibrate ${path} holds no sweep of ${wanted.model.id} in ${wanted.precision} on ${wanted.gpu.id} that could be taken`,
    'Name a file that holds one, with its lengths, or ask for less behind the @.',
  )
}

/** The pools of rows that are split. Where attention is copied, experts are shared out over all GPUs of an instance. */
function poolsOf(setup: SweepSetup): Pick<SplitRequest, 'prefill' | 'decode'> | undefined {
  const { prefillWorkers, prefillTp = 1, prefillDp = 1, decodeWorkers, decodeTp = 1, decodeDp = 1 } = setup
  if (prefillWorkers === undefined || decodeWorkers === undefined) return undefined
  const pool = (count: number, tp: number, dp: number): Pool => ({ count, tp, dp, ep: dp > 1 ? tp * dp : 1 })
  return { prefill: pool(prefillWorkers, prefillTp, prefillDp), decode: pool(decodeWorkers, decodeTp, decodeDp) }
}

function ofAsked(said: Asked, own?: Catalogue): Pick<SplitRequest, 'lengths' | 'configurationOf'> {
  const { inputTokens, outputTokens } = said
  return {
    lengths: { inputTokens, outputTokens },
    configurationOf: (parallelism) => configurationOf({ ...said, ...parallelism }, own),
  }
}

/** Undefined where the catalogue does not know a row's model or GPU, or holds that it cannot exist: such rows are no neighbours. */
function unlessRefused<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch (error) {
    if (error instanceof TwospeedError) return undefined
    throw error
  }
}

function samplesOf(
  points: readonly LoadPoint[],
  replicas: number,
  configuration: Configuration,
  { inputTokens, outputTokens }: Lengths,
): readonly CalibrationSample[] {
  const lengths = { inputTokens, outputTokens }
  const of = { model: createStepModel(configuration), memory: memoryOf(configuration, lengths), lengths }
  return points.map((point) => ({ ...of, ...measurementOf(point), load: point.load / replicas }))
}

function measurementOf({ load, stepS, ttftMs }: LoadPoint): SplitMeasurement {
  return { load, tokensPerSecondPerUser: 1 / stepS, ...(ttftMs !== undefined && { ttftMs }) }
}
