import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { figure, type Run, TwospeedError } from '../core/index.ts'
import { type Deployment, deploymentOf, type LoadPoint, pointsOfRows, pointsOfRun } from '../model/index.ts'
import type { SweepSetup } from '../record/index.ts'
import { readCatalogue, readModel, readText } from './configuration.ts'
import { type FitFlags, lengthsApart } from './fit-flags.ts'
import { noLanes, ofLane } from './lane.ts'
import { loadRun } from './run.ts'

/** What one law is fitted to. */
export interface Subject {
  readonly name: string
  /** Of a table that describes its sweeps. */
  readonly sweep?: SweepSetup
  readonly points: readonly LoadPoint[]
  readonly deployment: Deployment
  /** The load of a row or a point, by its index. */
  loadName(index: number): string
}

/** Several runs are of one server and make one law; a table has one for each of its sweeps. */
export async function subjectsOf(paths: readonly string[], flags: FitFlags): Promise<readonly Subject[]> {
  const sources = [...paths, ...(flags.points === undefined ? [] : [flags.points])]
  const files = sources.filter((path) => path === flags.points || isCsv(path))
  const [file, ...others] = files
  if (sources.length === 0) {
    throw new TwospeedError('MISSING_VALUE', 'nothing to fit a law to', 'Give run folders, or --points points.csv.')
  }
  if (others.length > 0 || (file !== undefined && sources.length > 1)) {
    throw new TwospeedError(
      'CONFLICTING_FLAGS',
      `a CSV file is fitted by itself, and ${sources.length} things are given`,
      'Give one file, or run folders of one server.',
    )
  }
  if (file !== undefined && flags.share !== undefined) {
    throw new TwospeedError(
      'CONFLICTING_FLAGS',
      'a share of requests needs a run folder: points hold one figure for all',
      'Give run folders, or leave the share out.',
    )
  }
  if (file !== undefined && flags.lane !== undefined) throw noLanes(flags.lane)
  const subjects = file === undefined ? [await ofRuns(paths, flags)] : await ofCsv(file, flags)
  for (const subject of subjects) check(subject, flags)
  return subjects
}

/** A run's own file may be named for its folder. */
const isRunFile = (path: string): boolean => /(^|[\\/])run\.json$/.test(path)

const isCsv = (path: string): boolean =>
  !isRunFile(path) && statSync(path, { throwIfNoEntry: false })?.isFile() === true

function check({ name, points, deployment }: Subject, { kvTokens }: FitFlags): void {
  if (points.length === 0) {
    throw new TwospeedError(
      'NO_POINTS',
      `${name}: no load with a pace was measured`,
      'Measure two loads or more, with answers of several tokens.',
    )
  }
  if (kvTokens !== undefined && deployment.lengths === undefined) {
    throw new TwospeedError(
      'MISSING_VALUE',
      `--kv-tokens says how many requests fit only where their lengths are known, and ${name} does not say them`,
      'Add --input-tokens and --output-tokens.',
    )
  }
}

interface CsvFlags extends Omit<FitFlags, 'at' | 'share'> {
  /** Of an answer, where that is only to tell the pace of points that have waits and none. */
  readonly paceTokens?: number
}

/** The sweeps of a file: one of a points file, all of a table. */
export async function ofCsv(path: string, flags: CsvFlags): Promise<readonly Subject[]> {
  const { isSweepsCsv, parsePointsCsv } = await import('../record/index.ts')
  const text = readText('--points', path)
  if (isSweepsCsv(text)) return ofTable(path, text, flags)
  const rows = parsePointsCsv(text)
  const isPaceTold = rows.some(({ tokensPerSecondPerUser: pace, ttftMs }) => pace === undefined && ttftMs !== undefined)
  if (!isPaceTold) checkLengths(flags)
  const points = pointsOfRows(rows, flags.outputTokens ?? flags.paceTokens)
  // A points file is of one server; where nothing else is said, of one GPU.
  const deployment = { gpus: 1, ...asked(flags), ...expertsOf(flags) }
  return [{ name: path, points, deployment, loadName: loadNames(points) }]
}

async function ofTable(path: string, text: string, flags: Omit<FitFlags, 'at' | 'share'>): Promise<readonly Subject[]> {
  const { parseSweepsCsv, sweepName } = await import('../record/index.ts')
  checkLengths(flags)
  if (flags.gpus !== undefined) {
    throw new TwospeedError(
      'CONFLICTING_FLAGS',
      `--gpus ${flags.gpus}: ${path} says the GPUs of each of its sweeps`,
      'Leave --gpus out.',
    )
  }
  return parseSweepsCsv(text).map(({ setup, rows }): Subject => {
    const { gpus, decodeWorkers, inputTokens: input, outputTokens: output } = setup
    // The file's own numbers of the rows, so that what is set aside can be found in it.
    const points = pointsOfRows(rows).map((point) => ({
      ...point,
      batch: point.batch / (decodeWorkers ?? 1),
      members: point.members.map((member) => rows[member]?.row ?? member),
    }))
    const deployment = {
      gpus,
      ...(decodeWorkers !== undefined && { replicas: decodeWorkers }),
      ...(input !== undefined && output !== undefined && { lengths: { input, output } }),
      ...asked(flags),
      ...expertsOf(flags, setup.model),
    }
    return { name: sweepName(setup), sweep: setup, points, deployment, loadName: loadNames(points) }
  })
}

