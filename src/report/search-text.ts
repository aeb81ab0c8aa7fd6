import { figure, type Run, type Search } from '../core/index.ts'
import { html, type Markup } from './markup.ts'

const MISSED: Readonly<Record<string, string>> = {
  floor: 'too slow',
  ttft: 'first token too late',
  failures: 'too many failures',
  serverLimit: 'not kept up with',
}
const VOID: Readonly<Record<string, string>> = {
  generatorSaturated: 'client saturated',
  cutShort: 'cut short',
  noPace: 'no pace',
}

/**
 * How a run that chose its loads by itself went, one string a line: the loads in the order they were tried, and how well a sweep knows the
 * frontier; what a search found is its conclusion. None for other runs.
 */
export function searchLines({ search }: Run): readonly string[] {
  if (search === undefined) return []
  const tried = search.tried.map(triedText).join(' · ')
  const lines = [`${search.kind === 'find' ? 'Tried' : 'Measured'}, in this order: ${tried || 'nothing'}.`]
  return search.kind === 'sweep' ? [...lines, search.sentence] : lines
}

function triedText({ concurrency, rate, verdict, missed, fault }: Search['tried'][number]): string {
  const load = rate === undefined ? figure(concurrency) : `${figure(rate)}/s`
  if (verdict === undefined) return load
  if (verdict === 'holds') return `${load} holds`
  return verdict === 'misses' ? `${load} ${MISSED[missed ?? ''] ?? missed}` : `${load} ${VOID[fault ?? ''] ?? fault}`
}

export function searchMarkup(run: Run): Markup | undefined {
  const { search } = run
  if (search === undefined) return undefined
  const title = search.kind === 'find' ? 'The search' : 'The sweep'
  return html`<section><h2>${title}</h2>${searchLines(run).map((line) => html`<p>${line}</p>`)}</section>`
}
