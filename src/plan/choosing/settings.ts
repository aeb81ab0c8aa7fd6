import { figure, greatestWhole, type Product, type ServerSettings } from '../../core/index.ts'
import { type Configuration, createStepModel, stepSeconds } from '../../model/index.ts'
import type { Candidate, MeanLengths } from '../candidate.ts'
import type { Evidence } from '../evidence.ts'
import { replicasOf } from '../replica.ts'
import { engineSettings } from './engines.ts'

/** Of which server the settings are, and what they are to hold. */
interface HeldPoint {
  readonly candidate: Pick<Candidate, 'engine' | 'copies' | 'configuration' | 'isSplit'>
  readonly evidence: Evidence
  readonly product: Product
  /** Of all that was measured, or of the unit. */
  readonly inFlight: number
  /** Absent: those that were measured. */
  readonly lengths?: MeanLengths
}

/**
 * What to set so that a server holds the point whatever comes: a limit on what is in flight in each replica, and what a step may take. With n in flight
 * that each make N tokens of a prompt of I, prompts are kept up with where a step reads n·I/N of them in the mean beside the n that decode:
 *
 *     least = n + n·I/N        most = n + P,  T(n) + d·P = 1/floor
 *
 * and no step is longer than the floor allows where it takes no more than the most.
 */
export function settingsOf({ candidate, evidence, product, inFlight, lengths: asked }: HeldPoint): ServerSettings {
  const replicas = replicasOf(evidence)
  const copies = candidate.copies ?? 1
  const perCopy = Math.max(1, Math.floor(inFlight / replicas / copies + 1e-9))
  const perReplica = Math.max(1, Math.floor(inFlight / replicas + 1e-9))
  const lengths: MeanLengths | undefined = asked ?? evidence.fit.lengths
  const { input, output } = lengths ?? {}
  const isRead = candidate.isSplit !== true && input !== undefined && output !== undefined
  const stepTokens = isRead
    ? budgetOf(candidate.configuration, evidence, product, perCopy, copies, { input, output })
    : undefined
  const limits = {
    inFlight: copies === 1 ? perReplica : perCopy * copies,
    copies,
    perCopy,
    ...(candidate.isSplit === true && { isSplit: true }),
    ...(input !== undefined && output !== undefined && { requestTokens: input + output }),
    ...(stepTokens !== undefined && { stepTokens }),
  }
  return {
    inFlight: limits.inFlight,
    ...(copies > 1 && { perCopy: { copies, inFlight: perCopy } }),
    ...(stepTokens !== undefined && { stepTokens }),
    engines: engineSettings(limits, candidate.engine),
    sentences: [
      limitSentence(limits, replicas, candidate.isSplit === true),
      ...(stepTokens === undefined || input === undefined || output === undefined
        ? []
        : [stepSentence(stepTokens, perCopy, { input, output }, product)]),
    ],
  }
}

type KnownLengths = Required<MeanLengths>

function budgetOf(
  configuration: Configuration | undefined,
  evidence: Evidence,
  { tokensPerSecond: floor }: Product,
  perCopy: number,
  copies: number,
  lengths: KnownLengths,
): NonNullable<ServerSettings['stepTokens']> {
  const least = Math.ceil(perCopy * (1 + lengths.input / lengths.output) - 1e-9)
  const room = floor === undefined ? undefined : promptRoom(configuration, evidence, floor, perCopy * copies, lengths)
  const most = room === undefined ? undefined : Math.floor(perCopy + room / copies)
  return { least, ...(most !== undefined && most >= least && { most }) }
}

/** Beyond this nothing is bound by it. */
const MOST_PROMPT_TOKENS = 2 ** 20

/** Prompt tokens that a step may read beside so many that decode before it takes longer than the floor allows; undefined where nobody knows. */
function promptRoom(
  configuration: Configuration | undefined,
  { curve }: Evidence,
  floor: number,
  sequences: number,
  { input, output }: KnownLengths,
): number | undefined {
  const contextTokens = input + output / 2
  if (configuration !== undefined) {
    const model = createStepModel(configuration)
    const takes = (prefillTokens: number): number =>
      model.stepSeconds({ sequences, contextTokens, prefillTokens, prefillContextTokens: input / 2 })
    if (takes(0) > 1 / floor || takes(MOST_PROMPT_TOKENS) <= 1 / floor) return undefined
    return greatestWhole(0, MOST_PROMPT_TOKENS, (tokens) => takes(tokens) <= 1 / floor)
  }
  const { law } = curve.fitted
  const { perPrefillTokenS = 0 } = law ?? {}
  if (law === undefined || perPrefillTokenS <= 0) return undefined
  const room = 1 / floor - stepSeconds(law, { batch: sequences, kvTokens: sequences * contextTokens })
  return room > 0 ? Math.min(MOST_PROMPT_TOKENS, room / perPrefillTokenS) : undefined
}

function limitSentence(
  { inFlight, copies, perCopy }: { readonly inFlight: number; readonly copies: number; readonly perCopy: number },
  replicas: number,
  isSplit: boolean,
): string {
  const each =
    copies === 1
      ? ''
      : `: ${figure(perCopy)} for each of ${figure(copies)} ${isSplit ? 'instances that decode' : 'copies'}`
  const all = replicas === 1 ? '' : ` (${figure(replicas)} replicas take ${figure(replicas * inFlight)})`
  const whom = isSplit ? 'the pools' : replicas === 1 ? 'the server' : 'each replica'
  return `Let ${whom} take at most ${figure(inFlight)} in flight${each}${all}; what comes beyond that waits and slows nobody down.`
}

function stepSentence(
  { least, most }: NonNullable<ServerSettings['stepTokens']>,
  n: number,
  { input, output }: KnownLengths,
  { tokensPerSecond: floor }: Product,
): string {
  const needs = `A step must have room for ${figure(least)} tokens: ${figure(n)} that decode, and ${figure(n)} × ${figure(input)} ÷ ${figure(output)} of prompts to keep up with them`
  if (most === undefined || floor === undefined) return `${needs}.`
  return `${needs}; with more than ${figure(most)} it takes longer than ${figure(1000 / floor)} ms, which is the floor.`
}
