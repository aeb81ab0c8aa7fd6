import { type Amount, checkAmounts, isWithin, RANGES } from '../../core/index.ts'
import type { LoadPoint } from '../points.ts'
import type { Deployment } from './deployment.ts'

/** Throws INVALID_VALUE where a number of a point, or of the server, is none or absurd: a law fitted to it would be nothing. */
export function checkEvidence(points: readonly LoadPoint[], deployment: Deployment): void {
  const { gpus, replicas, kvTokens, lengths, experts } = deployment
  checkAmounts([
    ...points.filter((point) => !isSound(point)).flatMap(amountsOf),
    ['the number of GPUs', gpus, RANGES.count],
    ['the number of replicas', replicas, RANGES.count],
    ['the tokens that the cache holds', kvTokens, RANGES.tokens],
    ['the input length', lengths?.input, { ...RANGES.tokens, least: 0 }],
    ['the output length', lengths?.output, RANGES.tokens],
    ['the experts in all', experts?.all, RANGES.count],
    ['the experts of a token', experts?.active, { ...RANGES.count, most: experts?.all ?? 1 }],
  ])
}

/** Of a million points each: nothing is made for those that are sound. */
function isSound({ load, batch, stepS, outputTokensPerSecond, ttftMs = 0 }: LoadPoint): boolean {
  return (
    isWithin(load, RANGES.measured) &&
    isWithin(batch, RANGES.measured) &&
    isWithin(stepS, RANGES.measured) &&
    isWithin(outputTokensPerSecond, RANGES.measured) &&
    (ttftMs === 0 || isWithin(ttftMs, RANGES.measured))
  )
}

function amountsOf({ load, batch, stepS, outputTokensPerSecond, ttftMs }: LoadPoint): readonly Amount[] {
  return [
    ['a load', load, RANGES.measured],
    [`the sequences at once, of load ${load},`, batch, RANGES.measured],
    [`the seconds of a step at load ${load}`, stepS, RANGES.measured],
    [`the output in tok/s at load ${load}`, outputTokensPerSecond, RANGES.measured],
    [`the wait for a first token in ms at load ${load}`, ttftMs, { ...RANGES.measured, least: 0 }],
  ]
}
