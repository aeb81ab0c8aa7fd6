import { figure, type PaceConfidence } from '../../core/index.ts'
import { repeating } from '../../model/index.ts'
import type { ChosenPoint } from '../choice.ts'
import type { Evidence } from '../evidence.ts'

/** How sure the pace at the point is, by what it stands on. */
export function paceConfidence(point: ChosenPoint, { standing, curve }: Evidence): PaceConfidence {
  const { source, tokensPerSecondPerUser: pace } = point
  const known =
    point.low === undefined || point.high === undefined
      ? source === 'measured' && standing === undefined
        ? repeating(pace, pace)
        : undefined
      : { low: point.low, high: point.high }
  const range = known === undefined ? '' : `${figure(known.low)} to ${figure(known.high)} tok/s/user`
  const told = (kind: PaceConfidence['class'], what: string, how: string, unknown: string): PaceConfidence => ({
    class: kind,
    ...known,
    sentence: known === undefined ? `${what}: ${unknown}.` : `${what}: ${range}${how}.`,
  })
  const [nine, eight] = [', nine measurements in ten', ', eight measurements in ten']
  if (standing === 'newShape') {
    const what = 'The pace is foretold from measurements of other lengths or of another layout'
    return told('newShape', what, eight, 'how near it is, is not known')
  }
  if (standing === 'uncalibrated') {
    return told('uncalibrated', 'The pace is foretold from datasheets alone', eight, 'how near it is, is not known')
  }
  if (standing === 'interpolated') {
    return told('interpolated', 'The pace is foretold from measurements of just this', eight, 'how near is not known')
  }
  if (source === 'measured') {
    const what = point.low === undefined ? 'a measurement repeats to about 2 %' : 'its repeats lie so far apart'
    return told('measured', `The pace was measured at this load, and ${what}`, '', '')
  }
  if (source === 'fitted') {
    return told(
      'interpolated',
      'The load lies between two that were measured',
      nine,
      'how near its pace is, is not known',
    )
  }
  return curve.points.length === 0
    ? told('extrapolated', 'The pace is by the law alone', nine, 'nothing measured says how near it is')
    : told('extrapolated', 'The load lies outside what was measured', nine, 'how near its pace is, is not known')
}
