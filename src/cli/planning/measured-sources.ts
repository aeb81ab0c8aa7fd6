import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Objectives, TwospeedError } from '../../core/index.ts'
import type { Candidate, Evidence, EvidenceOptions, KnownServer, Product } from '../../plan/index.ts'
import { ofLane } from '../lane.ts'
import type { GivenLaw } from '../law.ts'
import { affineLaw } from './affine-law.ts'
import { type Machine, machineOf } from './machine.ts'
import type { Contradiction, Measured } from './sources.ts'

/** What the flags say of everything that was measured. */
export interface MeasuredFlags {
  readonly gpus?: number
  /** Answers of points that have waits and no pace. */
  readonly paceTokens?: number
  readonly machine: Machine
  /** In place of the law of the points. */
  readonly law?: string
  /** Of a run that was simulated with several. */
  readonly lane?: string
}

/** A folder is a run's; a run's own file stands for it. */
export const runFolderOf = (path: string): string | undefined => {
  if (/(^|[\\/])run\.json$/.test(path)) return dirname(path)
  const found = statSync(path, { throwIfNoEntry: false })
  // What is not there is called what its name says it is.
  if (found === undefined) return /\.(csv|json)$/i.test(path) ? undefined : path
  return found.isFile() ? undefined : path
}

/** A run. Where products want a share of its requests, its records are judged anew, by what each asks: who has the pace need not be who has the wait. */
export async function ofRun(dir: string, flags: MeasuredFlags, products: readonly Product[]): Promise<Measured> {
  const { evidenceOfRun, measuredCandidate } = await import('../../plan/index.ts')
  const { loadRun } = await import('../run.ts')
  const law: Pick<EvidenceOptions, 'law'> = flags.law === undefined ? {} : { law: affineLaw(flags.law).law }
  const load = async (objectives?: Objectives): Promise<ReturnType<typeof ofLane>> =>
    ofLane(await loadRun(dir, flags.gpus, objectives), dir, flags.lane)
  const { run, warning } = await load()
  const { hardware, target } = run
  const known: KnownServer = {
    name: dir,
    kind: 'measured',
    ...machineOf(flags.machine, hardware.name),
    ...(target?.engine !== undefined && { engine: target.engine }),
  }
  const typical = evidenceOfRun(run, law)
  const byShare = new Map<string, Candidate>()
  for (const product of products.filter(({ share }) => share !== undefined)) {
    const { run: judged } = await load(objectivesOf(product))
    const evidence = evidenceOfRun(judged, { ...law, ...(product.share !== undefined && { share: product.share }) })
    byShare.set(keyOf(product), measuredCandidate(evidence, known, typical))
  }
  const usual = measuredCandidate(typical, known)
  const forProduct = (product: Product): Candidate => byShare.get(keyOf(product)) ?? usual
  const [only, ...others] = products
  return {
    candidates: [others.length === 0 && only !== undefined ? forProduct(only) : { ...usual, forProduct }],
    run,
    ...(warning !== undefined && { lanesWarning: warning }),
  }
}

const keyOf = ({ tokensPerSecond, ttftMs, share }: Product): string => JSON.stringify([tokensPerSecond, ttftMs, share])

const objectivesOf = ({ tokensPerSecond, ttftMs }: Product): Objectives => ({
  ...(tokensPerSecond !== undefined && { tokensPerSecond }),
  ...(ttftMs !== undefined && { ttftMs }),
})

/** A points file, or every sweep of a table. A points file does not say the GPUs; a table does. */
export async function ofCsvFile(path: string, flags: MeasuredFlags): Promise<Measured> {
  const { evidenceOfPoints, measuredCandidate } = await import('../../plan/index.ts')
  const { ofCsv } = await import('../fit-subjects.ts')
  const given = flags.law === undefined ? undefined : affineLaw(flags.law)
  const { gpus, paceTokens } = flags
  const subjects = await ofCsv(path, {
    ...(gpus !== undefined && { gpus }),
    ...(paceTokens !== undefined && { paceTokens }),
  })
  const candidates = subjects.map(({ name, sweep, points, deployment }) => {
    const ofServer = {
      ...deployment,
      gpus: gpus ?? (sweep && deployment.gpus) ?? given?.server?.deployment.gpus ?? oneGpu(name),
    }
    const evidence = evidenceOfPoints(points, { ...ofServer, ...(given !== undefined && { law: given.law }) })
    return measuredCandidate(evidence, {
      name,
      kind: 'measured',
      ...machineOf(flags.machine, sweep?.system),
      ...(sweep?.engine !== undefined && { engine: sweep.engine }),
    })
  })
  return { candidates, contradictions: await contradictionsOf(candidates) }
}

/** Of figures that somebody wrote down: a run's are its own records'. */
async function contradictionsOf(candidates: readonly Candidate[]): Promise<readonly Contradiction[]> {
  const { contradictionsIn } = await import('../../model/index.ts')
  return candidates.flatMap((candidate) => {
    const { points, fit } = candidate.evidenceFor()
    // All in flight make more than so many at the pace of the slow ones among them.
    const all = fit.share === undefined ? contradictionsIn(points, fit.lengths?.output) : []
    return all.length === 0 ? [] : [{ candidate, sentence: `${candidate.name} contradicts itself: ${all.join('; ')}.` }]
  })
}

/** A law, or a fit with what it was fitted to. */
export async function ofLaw(source: string, flags: Omit<MeasuredFlags, 'law'>): Promise<Measured> {
  const { measuredCandidate } = await import('../../plan/index.ts')
  const given = affineLaw(source)
  const evidence = await evidenceOfLaw(given, source, flags.gpus)
  const kind = evidence.curve.points.length > 0 ? 'measured' : 'law'
  const candidates = [measuredCandidate(evidence, { name: source, kind, ...machineOf(flags.machine) })]
  return { candidates, contradictions: await contradictionsOf(candidates) }
}

/** Points and laws are of one GPU where nothing says more, as in the lesson's own example; that is said aloud, for a fleet hangs on it. */
function oneGpu(name: string): number {
  process.stderr.write(`${name} does not say how many GPUs it is of, and is taken as of one: --gpus says it.\n`)
  return 1
}

/** What a fit was fitted to says all that it said: the law is fitted to it once more. */
async function evidenceOfLaw(given: GivenLaw, name: string, gpus: number | undefined): Promise<Evidence> {
  const { evidenceOfPoints } = await import('../../plan/index.ts')
  const { points = [], deployment } = given.server ?? {}
  const server = { ...deployment, gpus: gpus ?? deployment?.gpus ?? oneGpu(name) }
  return points.length > 0 ? evidenceOfPoints(points, server) : evidenceOfPoints([], { ...server, ...given })
}

/** Nothing but a run counts requests. */
export const shareNeedsRun = (): TwospeedError =>
  new TwospeedError(
    'CONFLICTING_FLAGS',
    'a share of requests needs a run folder: points hold one figure for all',
    'Give a run folder, or leave the share out.',
  )
