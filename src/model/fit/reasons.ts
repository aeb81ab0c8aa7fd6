import { figure, percent } from '../../core/index.ts'
import type { LoadPoint } from '../points.ts'
import { type Errors, TOLERABLE } from './errors.ts'
import { AFFINE, type Form, type Line } from './line.ts'
import type { Sweep } from './sweep.ts'

/** A pace may come out so much higher at the greater load by noise. */
const RISES = 1.05

/** What no law of this kind can be right about, whatever its terms: more in flight that make less, or that run faster each. */
export function contradictions({ agreed, falls }: Sweep): string[] {
  const why: string[] = []
  const [fallen] = falls
  const highest = fallen && agreed[agreed.indexOf(fallen) - 1]
  if (fallen !== undefined && highest !== undefined) {
    why.push(
      `at ${saying(fallen)} the server makes ${figure(fallen.outputTokensPerSecond)} tok/s, less than the ${figure(highest.outputTokensPerSecond)} at ${figure(highest.load)}`,
    )
  }
  const rise = agreed.findIndex((point, i) => (agreed[i - 1]?.stepS ?? 0) > RISES * point.stepS)
  const [low, high] = [agreed[rise - 1], agreed[rise]]
  if (low !== undefined && high !== undefined) {
    why.push(
      `pace rises with load, from ${figure(1 / low.stepS)} tok/s/user at ${saying(low)} to ${figure(1 / high.stepS)} at ${figure(high.load)}`,
    )
  }
  return why
}

const saying = ({ load }: LoadPoint): string => `${figure(load)} in flight`

/** What leaves the law, or what it says, in doubt; in words. */
export function reasons(kept: readonly LoadPoint[], line: Line | undefined, errors: Errors): string[] {
  if (kept.length === 0) return ['no point is left to fit a law to']
  if (line === undefined) return [`${kept.length === 1 ? 'one load does' : 'loads of one batch do'} not make a line`]
  const why: string[] = []
  // Beside the experts' term either may be 0 and the law still go through the points; whether it does, their error says.
  if (line.form === AFFINE && line.clamped.includes('base'))
    why.push('the line would need a step that takes less than no time for an empty batch, so the base is 0')
  if (kept.length === 2) why.push('two loads make a line without showing its error')
  if (errors.law > TOLERABLE) {
    why.push(`its error is over ${percent(TOLERABLE)}`)
  } else if (errors.misfit) {
    why.push(
      errors.from === 'residual'
        ? `three points miss their ${nameOf(line.form)} by ${percent(errors.law)}`
        : `the points bend away from the ${nameOf(line.form)}: pieces from point to point miss by ${percent(errors.pieces)}, the ${nameOf(line.form)} by ${percent(errors.law)}`,
    )
  }
  return why
}

const nameOf = (form: Form): string => (form === AFFINE ? 'line' : 'law')
