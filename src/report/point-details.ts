import { figure, type Generator, type LittlesLaw, type Point } from '../core/index.ts'
import { withInterval } from './interval.ts'
import { latenciesOf, latencyCells } from './latency.ts'
import { loadOf } from './load.ts'
import { type Content, html, type Markup } from './markup.ts'
import { missedInShort, warningsOf } from './words.ts'

/** Everything else that is known of a point: its requests, its latencies, and both forms of Little's law with their numbers. */
export function pointDetails(point: Point): Markup {
  const { window, requests, tokens, perUser, littlesLaw, generator, intervals } = point
  const warnings = warningsOf(point)
  return html`<details><summary>Load ${loadOf(point)} <span>· ${figure(window.endS - window.startS)} s · ${requests.sent} requests${warnings.length > 0 ? ` · ${warnings.length} to note` : ''}</span></summary>
${warnings.length > 0 ? html`<ul class="warnings warn">${warnings.map((warning) => html`<li>${warning}.</li>`)}</ul>` : undefined}
<dl class="facts">
${fact('requests begun inside', `${requests.ok} ok`, [...missedInShort(point), requests.cancelled > 0 && `${requests.cancelled} cancelled`, requests.dropped > 0 && `${requests.dropped} dropped`])}
${fact('output tok/s', withInterval(point.outputTokensPerSecond, intervals?.outputTokensPerSecond), [intervals?.outputTokensPerSecond !== undefined && `95 % by ${intervals.outputTokensPerSecond.batches} batches`])}
${fact('output tokens', figure(tokens.output), [`by ${tokens.source ?? 'nothing'}`, `${figure(tokens.input)} in`])}
${fact('tok/s/user', withInterval(perUser.tokensPerSecond.p50, intervals?.perUser?.tokensPerSecond.p50), [`mean ${known(perUser.tokensPerSecond.mean)}`, `p1 ${known(perUser.tokensPerSecond.p1)}`])}
${fact('slow side, p10', withInterval(perUser.tokensPerSecond.p10, intervals?.perUser?.tokensPerSecond.p10), ['tok/s/user'])}
${fact('end to end', known(perUser.endToEndTokensPerSecond.p50), ['tok/s/user, first token included'])}
${generatorFact(generator)}
</dl>
<div class="scroll"><table><thead><tr><th class="left">ms</th>${['mean', 'p50', 'p90', 'p95', 'p99', 'max'].map((head) => html`<th>${head}</th>`)}</tr></thead>
<tbody>${latenciesOf(point).map(([name, summary]) => html`<tr><td class="left">${name}</td>${latencyCells(summary).map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>
${latencyIntervals(point)}
${littleLines(littlesLaw)}
</details>
`
}

function latencyIntervals({ latency, intervals }: Point): Content {
  const known = [
    ['TTFT p50', latency.ttftMs.p50, intervals?.latency?.ttftMs?.p50],
    ['TTFT p99', latency.ttftMs.p99, intervals?.latency?.ttftMs?.p99],
    ['TPOT p50', latency.tpotMs.p50, intervals?.latency?.tpotMs?.p50],
  ] as const
  const told = known.flatMap(([name, value, interval]) =>
    interval === undefined ? [] : `${name} ${withInterval(value, interval)} ms`,
  )
  return told.length === 0 ? undefined : html`<p class="mute">95 % intervals: ${told.join(', ')}.</p>`
}

const known = (value: number | undefined): string => (value === undefined ? '–' : figure(value))

function fact(name: string, value: string, small: readonly (string | false)[]): Markup {
  const more = small.filter((part) => part !== false)
  return html`<div><dt>${name}</dt><dd>${value} <small>${more.join(', ')}</small></dd></div>`
}

function generatorFact({ cpu, eventLoopLagMs, lateMs }: Generator): Content {
  const told = [
    eventLoopLagMs?.p99 !== undefined && `lag p99 ${figure(eventLoopLagMs.p99)} ms`,
    lateMs?.p99 !== undefined && `late p99 ${figure(lateMs.p99)} ms`,
  ]
  if (cpu === undefined && told.every((part) => part === false)) return undefined
  return fact('load generator', cpu === undefined ? '' : `${figure(cpu)} cores`, told)
}

function littleLines(law: LittlesLaw): Markup {
  const {
    inFlight,
    completionsPerSecond: rate,
    timeInSystemS: stay,
    residual,
    decodeInFlight,
    decodeTokensPerSecondPerUser: pace,
  } = law
  const requests =
    stay === undefined
      ? html`<p>L = ${figure(inFlight)} in flight; no request left inside the window.</p>`
      : html`<p>L = λ·W: ${figure(rate)}/s × ${figure(stay)} s = ${figure(rate * stay)}, and ${figure(inFlight)} were in flight${residual === undefined ? '' : `: ${figure(Math.abs(100 * residual))} % apart`}.</p>`
  const tokens =
    pace === undefined
      ? undefined
      : html`<p>In tokens: ${figure(decodeInFlight)} decoding × ${figure(pace)} tok/s each = ${figure(decodeInFlight * pace)} tok/s of decode.</p>`
  return html`<div class="mute">${requests}${tokens}</div>`
}
