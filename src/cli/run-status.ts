import { loadName } from '../core/index.ts'
import type { Progress } from '../load/index.ts'
import type { ProgressLine } from './progress.ts'

const PHASES = { warmUp: 'warming up', window: 'measuring', hold: 'letting the last ones end' } as const

/** Says what a run tells of itself. */
export function tell(
  line: ProgressLine,
  progress: Exclude<Progress, { kind: 'folder' | 'allFailed' | 'notHeld' }>,
): void {
  if (progress.kind === 'note') line.say(progress.text)
  else if (progress.kind === 'status') line.status(progress.text)
  else if (progress.kind === 'point') line.status(statusOf(progress))
  else {
    const { load, outputTokensPerSecond, reasons } = progress
    const doubt = reasons.length === 0 ? '' : ` (${reasons.map(inWords).join(', ')})`
    line.say(`${loadName(load)}: ${outputTokensPerSecond.toFixed(1)} tok/s${doubt}`)
  }
}

/** `windowTooShort` as a person writes it. */
const inWords = (reason: string): string => reason.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** One line: `8 users · measuring 12 of 30 s · 96 requests`. */
function statusOf(progress: Extract<Progress, { kind: 'point' }>): string {
  const { load, phase, elapsedS, ofS, ofRequests, inFlight, ended, failed, dropped } = progress
  const time =
    phase === 'window' && ofS !== undefined
      ? `${elapsedS.toFixed(0)} of ${ofS.toFixed(0)} s`
      : `${elapsedS.toFixed(0)} s`
  const requests = ofRequests === undefined ? `${ended} requests` : `${ended} of ${ofRequests} requests`
  return [
    loadName(load),
    `${PHASES[phase]} ${time}`,
    ...(load.kind === 'concurrency' ? [] : [`${inFlight} in flight`]),
    requests,
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(dropped === 0 ? [] : [`${dropped} dropped`]),
  ].join(' · ')
}
