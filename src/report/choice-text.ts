import { figure, percent, portion } from '../core/index.ts'
import type { Advice, Choice, Evidence } from '../plan/index.ts'
import { linesOfLaw } from './law-lines.ts'
import { textTable } from './table.ts'

/** What `choose` prints for a person: the two speeds, the law, then the choice, or the advice where no objective was given. */
export function choiceText(evidence: Evidence, choice: Choice | undefined, advice: readonly Advice[]): string {
  const conclusion = choice === undefined ? advice.map(({ sentence }) => sentence) : [headline(choice), choice.reason]
  return [
    speedsTable(evidence),
    linesOfLaw(evidence.fit, loadName(evidence), evidence.share).join('\n'),
    conclusion.join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
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
