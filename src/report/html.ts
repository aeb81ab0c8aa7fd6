import { type Fit, figure, percent, type Run } from '../core/index.ts'
import { type Advice, type Evidence, evidenceOfRun } from '../plan/index.ts'
import { conclusionsOf } from './conclusions.ts'
import { termsOf } from './equation.ts'
import { frontierChart, trustOf } from './frontier-chart.ts'
import { isSimulated, measuredOn, perWhat, titleOf } from './heading.ts'
import { latencyTable } from './latency.ts'
import { lawLines } from './law-lines.ts'
import { inFlightName } from './load.ts'
import { type Content, html, type Markup } from './markup.ts'
import { chartMarkup, page, tableMarkup } from './page.ts'
import { pointDetails } from './point-details.ts'
import { tableNotes, tableOf } from './points-table.ts'
import { repeatLines, repeatsTable } from './repeats-table.ts'
import { searchMarkup } from './search-text.ts'
import { asSimulated, isMixed, isOfSimulator } from './simulated.ts'
import { overTime } from './simulation-charts.ts'
import { simulationDoubts } from './simulation-doubts.ts'
import { lanesTable, poolsTable, simulationNotes } from './simulation-tables.ts'
import { warningLines } from './words.ts'

/** A run as one HTML file that needs nothing else: the answer, the frontier, the law, the table, every point, and what was asked. */
export function htmlReport(run: Run): string {
  const evidence = evidenceOfRun(run)
  const advice = conclusionsOf(run, evidence)
  const title = titleOf(run)
  const isOfLaw = isSimulated(run)
  return page({
    title,
    generator: `twospeed ${run.twospeed}`,
    header: html`${isOfLaw ? html`<div class="badge">SIMULATED</div>` : undefined}
<h1>${isOfLaw ? title.replace('SIMULATED: the', 'The') : title}</h1>
<ul class="meta">${measuredOn(run).map((part) => html`<li>${part}</li>`)}</ul>
${isOfLaw ? html`<p class="warn">${whatIsSimulated(run)}</p>` : undefined}`,
    main: html`${doubt(run)}
${advice.length === 0 ? undefined : html`<section class="cards">${advice.map((each) => card(each, run, evidence))}</section>`}
${isMixed(run) ? undefined : evidence.points.length === 0 ? html`<p>No point has a pace of a user, so there is no frontier to draw.</p>` : chart(frontierChart(evidence, advice, title, perWhat(run), run.points), run)}
${searchMarkup(run)}
<section><h2>The law</h2>${law(run)}</section>
<section><h2>${isOfSimulator(run) ? 'What was simulated' : 'What was measured'}</h2>${table(run)}</section>
${simulation(run)}
${repeats(run)}
${latencies(run)}
<section><h2>Each load</h2>${run.points.map(pointDetails)}</section>
<section><h2>What was asked</h2>${asked(run)}</section>`,
    footer: html`twospeed ${run.twospeed} · ${run.schema} · <code>twospeed report</code> with the run folder computes every figure here from its records.`,
  })
}

const whatIsSimulated = (run: Run): string =>
  isOfSimulator(run)
    ? 'No server ran: a simulator added up the steps that the law, or the datasheets, put in give.'
    : 'These speeds are those of a law that was put in, over a real network and clock. No model computed them.'

/** What only a simulator sees. */
function simulation(run: Run): Content {
  const [lanes, pools] = [lanesTable(run), poolsTable(run)]
  if (pools === undefined) return undefined
  return html`${lanes === undefined ? undefined : html`<section><h2>Each lane</h2>${tableMarkup(lanes, 'Each lane')}</section>`}
<section><h2>Inside the fleet</h2>${tableMarkup(pools, 'Inside the fleet')}
${simulationNotes(run).map((note) => html`<p class="mute">${note}</p>`)}
${overTime(run)}</section>`
}

/** Said before any figure of the law: nothing below it is to be read without. */
function doubt({ fit, points }: Run): Markup | undefined {
  const seen = isOfSimulator({ points }) ? 'simulated' : 'measured'
  if (fit === undefined || trustOf(fit) !== 'refuted') return undefined
  const { why, errorPct, errorFrom } = fit
  const what = errorFrom === 'leaveOneOut' ? 'loads it has not seen' : 'the loads it was fitted to'
  return html`<p class="banner" role="note"><b>The law is not reliable here:</b> ${why.join('; ')}. It misses ${what} by ${figure(errorPct)} %. Trust the ${seen} points; what lies between or beyond them is a guess.</p>`
}

const CARDS: Readonly<Record<string, string>> = {
  batch: 'Overnight batch',
  objective: 'Your objective',
  chat: 'Chat',
  'half pace': 'Half pace',
}

function card({ product, choice, sentence }: Advice, run: Run, evidence: Evidence): Markup {
  const name = CARDS[product.name] ?? product.name
  if (choice === undefined) return html`<article class="card"><h3>${name}</h3><p>${sentence}</p></article>`
  const { concurrency, tokensPerSecondPerUser, outputTokensPerSecond, tokensPerSecondPerGpu, source } = choice.choice
  return html`<article class="card"><h3>${name}</h3>
<div class="load">${inFlightName(concurrency, evidence, run.points)}${source === 'measured' ? '' : ` (${source})`}</div>
<div class="speeds"><div><b>${figure(tokensPerSecondPerUser)}</b><span>tok/s per user, ${paceWords(product.share)}</span></div>
<div><b>${figure(tokensPerSecondPerGpu ?? outputTokensPerSecond)}</b><span>tok/s per ${perWhat(run)}</span></div></div>
<p>${sentence}</p></article>`
}

