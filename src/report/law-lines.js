import { figure } from '../core/index.ts'
/** The law in words a person can check: its two terms, where it ends, how far it is off, what it left out. One string a line. */
export function lawLines(fit) {
  if (fit === undefined) return ['Law: none, for no point has a pace.']
  return [...termLines(fit), ...limitLines(fit), ...setAsideLines(fit)]
}
function termLines(fit) {
  const { stepMs, soloLimitTokensPerSecond: solo, ceilingTokensPerSecond: ceiling, halfBatch, why } = fit
  if (stepMs === undefined) return [`Law: none, for ${why.join('; ')}.`]
  const unit = fit.ceilingTokensPerSecondPerGpu === undefined ? '' : perGpu(fit)
  return [
    `Law: one decode step of B streams takes T(B) = ${figure(stepMs.base)} ms + ${figure(stepMs.perSequence)} ms × B; a user gets 1/T, the server makes B/T.`,
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
function perGpu({ ceilingTokensPerSecondPerGpu: ceiling, gpus }) {
  return gpus === undefined || gpus === 1 || ceiling === undefined ? '' : ` (${figure(ceiling)} per GPU)`
}
function errorLine({ errorPct, errorFrom, reliable, why }) {
  const of = errorFrom === 'leaveOneOut' ? 'at loads it had not seen (leave-one-out)' : 'at the loads it was fitted to'
  const error = errorPct < 0.05 ? 'less than 0.1' : figure(errorPct)
  return `Its error: ${error} % ${of}${reliable ? '' : `. Not reliable: ${why.join('; ')}`}.`
}
function limitLines({ serverLimit }) {
  return serverLimit === undefined
    ? []
    : [
        `The server's limit: a replica decodes at most about ${figure(serverLimit)} at once. More load waits for its first token; it does not slow the streams.`,
      ]
}
const WHY_ASIDE = {
  singleSequence: 'one stream alone lies off the line of the others (engines take another path for it)',
  serverLimit: "beyond the server's limit",
  generatorSaturated: 'the load generator was saturated',
  failures: 'too many requests failed',
}
/** A stable word of `setAside` in plain words; one that is not known is shown as it is. */
export function whyAside(word) {
  return WHY_ASIDE[word] ?? word
}
function setAsideLines({ setAside = [] }) {
  const words = [...new Set(setAside.map(({ why }) => why))]
  return words.map((word) => {
    const points = setAside.filter(({ why }) => why === word).map(({ point }) => point + 1)
    return `Left out of the law: point${points.length > 1 ? 's' : ''} ${points.join(', ')}, ${whyAside(word)}.`
  })
}
