/** What searches found, and what they are held against. */
import type { Run } from '../../src/core/index.ts'
import { createCurve, deploymentOf, fitLaw, pointsOfRun } from '../../src/model/index.ts'

/** Of the requests, in every find. */
export const SHARE = 0.9

/** A find, beside the least and the greatest load that may be called right. */
export interface FoundLoad {
  readonly floor: number
  readonly found: number
  readonly least: number
  readonly most: number
  /** Loads, in the order they were measured. */
  readonly tried: readonly number[]
}

/** One load of a frontier that was swept, beside the least and the greatest pace that it was seen to have. */
export interface ForetoldPace {
  readonly load: number
  readonly foretold: number
  readonly least: number
  readonly most: number
}

export interface SweptFrontier {
  readonly tried: readonly number[]
  readonly upTo: number
  readonly known: boolean
  readonly endedBy: string
  readonly paces: readonly ForetoldPace[]
}

/** How far outside of what may be called right; 0 inside. */
export function outside(value: number, least: number, most: number): number {
  if (value < least) return 1 - value / least
  return value > most ? value / most - 1 : 0
}

export function foundLoad(run: Run, floor: number, least: number, most: number): FoundLoad {
  const found = run.choices?.[0]?.choice.concurrency ?? 0
  return { floor, found, least, most, tried: triedBy(run) }
}

/** Every load of the sweep's range, by the curve through what it measured. `paceAt`: what it is held against, where that is known. */
export function sweptFrontier(
  run: Run,
  paceAt: (load: number) => readonly [least: number, most: number] | undefined,
): SweptFrontier {
  const { upTo = 0, known = false, endedBy = '' } = run.search ?? {}
  const points = pointsOfRun(run.points, run.hardware)
  const curve = createCurve(points, fitLaw(points, deploymentOf(run, run.points)))
  const paces = Array.from({ length: upTo }, (_, i) => i + 1).flatMap((load) => {
    const seen = paceAt(load)
    const foretold = curve.at(load)?.tokensPerSecondPerUser
    return seen === undefined || foretold === undefined ? [] : [{ load, foretold, least: seen[0], most: seen[1] }]
  })
  return { tried: triedBy(run), upTo, known, endedBy, paces }
}

const triedBy = (run: Run): readonly number[] => run.search?.tried.map(({ concurrency }) => concurrency) ?? []
