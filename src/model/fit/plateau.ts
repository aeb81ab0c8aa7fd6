import { timeOf } from '../law.ts'
import type { LoadPoint } from '../points.ts'
import { formOf } from './form.ts'
import type { ServerLimit } from './limit.ts'
import { type Experts, fitLine, type Line, samplesOf } from './line.ts'

/** Outputs that differ by no more from their mean are the same. */
const LEVEL = 0.03
/** The law of the lower loads must say so much more, and lie outside its interval, at every load of the plateau; at its first the latter does. */
const SHORT = 0.1
/** A law of so many, foretelling at least so many more. */
const FEWEST_BELOW = 3
const FEWEST_LEVEL = 2

/**
 * The server's limit from loads and outputs alone, where neither pace nor TTFT is told, so that all in flight seem to decode:
 *
 *     tok/s         · · the law of the lower loads
 *           │     ·
 *           │   ∘───∘───∘   the server: more only wait
 *           │ ∘
 *           │∘
 *           └────────────── in flight
 *
 * The batch is where the law makes what the plateau makes.
 */
export function plateauOf(points: readonly LoadPoint[], experts: Experts | undefined): ServerLimit | undefined {
  if (points.some(({ batch, load, ttftMs }) => ttftMs !== undefined || Math.abs(batch / load - 1) > 1e-9)) {
    return undefined
  }
  const most = Math.max(0, points.at(-1)?.outputTokensPerSecond ?? 0)
  const first = points.length - lengthOfLevel(points, most)
  // The first of the level may be the last that the server still takes at once: then it is on the law of those below.
  for (const from of [first, first + 1]) {
    const [below, beyond] = [points.slice(0, from), points.slice(from)]
    const samples = samplesOf(below)
    const line = fitLine(samples, formOf(samples, experts))
    if (line === undefined || below.length < FEWEST_BELOW || beyond.length < FEWEST_LEVEL) continue
    if (beyond.every((point, i) => isShort(point, line, from === first && i === 0 ? 0 : SHORT))) {
      const batch = Math.min(batchAt(line, mean(beyond), points.at(-1)?.load ?? 1), beyond[0]?.load ?? 1)
      return { batch, load: Math.max(1, Math.round(batch)), beyond }
    }
  }
  return undefined
}

/** How many of the last points make the same. */
function lengthOfLevel(points: readonly LoadPoint[], output: number): number {
  let length = 0
  for (const { outputTokensPerSecond } of points.toReversed()) {
    if (Math.abs(outputTokensPerSecond / output - 1) > LEVEL) break
    length += 1
  }
  return length
}

function isShort(point: LoadPoint, line: Line, by: number): boolean {
  const more = Math.log(point.stepS / timeOf(line, point))
  return more > Math.max(Math.log1p(by), line.spread(point.batch))
}

const mean = (points: readonly LoadPoint[]): number =>
  points.reduce((sum, { outputTokensPerSecond }) => sum + outputTokensPerSecond, 0) / points.length

/** The batch at which a law makes so much, found by halving: output only grows with it. */
function batchAt(line: Line, output: number, highest: number): number {
  let [low, high] = [0, highest]
  for (let halving = 0; halving < 60; halving++) {
    const middle = (low + high) / 2
    if (middle / timeOf(line, { batch: middle }) < output) low = middle
    else high = middle
  }
  return high
}
