import { readFileSync } from 'node:fs'
import { type Product, type Run, TwospeedError } from '../../core/index.ts'
import type { Candidate, MeanLengths, SplitSource } from '../../plan/index.ts'
import { readCatalogue } from '../configuration.ts'
import { noLanes } from '../lane.ts'
import { isPrediction, ofPrediction } from './foretold-file.ts'
import { layoutProblems, ofLayouts } from './layout-sources.ts'
import { type MeasuredFlags, ofCsvFile, ofLaw, ofRun, runFolderOf, shareNeedsRun } from './measured-sources.ts'
import { priced } from './priced.ts'
import type { ProductFlags } from './product-flags.ts'
import type { SourceFlags } from './source-flags.ts'

/** Figures of a candidate that cannot be of one server. */
export interface Contradiction {
  readonly candidate: Candidate
  readonly sentence: string
}

/** What one file or folder gives. */
export interface Measured {
  readonly candidates: readonly Candidate[]
  /** What it was asked to hold, and found itself. */
  readonly run?: Pick<Run, 'objectives' | 'choices'>
  readonly contradictions?: readonly Contradiction[]
  /** Of a run of several lanes: which of them this is of. */
  readonly lanesWarning?: string
}

/** All that there is to choose from. */
export interface Sources {
  readonly candidates: readonly Candidate[]
  /** Models on GPUs whose layout is left open, for split pools. */
  readonly splits: readonly SplitSource[]
  /** Where one run is all that is given. */
  readonly run?: Pick<Run, 'objectives' | 'choices'>
  /** What of it is to be doubted, or is of less than all; sentences. */
  readonly warnings: readonly string[]
}

export interface SourcesAsked {
  readonly products: readonly Product[]
  /** Of requests of which nothing else says it. */
  readonly lengths: Partial<MeanLengths>
  /** Of answers, where they tell the pace of points that have waits and none. */
  readonly paceTokens?: number
  /** Where a share of requests may be asked of a server that nobody ran: a plan is checked by simulation. */
  readonly sharesForetold: boolean
}

/** Throws all that is wrong with the flags at once; a wait that is asked for must be in what is given. */
export async function sourcesOf(
  paths: readonly string[],
  flags: SourceFlags & Pick<ProductFlags, 'ttft'> & { readonly strict?: true },
  asked: SourcesAsked,
): Promise<Sources> {
  const { model, catalogue, gpuHour } = flags
  const problems = [...pathProblems(paths, flags), ...layoutProblems(flags)]
  if (problems.length > 0) throw new TwospeedError('CONFLICTING_FLAGS', problems.join('; '), 'Give one of them.')
  if (paths.length === 0 && flags.points === undefined && flags.law === undefined && model === undefined) {
    throw new TwospeedError(
      'MISSING_VALUE',
      'nothing to choose from',
      'Give a run folder, --points points.csv, --law a=5ms,b=0.25ms or --model llama-3.1-8b --gpu h100-sxm.',
    )
  }
  if (model !== undefined && !asked.sharesForetold && asked.products.some(({ share }) => share !== undefined)) {
    throw shareNeedsRun()
  }
  const own = catalogue === undefined ? undefined : readCatalogue(catalogue)
  const foretold = model === undefined ? undefined : await ofLayouts(flags, asked.lengths, own)
  const measured = await measuredOf(paths, flags, asked, {
    ...(flags.gpus !== undefined && { gpus: flags.gpus }),
    ...(asked.paceTokens !== undefined && { paceTokens: asked.paceTokens }),
    ...(flags.law !== undefined && { law: flags.law }),
    ...(flags.lane !== undefined && { lane: flags.lane }),
    machine: {
      ...(flags.gpu !== undefined && model === undefined && { gpu: flags.gpu }),
      ...(flags.gpuWatts !== undefined && { gpuWatts: flags.gpuWatts }),
      ...(own !== undefined && { own }),
    },
  })
  const contradictions = measured.flatMap((one) => one.contradictions ?? [])
  const given = [...measured.flatMap((one) => one.candidates), ...(foretold?.candidates ?? [])]
  const all = withoutThose(contradictions, given, flags.strict === true)
  const { candidates, splits } = priced({ candidates: named(all), splits: foretold?.splits ?? [] }, gpuHour, own)
  const ofLanes = measured.flatMap(({ lanesWarning }) => lanesWarning ?? [])
  if (flags.lane !== undefined && ofLanes.length === 0) throw noLanes(flags.lane)
  if (flags.ttft !== undefined) checkWait(candidates)
  const [{ run = undefined } = {}, ...others] = measured
  return {
    candidates,
    splits,
    warnings: [...sentencesOf(contradictions, all.length < given.length ? ' It is left out.' : ''), ...ofLanes],
    ...(run !== undefined && others.length === 0 && foretold === undefined && { run }),
  }
}

