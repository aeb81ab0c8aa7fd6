import { figure, percent, portion } from '../core/index.ts'
import type { Advice, Choice, Evidence } from '../plan/index.ts'
import { linesOfLaw } from './law-lines.ts'
import { textTable } from './table.ts'

/** What `choose` prints for a person: the two speeds, the law, then the choice, or the advice where no objective was given. */
export function choiceText(evidence: Evidence, choice: Choice | undefined, advice: readonly Advice[]): string {
  const conclusion = choice === undefined ? advice.map(({ sentence }) => sentence) : [headline(choice), choice.reason]
  return [speedsTable(evidence), lawLines(evidence).join('\n'), conclusion.join('\n')]
    .filter((part) => part !== '')
    .join('\n\n')
}

/**
 * With a share the law is of a slow request's pace: it tells no ceiling of the server, whose output is that of all of them. The lines that
 * would say so are the first two of a law that has terms.
 */
function lawLines(evidence: Evidence): readonly string[] {
  const { fit, share } = evidence
  const lines = linesOfLaw(fit, loadName(evidence))
  if (share === undefined || fit.stepMs === undefined) return lines
  const { base, perSequence } = fit.stepMs
  const law = `Law of the pace that ${portion(share)} of requests have at least, of B streams: 1 / T(B), T(B) = ${figure(base)} ms + ${figure(perSequence)} ms × B.`
  return [law, ...lines.slice(2)]
}

function loadName({ points }: Evidence): (index: number) => string {
  const loads = new Map(points.flatMap(({ members, load }) => members.map((member) => [member, load] as const)))
  return (index) => figure(loads.get(index) ?? index + 1)
}

function headline({ product, choice }: Choice): string {
  const { concurrency, tokensPerSecondPerUser: pace, outputTokensPerSecond: output, source, low, high } = choice
  const around = low === undefined || high === undefined ? '' : ` (${figure(low)} to ${figure(high)}, 90 % interval)`
  const whom = product.name === 'objective' ? '' : ` for ${product.name}`
  const had = product.share === undefined ? '' : `${portion(product.share)} of requests have at least `
  return `Choice${whom}: ${figure(concurrency)} in flight, ${source}: ${had}${figure(pace)} tok/s/user${around}, ${figure(output)} tok/s.`
}

/** Each measured load with both speeds, and what they gained and lost against the least load; with a share, what so many requests have. */
function speedsTable({ curve, gpus, share, isOfRun }: Evidence): string {
  const [first] = curve.points
  if (first === undefined) return ''
  const waits = curve.points.some((point) => point.ttftMs !== undefined)
  const many = gpus !== undefined && gpus > 1
  const change = (now: number, then: number): string => `${now >= then ? '+' : ''}${percent(now / then - 1)}`
  return textTable(
    [
      { head: ['in flight', ''] },
      { head: ['tok/s/user', share === undefined ? (isOfRun ? 'mean' : '') : `${portion(share)} ≥`] },
      { head: ['tok/s', 'server'] },
      ...(many ? [{ head: ['tok/s', 'per GPU'] }] : []),
      ...(waits ? [{ head: ['TTFT, ms', share === undefined ? (isOfRun ? 'p50' : '') : `${portion(share)} ≤`] }] : []),
      { head: ['pace', `vs ${figure(first.load)}`] },
      { head: ['aggregate', `vs ${figure(first.load)}`] },
    ],
    curve.points.map((point) => [
      figure(point.load),
      figure(1 / point.stepS),
      figure(point.outputTokensPerSecond),
      ...(many ? [figure(point.outputTokensPerSecond / gpus)] : []),
      ...(waits ? [point.ttftMs === undefined ? '–' : figure(point.ttftMs)] : []),
      point === first ? '' : change(first.stepS, point.stepS),
      point === first ? '' : change(point.outputTokensPerSecond, first.outputTokensPerSecond),
    ]),
  )
}