/** Of a share the pace is that which so many requests have at least. */
const paceWords = (share: number | undefined): string =>
  share === undefined ? 'mean' : `${percent(share)} of requests have at least that`

function chart(svg: string, run: Run): Markup {
  const { fit, frontier } = run
  const lawful = frontier?.some(({ low }) => low !== undefined) === true
  const refuted = fit !== undefined && trustOf(fit) === 'refuted'
  const length = fit?.lengths?.output
  const caption = [
    'Each point is a load that was measured; to the right a user is faster, upward the server makes more.',
    svg.includes('class="error"') && 'Its bars are 95 % intervals.',
    lawful && refuted
      ? 'The dashed line is the law, which the points do not bear out: it has no band, and is cut off where they end.'
      : lawful
        ? 'The line is the law; the band is where a measurement would fall nine times in ten.'
        : 'No law fits the points, so they are joined as they are.',
    lawful &&
      length !== undefined &&
      `The first token of an answer, one in ${figure(length)}, needs no decode step and comes on top of the line.`,
    fit?.serverLimit !== undefined &&
      'Diamonds are loads beyond what the server decodes at once: they wait, and make nothing more.',
  ]
  const words = caption.filter((part) => part !== false).join(' ')
  return html`<section><h2>The frontier</h2>${chartMarkup(svg, 'The frontier', isOfSimulator(run) ? asSimulated(words) : words)}</section>`
}

function law(run: Run): Markup {
  const [, ...others] = lawLines(run)
  const { fit } = run
  if (fit?.stepMs === undefined) return html`<p>${lawLines(run)[0]}</p>`
  const { stepMs } = fit
  const terms = termsOf(stepMs).map(
    ({ ms, times }, i) => html`${i === 0 ? '' : ' + '}<b>${ms}</b>${times === '' ? '' : ` · ${times}`}`,
  )
  const trade =
    stepMs.experts === undefined
      ? 'The two trade along a straight line.'
      : 'More streams touch more experts, so the two trade along a line that bends.'
  return html`<div class="equation">T(B) = ${terms}</div>
<p class="mute">T is the time of one decode step of B streams. Each gets a token a step, so a user sees 1/T and the server makes B/T. ${trade}</p>
<dl class="facts">${lawFacts(fit)}</dl>
<ul class="warnings">${others.slice(1).map((line) => html`<li>${line}</li>`)}</ul>`
}

function lawFacts(fit: Fit): Content {
  const {
    soloLimitTokensPerSecond: solo,
    ceilingTokensPerSecond: ceiling,
    ceilingTokensPerSecondPerGpu: perGpu,
    halfBatch,
    range,
  } = fit
  const isStraight = fit.stepMs?.experts === undefined
  const facts = [
    ['solo limit, 1/a', solo, 'tok/s per user'],
    ['ceiling, 1/b', perGpu ?? ceiling, perGpu === undefined ? 'tok/s per server' : 'tok/s per GPU'],
    [
      isStraight ? 'half-batch, a/b' : 'half-batch',
      halfBatch,
      isStraight ? 'streams: both speeds at half their limit' : 'streams: throughput at half its ceiling',
    ],
  ] as const
  return [
    facts.map(
      ([name, value, unit]) =>
        html`<div><dt>${name}</dt><dd>${value === undefined ? '–' : figure(value)} <small>${unit}</small></dd></div>`,
    ),
    html`<div><dt>fitted over B</dt><dd>${figure(range.min)} to ${figure(range.max)} <small>decoding at once</small></dd></div>`,
  ]
}

function table(run: Run): Markup {
  const warnings = [...warningLines(run), ...simulationDoubts(run), ...repeatLines(run)].map(
    (line) => html`<li>${line}</li>`,
  )
  return html`${tableMarkup(tableOf(run), 'What was measured')}
${tableNotes(run).map((note) => html`<p class="mute">${note}</p>`)}
${warnings.length === 0 ? undefined : html`<ul class="warnings warn">${warnings}</ul>`}
<p class="mute">The pace here is that of a user in the middle (p50); on the cards and the chart it is the mean, tokens over the seconds of all streams. Nine users in ten are at least as fast as its p10. L counts the requests in flight; λ·W, the rate at which they leave times their mean stay, must equal it, and the residual is how far it does not.${run.points.every(({ load }) => load.kind === 'concurrency') ? ' B is how many were decoding.' : ''}</p>`
}

function latencies(run: Run): Markup | undefined {
  if (run.points.length === 0) return undefined
  return html`<section><h2>Latency</h2>${tableMarkup(latencyTable(run), 'Latency')}
<p class="mute">Milliseconds. TTFT is the wait for the first token, TPOT the time of each further one over an answer, ITL each gap between events, E2E the whole answer. Other percentiles stand by each load below.</p></section>`
}

function repeats(run: Run): Markup | undefined {
  const table = repeatsTable(run)
  if (table === undefined) return undefined
  return html`<section><h2>Repeats</h2>${tableMarkup(table, 'Repeats')}
<p class="mute">Each load was ${isOfSimulator(run) ? 'simulated' : 'measured'} several times over the run. "Between" is the 95 % interval of the mean from the repeats alone; "within" is that of one point, from its own window. A host that is slower at one time than at another shows between only.</p></section>`
}

/** All that `run.json` says of the request, as it stands there. */
function asked({ target, hardware, objectives, workload }: Run): Markup {
  const said = { target, hardware, ...(objectives !== undefined && { objectives }), workload }
  return html`<details><summary>Target, hardware and workload <span>· as in run.json</span></summary><pre>${JSON.stringify(said, null, 2)}</pre></details>`
}