/** Of a table of many sweeps. */
const MOST_TOLD = 5

function sentencesOf(contradictions: readonly Contradiction[], more = ''): readonly string[] {
  const told = contradictions.slice(0, MOST_TOLD).map(({ sentence }) => `${sentence}${more}`)
  const left = contradictions.length - told.length
  return left === 0 ? told : [...told, `So do ${left} more.${more}`]
}

/** What cannot be so would be the best of all. Where no other is left, it is taken as it is; with --strict INVALID_POINTS is thrown. */
function withoutThose(
  contradictions: readonly Contradiction[],
  all: readonly Candidate[],
  isStrict: boolean,
): readonly Candidate[] {
  const doubted = new Set(contradictions.map(({ candidate }) => candidate))
  const left = all.filter((candidate) => !doubted.has(candidate))
  if (left.length > 0 || all.length === 0) return left
  if (!isStrict) return all
  throw new TwospeedError(
    'INVALID_POINTS',
    `--strict: ${sentencesOf(contradictions).join(' ').replace(/\.$/, '')}`,
    'Check that all figures of a row are of one load and of the whole server, and that all rows are of one server; or leave --strict out.',
  )
}

/** A wait that nobody measured cannot be judged; of what is foretold it is. */
function checkWait(candidates: readonly Candidate[]): void {
  const isTold = candidates.some(
    (candidate) =>
      candidate.kind === 'predicted' || candidate.evidenceFor().curve.points.some(({ ttftMs }) => ttftMs !== undefined),
  )
  if (isTold) return
  throw new TwospeedError(
    'CONFLICTING_FLAGS',
    '--ttft cannot be judged: nothing given holds a wait for the first token',
    'Add a ttftMs column, or leave the flag out.',
  )
}

function pathProblems(paths: readonly string[], { points, law, gpuWatts, gpu }: SourceFlags): readonly string[] {
  return [
    paths.length > 0 &&
      points !== undefined &&
      'a run folder and --points are two answers to one question; files of points may be given beside it without the flag',
    law !== undefined && paths.length > 1 && '--law is in place of the law of one, and several are given',
    law !== undefined && paths.some((path) => isJson(path)) && `--law and ${paths.find(isJson)} are two laws`,
    gpuWatts !== undefined && gpu?.includes(',') && '--gpu-watts is of one GPU, and --gpu names several',
  ].filter((problem): problem is string => typeof problem === 'string')
}

const isJson = (path: string): boolean => path.endsWith('.json') && runFolderOf(path) === undefined

async function measuredOf(
  paths: readonly string[],
  { points, law }: SourceFlags,
  { products, sharesForetold }: SourcesAsked,
  flags: MeasuredFlags,
): Promise<readonly Measured[]> {
  const isShared = products.some(({ share }) => share !== undefined)
  const all: Measured[] = []
  for (const path of [...paths, ...(points === undefined ? [] : [points])]) {
    const dir = path === points ? undefined : runFolderOf(path)
    if (dir !== undefined) {
      all.push(await ofRun(dir, flags, products))
      continue
    }
    const json = isJson(path) && path !== points ? readJson(path) : undefined
    const isTold = isPrediction(json)
    if (isShared && !sharesForetold) throw shareNeedsRun()
    if (isTold) all.push({ candidates: await ofPrediction(json, path, flags) })
    else all.push(json === undefined ? await ofCsvFile(path, flags) : await ofLaw(path, flags))
  }
  if (all.length > 0 || law === undefined) return all
  if (isShared && !sharesForetold) throw shareNeedsRun()
  return [await ofLaw(law, flags)]
}

/** What is no JSON is told where it is read as a fit. */
function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return {}
  }
}

/** No two of one name. */
function named(candidates: readonly Candidate[]): readonly Candidate[] {
  const seen = new Map<string, number>()
  return candidates.map((candidate) => {
    const count = (seen.get(candidate.name) ?? 0) + 1
    seen.set(candidate.name, count)
    return count === 1 ? candidate : { ...candidate, name: `${candidate.name} (${count})` }
  })
}
