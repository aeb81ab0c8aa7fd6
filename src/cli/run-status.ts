import type { Progress } from '../load/index.ts'

const PHASES = { warmUp: 'warming up', window: 'measuring', hold: 'letting the last ones end' } as const

/** One line: `8 in flight · measuring 12 of 30 s · 96 requests`. */
export function statusOf(progress: Extract<Progress, { kind: 'point' }>): string {
  const { concurrency, phase, elapsedS, ofS, ofRequests, ended, failed } = progress
  const time =
    phase === 'window' && ofS !== undefined
      ? `${elapsedS.toFixed(0)} of ${ofS.toFixed(0)} s`
      : `${elapsedS.toFixed(0)} s`
  const requests = ofRequests === undefined ? `${ended} requests` : `${ended} of ${ofRequests} requests`
  return `${concurrency} in flight · ${PHASES[phase]} ${time} · ${requests}${failed === 0 ? '' : ` · ${failed} failed`}`
}
