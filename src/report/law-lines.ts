import { type Fit, figure, portion, type Run } from '../core/index.ts'
import { equationOf, symbolsOf } from './equation.ts'
import { loadOf } from './load.ts'
import { asSimulated, isMixed, isOfSimulator } from './simulated.ts'

/** The law of a run in words a person can check: its two terms, where it ends, how far it is off, what it left out. One string a line. */
export function lawLines({ fit, points }: Run): readonly string[] {
  if (isMixed({ points })) return ['Law: none, for a law is of requests of one kind, and here are several lanes.']
  const aside = new Set(fit?.setAside?.map(({ point }) => point))
  const lines = linesOfLaw(fit, (index) => {
    const point = points[index]
    if (point === undefined) return `point ${index + 1}`
    const name = loadOf(point)
    const isKept = points.some((other, i) => i !== index && !aside.has(i) && loadOf(other) === name)
    return isKept ? `${name} (one of its points; another stands)` : name
  })
  return isOfSimulator({ points }) ? lines.map(asSimulated) : lines
}

/**
 * The same for any fit, given the name of the load of each of its points. With a share the law is of a slow request's pace: it tells no
 * ceiling of the server, whose output is that of all of them.
 */
export function linesOfLaw(
  fit: Fit | undefined,
  loadName: (index: number) => string,
  share?: number,
): readonly string[] {
  if (fit === undefined) return ['Law: none, for no point has a pace.']
  return [...termLines(fit, share), ...limitLines(fit), ...setAsideLines(fit, loadName)]
}

function termLines(fit: Fit, share: number | undefined): string[] {
  const { stepMs, soloLimitTokensPerSecond: solo, ceilingTokensPerSecond: ceiling, halfBatch, why } = fit
  if (stepMs === undefined) return [`Law: none, for ${why.join('; ')}.`]
  const symbols = symbolsOf(stepMs)
  const where = symbols === '' ? '' : `, ${symbols}`
  if (share !== undefined) {
    const law = `Law of the pace that ${portion(share)} of requests have at least, of B streams: 1 / T(B), ${equationOf(stepMs)}${where}.`
    return [law, errorLine(fit)]
  }
  const unit = fit.ceilingTokensPerSecondPerGpu === undefined ? '' : perGpu(fit)
  return [
    `Law: one decode step of B streams takes ${equationOf(stepMs)}${where}; a user gets 1/T, the server makes B/T.`,
    [
      solo === undefined ? 'Solo limit: none found' : `Solo limit: ${figure(solo)} tok/s/user`,
      ceiling === undefined ? 'ceiling: none found' : `ceiling: ${figure(ceiling)} tok/s${unit}`,
      halfBatch === undefined ? undefined : `half-batch: ${figure(halfBatch)}`,
    ]
      .filter((part) => part !== undefined)
      .join(' · '),
    errorLine(fit),
  ]
}

function perGpu({ ceilingTokensPerSecondPerGpu: ceiling, gpus }: Fit): string {
  return gpus === undefined || gpus === 1 || ceiling === undefined ? '' : ` (${figure(ceiling)} per GPU)`
}

function errorLine({ errorPct, errorFrom, given, reliable, why }: Fit): string {
  const seen = given === true ? 'at the points given, which it was not fitted to' : 'at the loads it was fitted to'
  const of = errorFrom === 'leaveOneOut' ? 'at loads it had not seen (leave-one-out)' : seen
  const error = `Its error: ${errorPct < 0.05 ? 'under 0.1' : figure(errorPct)} % ${of}.`
  const doubt = `Not reliable: ${why.join('; ')}.`
  // A residual of nothing is no error told: two points always lie on their line.
  if (errorFrom === 'residual' && given !== true && errorPct < 0.05) return reliable ? error : doubt
  return reliable ? error : `${error} ${doubt}`
}

function limitLines({ serverLimit, serverLimitBy: by }: Fit): string[] {
  if (serverLimit === undefined) return []
  const limit =
    by === 'prefill' || by === 'link'
      ? `The limit: with about ${figure(serverLimit)} that decode at once ${READING[by]} busy for as much of the time as is planned for.`
      : `The server's limit: a replica decodes at most about ${figure(serverLimit)} at once.`
  return [`${limit} More load waits for its first token; it does not slow the streams.`]
}

const READING = { prefill: 'those that read prompts are', link: 'the link that carries their cache on is' } as const

const WHY_ASIDE: Readonly<Record<string, string>> = {
  singleSequence: 'one stream alone lies off the line of the others (engines take another path for it)',
  serverLimit: "beyond the server's limit",
  generatorSaturated: 'the load generator was saturated',
  cutShort: 'it was cut short before every user had an answer',
  unanswered: 'some requests were not answered when the simulation ended',
  hardlyMeasured:
    'it was hardly measured: not every user had an answer, or those who left are no measure of those in flight',
  failures: 'too many requests failed',
  outlier: 'it lies off the law of the others, which agree without it',
  outputFalls: 'more load made less output there: the server was past its best, and its pace says nothing of the law',
}

/** A stable word of `setAside` in plain words; one that is not known is shown as it is. */
export function whyAside(word: string): string {
  return WHY_ASIDE[word] ?? word
}

function setAsideLines({ setAside = [] }: Fit, loadName: (index: number) => string): string[] {
  const words = [...new Set(setAside.map(({ why }) => why))]
  return words.map((word) => {
    const loads = setAside.filter(({ why }) => why === word).map(({ point }) => loadName(point))
    return `Left out of the law: load ${[...new Set(loads)].join(', ')}: ${whyAside(word)}.`
  })
}
