import type { Choice, ChosenPoint, Objectives, Point, Run, RunHeader, Search } from '../../core/index.ts'
import { createCurve } from '../curve.ts'
import type { Deployment } from '../fit/deployment.ts'
import { fitLaw } from '../fit/fit.ts'
import { frontierOf } from '../frontier.ts'
import { pointsOfRun } from '../points.ts'
import { type FindStep, findStep } from './find.ts'
import { sweepStep } from './sweep.ts'
import { type Objective, type Trial, trialsOf } from './trial.ts'
import { findSentence, sweepSentence } from './words.ts'

/** As much as one client is let loose with, unless loads are named. */
export const HIGHEST_LOAD = 4096

/** A run's own account of the loads that it chose by itself; `next` is the load to measure now, absent when the search is over. */
export interface SearchState {
  readonly search: Search
  /** The load that was found, as `choose` prints one. */
  readonly choices?: readonly Choice[]
  readonly next?: number
}

type Searching = Pick<RunHeader, 'workload' | 'hardware' | 'objectives'>

/**
 * How a search stands after these points: a pure function of the run, so that the loop that measures and a report of its folder
 * come to the same. Undefined where the run was not asked to search.
 */
export function searchOf(run: Searching, points: readonly Point[], deployment: Deployment): SearchState | undefined {
  const { search: kind, share, requests } = run.workload
  const highest = typeof requests === 'number' ? Math.min(requests, HIGHEST_LOAD) : HIGHEST_LOAD
  if (kind === 'find') {
    const objective = objectiveOf(run.objectives ?? {}, typeof share === 'number' ? share : undefined)
    return findState(run, points, objective, highest, deployment)
  }
  return kind === 'sweep' ? sweepState(run, points, highest) : undefined
}

/** A limit on TPOT is a pace. */
function objectiveOf({ tokensPerSecond, tpotMs, ttftMs }: Objectives, share: number | undefined): Objective {
  const floors = [tokensPerSecond, tpotMs && 1000 / tpotMs].filter((floor) => floor !== undefined)
  return {
    ...(floors.length > 0 && { floor: Math.max(...floors) }),
    ...(ttftMs !== undefined && { ttftMs }),
    ...(share !== undefined && { share }),
  }
}

function findState(
  { hardware }: Searching,
  points: readonly Point[],
  objective: Objective,
  highest: number,
  deployment: Deployment,
): SearchState {
  const trials = trialsOf(points, hardware, objective)
  const evidence = pointsOfRun(points, hardware, objective.share)
  const step = findStep({ trials, points: evidence, measured: points.length, objective, highest })
  const { next, held, within } = step
  const sentence = findSentence(step, objective)
  const search: Search = {
    kind: 'find',
    tried: points.map(({ load }) => triedOf(load.value, trials)),
    finished: next === undefined,
    ...(within !== undefined && { withinPct: 100 * within }),
    sentence,
  }
  if (next !== undefined) return { search, next }
  if (held === undefined) return { search }
  const { floor, ttftMs, share } = objective
  const fitted = fitLaw(evidence, { ...deployment, ...(share !== undefined && { share }) })
  const choice: Choice = {
    product: {
      name: 'objective',
      goal: 'pace',
      ...(floor !== undefined && { tokensPerSecond: floor }),
      ...(ttftMs !== undefined && { ttftMs }),
      ...(share !== undefined && { share }),
    },
    choice: chosen(held, deployment),
    bindingConstraint: step.binding ?? 'measuredRange',
    reason: sentence,
    fit: fitted.fit,
    frontier: frontierOf(evidence, createCurve(evidence, fitted), deployment.gpus),
    neighbours: neighboursOf(step, trials).map((trial) => chosen(trial, deployment)),
  }
  return { search, choices: [choice] }
}

function triedOf(load: number, trials: readonly Trial[]): Search['tried'][number] {
  const trial = trials.find((known) => known.load === load)
  return {
    concurrency: load,
    ...(trial && { verdict: trial.verdict }),
    ...(trial?.missed !== undefined && { missed: trial.missed }),
    ...(trial?.fault !== undefined && { fault: trial.fault }),
  }
}

/** The loads that were tried next below and above the answer. */
function neighboursOf({ held }: FindStep, trials: readonly Trial[]): readonly Trial[] {
  const at = trials.findIndex(({ load }) => load === held?.load)
  return [trials[at - 1], trials[at + 1]].filter((trial) => trial !== undefined)
}

/** Pace and wait are those of the share that was asked for. */
function chosen({ load, pace, ttftMs, outputTokensPerSecond }: Trial, { gpus }: Deployment): ChosenPoint {
  return {
    concurrency: load,
    tokensPerSecondPerUser: pace ?? 0,
    outputTokensPerSecond,
    ...(gpus !== undefined && { tokensPerSecondPerGpu: outputTokensPerSecond / gpus }),
    ...(ttftMs !== undefined && { ttftMs }),
    source: 'measured',
  }
}

function sweepState({ hardware }: Searching, points: readonly Point[], highest: number): SearchState {
  const step = sweepStep({ points: pointsOfRun(points, hardware), measured: points.length, highest })
  const { next, error, known, upTo, end } = step
  return {
    search: {
      kind: 'sweep',
      tried: points.map(({ load }) => ({ concurrency: load.value })),
      finished: next === undefined,
      ...(upTo > 0 && { upTo, endedBy: end, known }),
      ...(error !== undefined && { withinPct: 100 * error }),
      sentence: sweepSentence(step, points.length),
    },
    ...(next !== undefined && { next }),
  }
}

/** What a finished search says of a run; `next` is the loop's own. */
export function searchResult(
  run: Searching,
  points: readonly Point[],
  deployment: Deployment,
): Pick<Run, 'search' | 'choices'> {
  const state = searchOf(run, points, deployment)
  if (state === undefined) return {}
  const { search, choices } = state
  return { search, ...(choices !== undefined && { choices }) }
}
