import { figure, percent } from '../core/index.ts'
import { adviceOn, type Choice, type Evidence } from '../plan/index.ts'
import { linesOfLaw } from './law-lines.ts'
import { textTable } from './table.ts'

/** What `choose` prints for a person: the two speeds, the law, then the choice, or advice where no objective was given. */
export function choiceText(evidence: Evidence, choice: Choice | undefined): string {
  const conclusion =
    choice === undefined
      ? adviceOn(evidence)
          .map(({ sentence }) => sentence)
          .join('\n')
      : [headline(choice), choice.reason].join('\n')
  return [speedsTable(evidence), linesOfLaw(evidence.fit, loadName(evidence)).join('\n'), conclusion]
    .filter((part) => part !== '')
    .join('\n\n')
}

const loadName =
  ({ points }: Evidence) =>
  (index: number): string =>
    figure(points.find(({ members }) => members.includes(index))?.load ?? index + 1)

function headline({ product, choice }: Choice): string {
  const { concurrency, tokensPerSecondPerUser: pace, outputTokensPerSecond: output, source, low, high } = choice
  const around = low === undefined || high === undefined ? '' : ` (${figure(low)} to ${figure(high)})`
  const whom = product.name === 'objective' ? '' : ` for ${product.name}`
  return `Choice${whom}: ${figure(concurrency)} in flight, ${source}: ${figure(pace)} tok/s/user${around}, ${figure(output)} tok/s.`
}

/** Each measured load with both speeds, and what they gained and lost against the least load. */
function speedsTable({ curve, gpus }: Evidence): string {
  const [first] = curve.points
  if (first === undefined) return ''
  const waits = curve.points.some((point) => point.ttftMs !== undefined)
  const many = gpus !== undefined && gpus > 1
  const change = (now: number, then: number): string => `${now >= then ? '+' : ''}${percent(now / then - 1)}`
  return textTable(
    [
      { head: ['in flight', ''] },
      { head: ['tok/s/user', ''] },
      { head: ['tok/s', 'server'] },
      ...(many ? [{ head: ['tok/s', 'per GPU'] }] : []),
      ...(waits ? [{ head: ['TTFT', 'ms'] }] : []),
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
