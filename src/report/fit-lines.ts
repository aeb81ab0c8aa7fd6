import { type Fit, figure, type Interval } from '../core/index.ts'
import { equationOf } from './equation.ts'

/** What a fit says beyond its law: how sure the terms are, and the limits and prices that follow from them. One string a line. */
export function fitLines(fit: Fit, share?: number): readonly string[] {
  const ofServer = share === undefined ? [...speedLines(fit), ...limitLines(fit)] : []
  return [...intervalLines(fit), ...ofServer, ...kvLines(fit), ...lengthLines(fit)]
}

/** Only points of several lengths tell these terms. */
function lengthLines({ stepMs }: Fit): readonly string[] {
  const { perThousandKvTokens, perPrefillToken } = stepMs ?? {}
  return (perThousandKvTokens ?? perPrefillToken) === undefined
    ? []
    : ['The limits and the price are those of the first of these lengths.']
}

function intervalLines({ stepMs, stepMsInterval }: Fit): readonly string[] {
  if (stepMs === undefined || stepMsInterval === undefined) return []
  const { base, perSequence, experts, perThousandKvTokens, perPrefillToken } = stepMsInterval
  const intervals: readonly (readonly [string, Interval | undefined])[] = [
    ['base', base],
    ['per stream', perSequence],
    ['experts', experts],
    ['per thousand KV tokens', perThousandKvTokens],
    ['per prompt token', perPrefillToken],
  ]
  const told = intervals.flatMap(([name, interval]) =>
    interval === undefined ? [] : [`${name} ${figure(interval.low)} to ${figure(interval.high)} ms`],
  )
  return [`Nine times in ten its terms lie within: ${told.join(', ')}.`]
}

function speedLines({ soloTokensPerSecond: solo, priceOfSpeed: price, gpus }: Fit): readonly string[] {
  const perGpu =
    gpus === undefined || gpus === 1 || price?.tokensPerSecondPerGpu === undefined
      ? ''
      : ` (${figure(price.tokensPerSecondPerGpu)} per GPU)`
  const at = price?.batch === undefined ? '' : ` at a batch of ${figure(price.batch)}`
  return [
    ...(solo === undefined ? [] : [`One user alone: ${figure(solo)} tok/s.`]),
    ...(price === undefined
      ? []
      : [
          `Price of speed${at}: each tok/s more for a user costs ${figure(price.tokensPerSecond)} tok/s of the server${perGpu}.`,
        ]),
  ]
}

function limitLines({ stability, lengths, serverLimit }: Fit): readonly string[] {
  if (stability === undefined) return []
  const { tokensPerSecond, requestsPerSecond } = stability
  const requests =
    requestsPerSecond === undefined || lengths === undefined
      ? ''
      : `, ${figure(requestsPerSecond)} requests/s of ${figure(lengths.output)} tokens`
  const earlier = serverLimit === undefined ? '' : " The server's own limit ends it earlier."
  return [
    `Stability limit: ${figure(tokensPerSecond)} tok/s${requests}. Where more is asked for, the queue only grows.${earlier}`,
  ]
}

function kvLines({ kvLimit }: Fit): readonly string[] {
  if (kvLimit === undefined) return []
  const { tokens, tokensPerRequest, concurrency } = kvLimit
  return [
    `Memory: ${figure(tokens)} KV tokens hold ${figure(concurrency)} requests of ${figure(tokensPerRequest)} tokens each; more in flight only wait.`,
  ]
}

/** A law in the cell of a table. */
export function lawCell({ stepMs }: Fit): string {
  return stepMs === undefined ? 'none' : equationOf(stepMs).replace(/^T\(B\) = /, '')
}
