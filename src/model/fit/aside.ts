import { withinT } from '../../core/index.ts'
import { timeOf } from '../law.ts'
import type { LoadPoint } from '../points.ts'
import { formOf } from './form.ts'
import { foretold, leaveOneOut, rootMeanSquare } from './leave-one-out.ts'
import { type Experts, fitLine, samplesOf } from './line.ts'

/** B = 1 is below this: mean decode in flight is seldom whole. */
const SINGLE = 1.5

/**
 * An engine may take another path for one sequence alone (a matrix times a vector), so that T jumps between 1 and 2. The others
 * decide, and need one load more than their law has terms to do so: it goes where it lies outside their 90 % interval *and* leaving it
 * out brings their own leave-one-out error down by a third, also with the terms that it speaks for itself.
 */
export function offTheLine(points: readonly LoadPoint[], experts: Experts | undefined): readonly LoadPoint[] {
  const single = points.filter((point) => point.batch < SINGLE)
  if (single.length === 0) return []
  const others = samplesOf(points.filter((point) => point.batch >= SINGLE))
  const form = formOf(others, experts)
  const line = others.length <= form.terms.length ? undefined : fitLine(others, form)
  if (line === undefined) return []
  const outside = single.some(
    (point) => Math.abs(Math.log(point.stepS / timeOf(line, point))) > line.spread(point.batch, point),
  )
  const without = rootMeanSquare(leaveOneOut(others, others, form))
  const all = [...samplesOf(single), ...others]
  const speaks = formOf(all, experts)
  const withIt =
    speaks.experts === form.experts
      ? leaveOneOut(all, others, form)
      : foretold(all, speaks).flatMap((error) => error ?? [])
  return outside && without < (2 / 3) * rootMeanSquare(withIt) ? single : []
}

/** Less than this share of the highest output, at a load so many times as great, is less and not noise. */
const FALLS = 0.95
const GREATER = 1.2

/**
 * Points past the load of the highest output, where all of them make less: contexts pushed out of the memory and read again, mostly. In
 * the law more in flight always make more, so they are none of it. Points ascend by load.
 */
export function pastTheHighest(points: readonly LoadPoint[]): readonly LoadPoint[] {
  let highest = 0
  points.forEach((point, i) => {
    if (point.outputTokensPerSecond >= (points[highest]?.outputTokensPerSecond ?? 0)) highest = i
  })
  const { outputTokensPerSecond: most = 0, load = 0 } = points[highest] ?? {}
  const past = points.slice(highest + 1)
  const isLess = past.every((point) => point.outputTokensPerSecond < FALLS * most)
  return isLess && (past.at(-1)?.load ?? 0) >= GREATER * load ? past : []
}

/** An outlier may come by chance once in so many sets of points that have none. */
const BY_CHANCE = 0.01
/** And it must be this far from where its two neighbours put it, for a law that bends otherwise than the points makes none of them wrong. */
const FAR = 0.1
/** At most every fourth point may be one, of five or more. */
const FEWEST = 5
const MOST_SHARE = 0.25
/** From here on one point moves nothing, and asking of each what the others say takes the square of their number. */
const MANY = 100

/**
 * Points that something else slowed, or sped up: each is an inner one that lies off the straight piece between its neighbours *and* off
 * the law of the others, by Student's t on their own scatter. One hides another while both are in, so the worst are taken out one by one
 * first; then the most are believed that all stand against those left.
 */
export function outliersOf(points: readonly LoadPoint[], experts: Experts | undefined): readonly LoadPoint[] {
  const out: LoadPoint[] = []
  let kept = points
  while (kept.length >= FEWEST && kept.length <= MANY && out.length + 1 <= MOST_SHARE * points.length) {
    const worst = worstOf(kept, experts)
    if (worst === undefined) break
    out.push(worst)
    kept = kept.filter((point) => point !== worst)
  }
  while (out.length > 0) {
    const left = points.filter((point) => !out.includes(point))
    if (out.every((point) => chanceOf(point, left, experts) < BY_CHANCE / points.length)) break
    out.pop()
  }
  return out
}

/** Of those off their piece, the one farthest off the law of the others. */
function worstOf(points: readonly LoadPoint[], experts: Experts | undefined): LoadPoint | undefined {
  let worst: { readonly point: LoadPoint; readonly chance: number } | undefined
  points.forEach((point, i) => {
    const [before, after] = [points[i - 1], points[i + 1]]
    if (before === undefined || after === undefined || !isOffThePiece(point, before, after)) return
    const others = points.filter((other) => other !== point)
    const chance = chanceOf(point, others, experts)
    if (chance < (worst?.chance ?? 1)) worst = { point, chance }
  })
  return worst?.point
}

function isOffThePiece(point: LoadPoint, before: LoadPoint, after: LoadPoint): boolean {
  const gap = after.batch - before.batch
  const share = gap === 0 ? 0.5 : (point.batch - before.batch) / gap
  const piece = before.stepS + share * (after.stepS - before.stepS)
  return Math.abs(piece / point.stepS - 1) > FAR
}

/** That a point of the others' law lies so far from it. */
function chanceOf(point: LoadPoint, others: readonly LoadPoint[], experts: Experts | undefined): number {
  const samples = samplesOf(others)
  const form = formOf(samples, experts)
  const line = fitLine(samples, form)
  if (line === undefined || samples.length <= form.terms.length) return 1
  const off = Math.abs(Math.log(point.stepS / timeOf(line, point)))
  return 1 - withinT(off / line.deviation(point.batch, point), line.freedom)
}
