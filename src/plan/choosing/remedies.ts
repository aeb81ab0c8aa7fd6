import { figure, type Product } from '../../core/index.ts'
import {
  ACCELERATORS,
  type Accelerator,
  type Configuration,
  type ConfigurationOptions,
  createConfiguration,
  type Parallelism,
  predict,
  predictSplit,
} from '../../model/index.ts'
import type { Candidate, MeanLengths } from '../candidate.ts'
import type { Evidence } from '../evidence.ts'
import type { Shortfall } from './nothing-holds.ts'
import { unlessRefused } from './tried.ts'

interface Missed {
  readonly product: Product
  readonly shortfall: Shortfall
  readonly lengths: MeanLengths | undefined
}

/** Another way to serve, and what one request alone gets of it. */
interface Way {
  readonly name: string
  readonly pace: number
  readonly ttftMs: number
}

/**
 * What would hold a product that nothing holds, each found by calculation for one request alone: no load is quicker. From datasheets, in
 * proportion to what the candidate that is nearest gives.
 */
export function remediesFor(
  { configuration, gpu }: Candidate,
  evidence: Evidence,
  { product, shortfall, lengths }: Missed,
): readonly string[] {
  if (configuration === undefined || lengths?.input === undefined) return byMemory(gpu, shortfall)
  const asked = { inputTokens: lengths.input, outputTokens: lengths.output }
  const base = (changed: Partial<ConfigurationOptions>): ConfigurationOptions => {
    const { parallelism, ...rest } = configuration
    return { ...rest, ...parallelism, ...changed }
  }
  const alone = (options: ConfigurationOptions, name: string): Way | undefined => {
    const found = unlessRefused(() => predict(createConfiguration(options), { lengths: asked, loads: [1] }).frontier[0])
    return found === undefined || found instanceof Error
      ? undefined
      : { name, pace: found.tokensPerSecondPerUser, ttftMs: found.ttftMs }
  }
  const own = alone(base({}), '')
  const given = evidence.curve.at(1)
  const scale = {
    pace: own === undefined || given === undefined ? 1 : given.tokensPerSecondPerUser / own.pace,
    wait: own === undefined || given?.ttftMs === undefined ? 1 : given.ttftMs / own.ttftMs,
  }
  const scaled = (way: Way | undefined): readonly Way[] =>
    way === undefined ? [] : [{ ...way, pace: way.pace * scale.pace, ttftMs: way.ttftMs * scale.wait }]
  const holds = ({ pace, ttftMs }: Way): boolean =>
    pace >= (product.tokensPerSecond ?? 0) && (product.ttftMs === undefined || ttftMs <= product.ttftMs)

  const { parallelism } = configuration
  const wider = (most: number): readonly number[] =>
    [2, 4, 8, 16, 32, 64].map((times) => times * parallelism.tp).filter((tp) => tp <= most)
  const more = wider(configuration.gpu.domain).flatMap((tp) => scaled(alone(base({ tp }), `TP${tp}`)))
  const others = byBandwidth(configuration.gpu).flatMap((other) => scaled(alone(base({ gpu: other }), other.id)))
  const fewer = FEWER_BITS.flatMap((precision) => scaled(alone(base({ precision }), precision)))
  const split = wider(configuration.gpu.domain).flatMap((tp) => scaled(splitAlone(configuration, asked, tp)))
  const found = [
    told('More TP', more.filter(holds).slice(0, 1)),
    told('Another GPU', others.filter(holds).slice(0, SHOWN)),
    told('Fewer bits', fewer.filter(holds).slice(0, 1)),
    told('Split pools', split.filter(holds).slice(0, 1)),
  ].filter((sentence) => sentence !== undefined)
  if (found.length > 0) return [...found, BASIS]
  const together = [configuration.gpu, ...byBandwidth(configuration.gpu)].flatMap((other) =>
    wider(other.domain).flatMap((tp) =>
      [configuration.precision, ...FEWER_BITS].flatMap((precision) =>
        scaled(alone(base({ gpu: other, tp, precision }), `${other.id} TP${tp} in ${precision}`)),
      ),
    ),
  )
  const both = told(
    'Only more TP, another GPU and fewer bits, several of them together,',
    together.filter(holds).slice(0, SHOWN),
  )
  if (both !== undefined) return [both, BASIS]
  const [fastest] = [...more, ...others, ...fewer, ...together].toSorted((a, b) => b.pace - a.pace)
  return fastest === undefined
    ? []
    : [`Nothing of the catalogue holds it: ${fastest.name} would be the fastest, ${wayWords(fastest)}.`, BASIS]
}

const BASIS = 'That is by datasheets, for one request alone.'
/** Ways of one kind that are named. */
const SHOWN = 3
/** From the more bits to the fewer. */
const FEWER_BITS = ['fp8', 'int8', 'fp4', 'int4'] as const

function told(what: string, ways: readonly Way[]): string | undefined {
  if (ways.length === 0) return undefined
  return `${what} would hold it: ${ways.map((way) => `${way.name} (${wayWords(way)})`).join(', ')}.`
}

const wayWords = ({ pace, ttftMs }: Way): string => `${figure(pace)} tok/s/user, first token in ${figure(ttftMs)} ms`

/**
 * The others of the catalogue: those of the same maker first, for which what is foretold is best known, and of them those that read memory least
 * fast, for they are the nearest to be had.
 */
const byBandwidth = (own: Accelerator): readonly Accelerator[] =>
  ACCELERATORS.filter(({ id }) => id !== own.id).toSorted(
    (a, b) =>
      Number(b.vendor === own.vendor) - Number(a.vendor === own.vendor) ||
      a.memoryBytesPerSecond - b.memoryBytesPerSecond,
  )

/** Prompts read by an instance of more TP, answers written by one as it is. */
function splitAlone(
  configuration: Configuration,
  lengths: { readonly inputTokens: number; readonly outputTokens: number },
  tp: number,
): Way | undefined {
  const { parallelism, ...rest } = configuration
  const configurationOf = (layout: Parallelism): Configuration => createConfiguration({ ...rest, ...layout })
  const prefill = { count: 1, tp }
  const found = unlessRefused(
    () =>
      predictSplit({ prefill, decode: { count: 1, ...parallelism }, configurationOf, lengths, loads: [1] }).frontier[0],
  )
  return found === undefined || found instanceof Error
    ? undefined
    : { name: `prompts read at TP${tp}`, pace: found.tokensPerSecondPerUser, ttftMs: found.ttftMs }
}

/** Where only the GPU is known: a step alone is mostly the reading of the weights. */
function byMemory(gpu: string | undefined, { pace, wait }: Shortfall): readonly string[] {
  const own = ACCELERATORS.find(({ id }) => id === gpu)
  if (own === undefined || pace <= 1 || wait > 1) return []
  const times = ({ memoryBytesPerSecond }: Accelerator): number => memoryBytesPerSecond / own.memoryBytesPerSecond
  const faster = byBandwidth(own).filter((other) => times(other) >= pace)
  const named = faster.slice(0, SHOWN).map((other) => `${other.id} (${figure(times(other))} times)`)
  const reading = 'A step alone is mostly the reading of the weights'
  const halved = pace <= 2 ? ' Half the bits a weight, or twice the GPUs in TP, are at best twice as fast.' : ''
  return named.length === 0
    ? [`${reading}, and no GPU of the catalogue reads memory ${figure(pace)} times as fast as ${own.id}.${halved}`]
    : [`${reading}, and these read memory so much faster than ${own.id}: ${named.join(', ')}.${halved}`]
}
