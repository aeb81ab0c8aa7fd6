import { TwospeedError } from '../../core/index.ts'
import type { Catalogue, Configuration, Parallelism } from '../../model/index.ts'
import type { Candidate, MeanLengths, SplitSource } from '../../plan/index.ts'
import { type Asked, optionsOf } from '../configuration.ts'
import { given } from '../given.ts'
import type { LayoutFlags, SourceFlags } from './source-flags.ts'

/** A model on GPUs that nobody ran. */
export interface Foretold {
  readonly candidates: readonly Candidate[]
  /** One for each GPU, where the layout is left open. */
  readonly splits: readonly SplitSource[]
}

const OF_MODEL = [
  'tp',
  'pp',
  'ep',
  'dp',
  'prefill',
  'decode',
  'link',
  'precision',
  'kvPrecision',
  'maxNumSeqs',
  'maxBatchedTokens',
  'calibrate',
] as const

const flagOf = (key: string): string => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** Every pair of flags that says two things, or nothing. */
export function layoutProblems(flags: LayoutFlags): readonly string[] {
  const { model, gpu, prefill, decode, link, calibrate } = flags
  const ways = (['tp', 'pp', 'ep', 'dp'] as const).filter((way) => flags[way] !== undefined).map(flagOf)
  const isSplit = prefill !== undefined || decode !== undefined
  const stray = model === undefined ? OF_MODEL.filter((key) => flags[key] !== undefined).map(flagOf) : []
  return [
    stray.length > 0 && `${stray.join(', ')}: of a model on GPUs, and no --model is given`,
    model === undefined && gpu?.includes(',') && '--gpu names several, and what was measured ran on one',
    (prefill === undefined) !== (decode === undefined) && '--prefill and --decode go together',
    isSplit &&
      ways.length > 0 &&
      `${ways.join(', ')}: a pool says its own TP (2x4), and more behind it (1x1,dp=8,ep=8)`,
    !isSplit && ways.length > 0 && link !== undefined && '--link is of split pools',
    calibrate !== undefined && gpu?.includes(',') && '--calibrate is of one GPU, and --gpu names several',
  ].filter((problem): problem is string => typeof problem === 'string')
}

/** The candidates that the flags of `predict` describe; of each GPU all layouts of one domain where none is given. */
export async function ofLayouts(
  flags: SourceFlags,
  usual: Partial<MeanLengths>,
  own: Catalogue | undefined,
): Promise<Foretold> {
  const { layoutCandidate, layoutCandidates, splitCandidate } = await import('../../plan/index.ts')
  const { model, gpu, prefill, decode, tp, pp, ep, dp } = flags
  const lengths = knownLengths(usual)
  if (model === undefined || gpu === undefined || lengths === undefined) throw missing(flags, usual)
  const names = [...new Set(gpu.split(',').map((name) => name.trim()))]
  const sources: SplitSource[] = []
  for (const name of names) sources.push(await sourceOf({ ...flags, model, gpu: name }, lengths, own))
  if (prefill !== undefined && decode !== undefined) {
    const { parsePool } = await import('../../model/index.ts')
    const pools = { prefill: parsePool('--prefill', prefill), decode: parsePool('--decode', decode) }
    return { candidates: sources.map((source) => splitCandidate(source, pools, lengths)), splits: [] }
  }
  if (tp !== undefined || pp !== undefined || ep !== undefined || dp !== undefined) {
    const layout: Parallelism = { tp: tp ?? 1, pp: pp ?? 1, ep: ep ?? 1, dp: dp ?? 1 }
    return { candidates: sources.map((source) => layoutCandidate(source, layout, lengths)), splits: [] }
  }
  const candidates: Candidate[] = []
  const splits: SplitSource[] = []
  const refusals: TwospeedError[] = []
  for (const source of sources) {
    try {
      candidates.push(...layoutCandidates(source, lengths))
      splits.push(source)
    } catch (error) {
      // Of several GPUs one may lack the memory: it is told of beside the others.
      if (!(error instanceof TwospeedError)) throw error
      refusals.push(error)
      candidates.push(refusedCandidate(source, error))
    }
  }
  const [refusal] = refusals
  if (splits.length === 0 && refusal !== undefined) throw refusal
  return { candidates, splits }
}

function refusedCandidate({ gpu }: SplitSource, error: TwospeedError): Candidate {
  const refuse = (): never => {
    throw error
  }
  return { name: gpu.id, kind: 'predicted', gpu: gpu.id, evidenceFor: refuse, unitFor: () => undefined }
}

const knownLengths = ({ input, output }: Partial<MeanLengths>): Required<MeanLengths> | undefined =>
  input === undefined || output === undefined ? undefined : { input, output }

function missing({ model, gpu }: SourceFlags, { input, output }: Partial<MeanLengths>): TwospeedError {
  const needed = { '--model': model, '--gpu': gpu, '--input-tokens': input, '--output-tokens': output }
  const names = Object.entries(needed).flatMap(([name, value]) => (value === undefined ? [name] : []))
  return new TwospeedError(
    'MISSING_VALUE',
    `a model on GPUs that nobody ran needs ${names.join(', ')}`,
    'Such as --model llama-3.1-8b --gpu h100-sxm --input-tokens 1024 --output-tokens 256.',
  )
}

type Named = SourceFlags & Pick<Asked, 'model' | 'gpu'>

async function sourceOf(
  flags: Named,
  { input, output }: Required<MeanLengths>,
  own: Catalogue | undefined,
): Promise<SplitSource> {
  const { createConfiguration, parseLink } = await import('../../model/index.ts')
  const { model, gpu, tp, pp, ep, dp, precision, kvPrecision, maxNumSeqs, maxBatchedTokens } = flags
  const asked: Asked = {
    ...{ model, gpu, inputTokens: input, outputTokens: output },
    ...given({ tp, pp, ep, dp, precision, kvPrecision, maxNumSeqs, maxBatchedTokens }),
  }
  const options = optionsOf(asked, own)
  const { neighboursOfAll } = await import('../neighbours.ts')
  const samples = await neighboursOfAll(flags.calibrate ?? [], asked, own)
  return {
    model: options.model,
    gpu: flags.gpuWatts === undefined ? options.gpu : { ...options.gpu, powerW: flags.gpuWatts },
    gpus: flags.gpus ?? options.gpu.domain,
    samples,
    ...(flags.link !== undefined && { link: parseLink(flags.link, options.gpu) }),
    configurationOf: (parallelism): Configuration => createConfiguration({ ...options, ...parallelism }),
  }
}