function checkLengths({ inputTokens, outputTokens }: FitFlags): void {
  if (inputTokens === undefined && outputTokens !== undefined) throw lengthsApart()
}

async function ofRuns(paths: readonly string[], flags: FitFlags): Promise<Subject> {
  checkLengths(flags)
  const dirs = paths.map((path) => (isRunFile(path) ? dirname(path) : path))
  const runs: Run[] = []
  const warnings: string[] = []
  for (const dir of dirs) {
    const { run, warning } = ofLane(await loadRun(dir, flags.gpus), dir, flags.lane)
    runs.push(run)
    if (warning !== undefined) warnings.push(warning)
  }
  if (flags.lane !== undefined && warnings.length === 0) throw noLanes(flags.lane)
  for (const warning of warnings) process.stderr.write(`${warning}\n`)
  checkSame(runs, dirs)
  const [first] = runs
  const firsts = runs.map((_, i) => runs.slice(0, i).reduce((sum, { points }) => sum + points.length, 0))
  const points = runs.flatMap((run, i) =>
    pointsOfRun(run.points, run.hardware, flags.share).map((point) => ({
      ...point,
      members: point.members.map((member) => member + (firsts[i] ?? 0)),
    })),
  )
  const all = runs.flatMap((run) => run.points)
  const { lengths, experts: _, ...deployment } = first === undefined ? {} : deploymentOf(first, all)
  const areOfOneLength = runs.every((run) => areNear(deploymentOf(run, run.points).lengths, lengths))
  return {
    name: dirs.join(' + '),
    points,
    deployment: {
      ...deployment,
      ...(areOfOneLength && lengths !== undefined && { lengths }),
      ...asked(flags),
      ...expertsOf(flags, first?.target.model),
      ...(flags.share !== undefined && { share: flags.share }),
    },
    loadName: loadNames(points),
  }
}

/** Lengths that were drawn are not the same to the token in every run. */
const NEAR = 0.1

function areNear(own: Deployment['lengths'], all: Deployment['lengths']): boolean {
  if (own === undefined || all === undefined) return own === all
  const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= NEAR * Math.max(a, b)
  return isNear(own.input, all.input) && isNear(own.output, all.output)
}

/** What must be the same in runs that one law is fitted to. */
const SAME: readonly (readonly [string, (run: Run) => string | number | undefined])[] = [
  ['model', ({ target }) => target.model],
  ['GPUs', ({ hardware }) => hardware.gpus],
  ['replicas', ({ hardware }) => hardware.replicas ?? 1],
]

function checkSame(runs: readonly Run[], dirs: readonly string[]): void {
  const differences = SAME.flatMap(([name, of]) => {
    const values = runs.map((run) => of(run) ?? 'unknown')
    const other = values.findIndex((value) => value !== values[0])
    return other < 0 ? [] : [`${name}: ${values[0]} in ${dirs[0]}, ${values[other]} in ${dirs[other]}`]
  })
  if (differences.length === 0) return
  throw new TwospeedError(
    'CONFLICTING_FLAGS',
    `the runs are not of one server: ${differences.join('; ')}`,
    'Fit each by itself.',
  )
}

/** What the flags say of the server goes before what the input does. */
function asked({ gpus, kvTokens, inputTokens: input, outputTokens: output }: FitFlags): Deployment {
  return {
    ...(gpus !== undefined && { gpus }),
    ...(kvTokens !== undefined && { kvTokens }),
    ...(input !== undefined && output !== undefined && { lengths: { input, output } }),
  }
}

/** The experts that are named, else those of the model that is, else those of the input's own model where the catalogue knows it. */
function expertsOf({ experts, model, catalogue }: FitFlags, own?: string): Pick<Deployment, 'experts'> {
  if (experts !== undefined) return { experts }
  const known = catalogue === undefined ? undefined : readCatalogue(catalogue)
  const named = model ?? own
  if (named === undefined) return {}
  try {
    const { experts: found } = readModel(named, known)
    return found === undefined ? {} : { experts: { active: found.active, all: found.all } }
  } catch (error) {
    if (model === undefined && error instanceof TwospeedError) return {}
    throw error
  }
}

function loadNames(points: readonly LoadPoint[]): (index: number) => string {
  const loads = new Map(points.flatMap(({ members, load }) => members.map((member) => [member, load] as const)))
  return (index) => figure(loads.get(index) ?? index + 1)
}
