import { type Against, figure, percent } from '../../core/index.ts'
import type { ChosenPoint } from '../choice.ts'

/** What the point gains and gives up against each neighbour: at a greater load streams are slower and the server makes more. */
export function againstOf(point: ChosenPoint, neighbours: readonly ChosenPoint[]): readonly Against[] {
  return neighbours.map((other) => {
    const pace = point.tokensPerSecondPerUser / other.tokensPerSecondPerUser - 1
    const output = point.outputTokensPerSecond / other.outputTokensPerSecond - 1
    return {
      concurrency: other.concurrency,
      tokensPerSecondPerUser: pace,
      outputTokensPerSecond: output,
      sentence:
        `Against ${figure(other.concurrency)} in flight each stream has ${changed(pace)} pace ` +
        `(${figure(point.tokensPerSecondPerUser)} beside ${figure(other.tokensPerSecondPerUser)} tok/s) and the server makes ${changed(output)} ` +
        `(${figure(point.outputTokensPerSecond)} beside ${figure(other.outputTokensPerSecond)} tok/s).`,
    }
  })
}

/** `12 % more`, `as much`. */
function changed(share: number): string {
  const told = percent(Math.abs(share))
  return told === '0 %' ? 'as much' : `${told} ${share > 0 ? 'more' : 'less'}`
}
