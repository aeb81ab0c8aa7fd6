import { counted, figure, type Generator, type Point, percent, type Run, type Trend } from '../core/index.ts'
import { loadOf } from './load.ts'

/** The stable words of a run in plain ones. A word that is not known is shown as it is. */
const WORDS: Readonly<Record<string, string>> = {
  littlesLaw: 'L and λ·W differ by over 5 %: load or speed was changing',
  trend: 'speed was changing',
  windowTooShort: 'the window is too short',
  warmUpUnclear: 'the end of the warm-up is not clear',
  generatorSaturated: 'the load generator was saturated: a slow client, not the server',
  generatorLate: 'the schedule was not kept',
  overloaded: 'requests came faster than they were served: those in flight grew in number throughout',
  unanswered: 'not all requests were answered before the simulation ended',
  errorShare: 'stopped, for over half of the requests failed',
  interrupted: 'interrupted',
  timeLimit: 'the time limit ended it',
  recordsNotWritten: 'records could not be written',
  clientFailed: 'the load generator itself failed',
  empty: 'nothing was in flight',
  outputShortfall: 'answers came out shorter than asked',
  firstEventBundled: 'first events bear several tokens, so TPOT is too good: see the one after the first event',
  severalChoices: 'answers of several choices have no pace of a user',
}

const inWords = (word: string): string => WORDS[word] ?? word

const SHORT: Readonly<Record<string, string>> = {
  littlesLaw: 'L ≠ λ·W',
  trend: 'drifting',
  windowTooShort: 'short window',
  warmUpUnclear: 'warm-up unclear',
  generatorSaturated: 'client saturated',
  generatorLate: 'late',
  errorShare: 'stopped: errors',
  timeLimit: 'time limit',
  recordsNotWritten: 'records lost',
}

/** For a cell of a table. */
export const inShort = (word: string): string => SHORT[word] ?? word

/** The warnings of all points, one line each; loads of one warning stand together, ascending. */
export function warningLines({ points }: Run): readonly string[] {
  const warned = new Map<string, { readonly warning: string; readonly at: readonly Point[] }>()
  for (const point of points) {
    for (const warning of warningsOf(point)) {
      const shared = warning.replace(OR_REQUESTS, '')
      const known = warned.get(shared)
      warned.set(shared, known === undefined ? { warning, at: [point] } : { warning: shared, at: [...known.at, point] })
    }
  }
  return [...warned.values()].map(({ warning, at }) => `Load ${namesOf(at)}: ${warning}.`)
}

/** Of each load another number: loads that need as many seconds stand together without it. */
const OR_REQUESTS = /, or some [\d,.]+ more requests?$/

/** `1 (twice), 2, 8`: a search may measure a load again. */
function namesOf(points: readonly Point[]): string {
  const names = [...points].sort((a, b) => a.load.value - b.load.value).map(loadOf)
  return [...new Set(names)]
    .map((name) => {
      const times = names.filter((other) => other === name).length
      return times === 1 ? name : `${name} (${times === 2 ? 'twice' : `${times} times`})`
    })
    .join(', ')
}

/** What a reader must know of a point before believing its figures, each a sentence without its full stop. */
export function warningsOf(point: Point): readonly string[] {
  const { window, requests, tokens, generator, trends = [], notes = [], simulation } = point
  const reasons = new Set([...window.reasons, ...(generator.saturated === true ? ['generatorSaturated'] : [])])
  return [
    ...[...reasons]
      .filter((reason) => reason !== 'unanswered' || requests.errors.timeout === undefined)
      .filter((reason) => !isOverlooked(reason, point))
      .map((reason) => {
        const isOfGenerator = reason === (generator.saturated === true ? 'generatorSaturated' : 'generatorLate')
        const why = isOfGenerator && generator.why !== undefined ? ` (${generator.why.join('; ')})` : ''
        const changes = reason === 'trend' ? trends.map((trend) => changeOf(trend, window)) : []
        if (reason === 'windowTooShort') return `${inWords(reason)}: ${enough(point)}`
        return changes.length > 0 ? `${inWords(reason)}: ${changes.join(', ')}` : inWords(reason) + why
      }),
    ...(simulation === undefined ? failures(requests) : missed(point)),
    ...(requests.dropped > 0 ? [`${requests.dropped} requests were due but never sent`] : []),
    ...(tokens.source === 'mixed' ? ['tokens were counted in different ways (usage, tokenizer or events)'] : []),
    ...(tokens.source === 'events' ? ['tokens are counted by events: the server sent no usage'] : []),
    ...(generator.calibration?.beyond === true ? [beyond(generator.calibration, generator.errorMs)] : []),
    ...notes.map(inWords),
  ]
}

