import type { Point, Run } from '../core/index.ts'
import { loadOf } from './load.ts'

/** The stable words of a run in plain ones. A word that is not known is shown as it is. */
const WORDS: Readonly<Record<string, string>> = {
  littlesLaw: 'L and λ·W differ by over 5 %: load or speed was changing',
  windowTooShort: 'the window is too short',
  warmUpUnclear: 'the end of the warm-up is not clear',
  generatorSaturated: 'the load generator was saturated: a slow client, not the server',
  errorShare: 'stopped, for over half of the requests failed',
  interrupted: 'interrupted',
  timeLimit: 'the time limit ended it',
  recordsNotWritten: 'records could not be written',
  empty: 'nothing was in flight',
  outputShortfall: 'answers came out shorter than asked',
  firstEventBundled: 'first events bear several tokens, so TPOT is too good: see the one after the first event',
  severalChoices: 'answers of several choices have no pace of a user',
}

const inWords = (word: string): string => WORDS[word] ?? word

const SHORT: Readonly<Record<string, string>> = {
  littlesLaw: 'L ≠ λ·W',
  windowTooShort: 'short window',
  warmUpUnclear: 'warm-up unclear',
  generatorSaturated: 'client saturated',
  errorShare: 'stopped: errors',
  timeLimit: 'time limit',
  recordsNotWritten: 'records lost',
}

/** For a cell of a table. */
export const inShort = (word: string): string => SHORT[word] ?? word

/** The warnings of all points, one line each; loads of one warning stand together. */
export function warningLines({ points }: Run): readonly string[] {
  const loads = new Map<string, string[]>()
  for (const point of points) {
    for (const warning of warningsOf(point)) loads.set(warning, [...(loads.get(warning) ?? []), loadOf(point)])
  }
  return [...loads].map(([warning, at]) => `Load ${at.join(', ')}: ${warning}.`)
}

/** What a reader must know of a point before believing its figures, each a sentence without its full stop. */
export function warningsOf(point: Point): readonly string[] {
  const { window, requests, tokens, generator, notes = [] } = point
  const reasons = new Set([...window.reasons, ...(generator.saturated === true ? ['generatorSaturated'] : [])])
  return [
    ...[...reasons].map((reason) => {
      const why = reason === 'generatorSaturated' && generator.why !== undefined ? ` (${generator.why.join('; ')})` : ''
      return inWords(reason) + why
    }),
    ...(requests.failed > 0 ? [`${requests.failed} of ${requests.sent} requests failed${kinds(requests.errors)}`] : []),
    ...(requests.dropped > 0 ? [`${requests.dropped} requests were due but never sent`] : []),
    ...(tokens.source === 'mixed' ? ['tokens were counted in different ways (usage, tokenizer or events)'] : []),
    ...(tokens.source === 'events' ? ['tokens are counted by events: the server sent no usage'] : []),
    ...notes.map(inWords),
  ]
}

function kinds(errors: Point['requests']['errors']): string {
  const told = Object.entries(errors).map(([kind, count]) => `${kind} ${count}`)
  return told.length === 0 ? '' : ` (${told.join(', ')})`
}
