import { type Objectives, type Run, TwospeedError } from '../../core/index.ts'
import type { Evidence, Product } from '../../plan/index.ts'
import type { Subject } from '../fit-subjects.ts'
import { type GivenLaw, readFit } from '../law.ts'
import type { ProductFlags } from './product-flags.ts'

/** What choices and plans are made from. */
export interface EvidenceFlags {
  readonly points?: string
  readonly gpus?: number
  readonly outputTokens?: number
  readonly law?: string
}

/** What there is to choose from, and what a run was asked to hold and found itself. */
export interface Given extends Pick<Run, 'objectives' | 'choices'> {
  readonly evidence: Evidence
}

/** A run folder, points, or a law; a wait that is asked for must be in it. */
export async function evidenceOf(
  run: string | undefined,
  flags: EvidenceFlags & Pick<ProductFlags, 'ttft'>,
  product: Product | undefined,
): Promise<Given> {
  const given = await givenBy(run, flags, product)
  if (flags.ttft !== undefined && given.evidence.curve.points.every((point) => point.ttftMs === undefined)) {
    throw new TwospeedError(
      'CONFLICTING_FLAGS',
      '--ttft cannot be judged: nothing given holds a wait for the first token',
      'Add a ttftMs column, or leave the flag out.',
    )
  }
  return given
}

async function givenBy(run: string | undefined, flags: EvidenceFlags, product: Product | undefined): Promise<Given> {
  const { evidenceOfPoints, evidenceOfRun } = await import('../../plan/index.ts')
  const given = flags.law === undefined ? undefined : affineLaw(flags.law)
  const law = given === undefined ? {} : { law: given.law }
  if (run !== undefined && flags.points !== undefined) {
    throw new TwospeedError(
      'CONFLICTING_FLAGS',
      'a run folder and --points are two answers to one question',
      'Give one of them.',
    )
  }
  if (run !== undefined) {
    const { loadRun } = await import('../run.ts')
    if (product?.share === undefined) {
      const loaded = await loadRun(run, flags.gpus)
      return { ...loaded, evidence: evidenceOfRun(loaded, law) }
    }
    // The records are judged anew, by what is asked here: who has the pace need not be who has the wait.
    const loaded = await loadRun(run, flags.gpus, objectivesOf(product))
    return { ...loaded, evidence: evidenceOfRun(loaded, { ...law, share: product.share }) }
  }
  if (product?.share !== undefined) {
    throw new TwospeedError(
      'CONFLICTING_FLAGS',
      'a share of requests needs a run folder: points hold one figure for all',
      'Give a run folder, or leave the share out.',
    )
  }
  if (flags.points === undefined && flags.law === undefined) {
    throw new TwospeedError(
      'MISSING_VALUE',
      'nothing to choose from',
      'Give a run folder, --points points.csv or --law a=5ms,b=0.25ms.',
    )
  }
  if (flags.outputTokens !== undefined && flags.points === undefined) {
    throw new TwospeedError('CONFLICTING_FLAGS', '--output-tokens is for --points without a pace', 'Leave it out.')
  }
  const server = flags.points === undefined ? undefined : await sweepOf(flags.points, flags)
  const { points: loads = [], deployment } = given?.server ?? {}
  const gpus = flags.gpus ?? (server?.sweep && server.deployment.gpus) ?? deployment?.gpus ?? 1
  if (server !== undefined) {
    return { evidence: evidenceOfPoints(server.points, { ...server.deployment, gpus, ...law }) }
  }
  // What a fit was fitted to says all that it said: the law is fitted to it once more.
  return loads.length > 0
    ? { evidence: evidenceOfPoints(loads, { ...deployment, gpus }) }
    : { evidence: evidenceOfPoints([], { ...deployment, gpus, ...given }) }
}

/** The one sweep of a file. A points file does not say the GPUs; a table does. */
async function sweepOf(path: string, flags: EvidenceFlags): Promise<Subject> {
  const { ofCsv } = await import('../fit-subjects.ts')
  const [subject, ...others] = await ofCsv(path, flags)
  if (subject !== undefined && others.length === 0) return subject
  const names = [subject, ...others].map((sweep) => sweep?.name ?? '')
  const more = names.length > SHOWN ? `; and ${names.length - SHOWN} more` : ''
  throw new TwospeedError(
    'INVALID_POINTS',
    `${path} holds ${names.length} sweeps, and a choice is made from one: ${names.slice(0, SHOWN).join('; ')}${more}`,
    'Give a file with the rows of one sweep.',
  )
}

/** Sweeps that an error names. */
const SHOWN = 5

const objectivesOf = ({ tokensPerSecond, ttftMs }: Product): Objectives => ({
  ...(tokensPerSecond !== undefined && { tokensPerSecond }),
  ...(ttftMs !== undefined && { ttftMs }),
})

/** Terms c and d need to know how long contexts and prompts are, which no points file says. */
function affineLaw(source: string): GivenLaw {
  const given = readFit(source)
  const { law } = given
  if (law.perThousandKvTokensS === undefined && law.perPrefillTokenS === undefined) return given
  throw new TwospeedError(
    'INVALID_VALUE',
    `--law ${source}: choose and plan take a law of a and b; c and d need lengths that the points do not hold`,
    'Add to b what a sequence of your length costs through c: b + c × its tokens / 1000.',
  )
}