/** A trace that is not kept up with is no longer for being played slower: that it is short says nothing beside it. */
export const isOverlooked = (reason: string, { load, window }: Point): boolean =>
  reason === 'windowTooShort' && load.kind === 'trace' && window.reasons.includes('overloaded')

/** What makes a window long enough: 30 s, and 20 turns of the load. */
const LEAST_S = 30
const LEAST_TURNS = 20

/** How long the window would have to be, and how many more requests that takes. */
function enough({ load, window, littlesLaw, latency }: Point): string {
  const lengthS = window.endS - window.startS
  const stayS = littlesLaw.timeInSystemS ?? (latency.e2eMs.mean === undefined ? undefined : latency.e2eMs.mean / 1000)
  if (load.kind === 'trace') {
    const takes = stayS === undefined ? '' : `, and a request takes ${figure(stayS)} s`
    return `the trace is over after ${figure(lengthS)} s${takes}: play it slower, or a longer one`
  }
  if (stayS === undefined) return `it was ${figure(lengthS)} s, and no request ended in it`
  const turnS = load.kind === 'rate' ? Math.max(stayS, 1 / load.value) : stayS + (load.thinkS ?? 0)
  const neededS = Math.max(LEAST_S, LEAST_TURNS * turnS)
  const more = Math.ceil((neededS - lengthS) * littlesLaw.completionsPerSecond)
  const orRequests = more > 0 ? `, or some ${counted(more, 'more request')}` : ''
  return `it takes about ${figure(Math.ceil(neededS))} s${orRequests}`
}

function beyond({ trusted, asked }: NonNullable<Generator['calibration']>, error: Generator['errorMs']): string {
  const load = ({ streams, eventsPerSecond }: typeof trusted): string =>
    `${figure(streams)} streams and ${figure(eventsPerSecond)} events/s`
  const times =
    error === undefined
      ? ''
      : `: one first token in a hundred may be ${figure(error.ttft)} ms late, one gap ${figure(error.itl)} ms off`
  return `the client was asked for ${load(asked)}, and its calibration trusts it with ${load(trusted)}${times}`
}

const FIGURES = { outputTokensPerSecond: 'output', decodeTokensPerSecondPerUser: 'the pace of a user' } as const

/** A change beyond it is told by both levels: of what fell to nothing, the fall is many times the mean. */
const MOST_PLAIN_CHANGE = 0.5

function changeOf({ figure: of, kind, change, atS }: Trend, { startS, endS }: Point['window']): string {
  const isStep = kind === 'step' && atS !== undefined
  const when = isStep ? `${figure(atS - startS)} s into the window` : 'through the window'
  const what = `${FIGURES[of]} ${change < 0 ? 'fell' : 'rose'}`
  if (Math.abs(change) <= MOST_PLAIN_CHANGE) return `${what} by ${percent(Math.abs(change))} ${when}`
  // Both levels, weighed by how long each lasted, make the mean; those of a slope are its ends.
  const before = isStep ? (atS - startS) / (endS - startS) : 0.5
  const [from, to] = [1 - change * (1 - before), 1 + change * before].map((level) => figure(Math.max(0, level)))
  return `${what} from ${from} to ${to} times its mean ${when}`
}

function failures({ failed, sent, errors }: Point['requests']): readonly string[] {
  return failed > 0 ? [`${failed} of ${sent} requests failed${kinds(errors)}`] : []
}

/** The failed requests of a point, for a cell of a table; of a simulated one what became of them, for no network took part. */
export function missedInShort({ requests: { failed, errors }, simulation }: Point): readonly string[] {
  if (simulation === undefined) return failed > 0 ? [`${failed} failed`] : []
  const { timeout = 0, http = 0 } = errors
  return [...(timeout > 0 ? [`${timeout} unanswered`] : []), ...(http > 0 ? [`${http} refused`] : [])]
}

/** Why a simulated request has no answer. */
function missed({ requests: { sent, errors }, window: { reasons } }: Point): readonly string[] {
  const { timeout = 0, http = 0 } = errors
  const why = reasons.includes('overloaded')
    ? 'they came faster than they were served'
    : 'others were served before them throughout'
  return [
    ...(timeout > 0
      ? [`${timeout} of ${sent} requests were not answered when the simulation ended, for ${why}: each is a miss`]
      : []),
    ...(http > 0 ? [`${http} of ${sent} requests were refused, for no engine could hold them: each is a miss`] : []),
  ]
}

function kinds(errors: Point['requests']['errors']): string {
  const told = Object.entries(errors).map(([kind, count]) => `${kind} ${count}`)
  return told.length === 0 ? '' : ` (${told.join(', ')})`
}
