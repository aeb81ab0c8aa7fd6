import { type Binding, figure, objectivesName, percent, portion } from '../../core/index.ts'
import type { FindStep, Found } from './find.ts'
import type { SweepStep } from './sweep.ts'
import type { Objective, Trial } from './trial.ts'

const users = (load: number): string => `${load} user${load === 1 ? '' : 's'}`

/** `40 tok/s/user and a first token within 500 ms for 90 % of requests`. */
function asked({ floor, ttftMs, share }: Objective): string {
  const what = objectivesName({ tokensPerSecond: floor, ttftMs })
  return share === undefined ? what : `${what} for ${portion(share)} of requests`
}

const hold = (load: number): string => `${users(load)} ${load === 1 ? 'holds' : 'hold'}`

/** What a load had of that which binds; of a share, how many had all of it, for those with the pace need not be those with the wait. */
function had({ load, pace, ttftMs, missed, attainment }: Trial, binding: Binding): string {
  if (missed === 'failures') return `at ${load} too many requests fail`
  if (attainment !== undefined) return `at ${load} it is ${portion(attainment)}`
  if (binding === 'ttft')
    return `${load} ${load === 1 ? 'waits' : 'wait'} ${ttftMs === undefined ? 'longer' : `${figure(ttftMs)} ms`}`
  return `${load} ${load === 1 ? 'has' : 'have'} ${pace === undefined ? 'no pace' : `${figure(pace)} tok/s`}`
}

const WHY_VOID: Readonly<Record<string, string>> = {
  generatorSaturated: 'this client is at its limit, so what it sees is not the speed of the server',
  cutShort: 'it was cut short',
  noPace: 'answers of one token have no pace',
}

const whyVoid = ({ fault = '' }: Trial): string => WHY_VOID[fault] ?? fault

/** What a search for a load found, in sentences a person can act on. */
export function findSentence(step: FindStep, objective: Objective): string {
  const { held, stop, next } = step
  if (held === undefined) return noneSentence(stop, objective)
  if (next !== undefined) return unfinished(held, stop, objective)
  const doubt = held.steady
    ? straddling(held, objective)
    : ` The point of ${users(held.load)} was not steady: see its reasons.`
  return `${answerSentence(step, held, objective)}${precisionSentence(step, held)}${doubt}`
}

/** A point whose interval holds the floor does not decide by itself. */
function straddling({ load, interval }: Trial, { floor, share }: Objective): string {
  if (interval === undefined || floor === undefined || interval.low >= floor) return ''
  const whose = share === undefined ? `of ${load}` : `that ${portion(share)} have at ${load}`
  return ` The pace ${whose} is known only to lie between ${figure(interval.low)} and ${figure(interval.high)}: a longer --duration says more.`
}

function noneSentence(stop: Trial | undefined, objective: Objective): string {
  if (stop === undefined) return 'Nothing was measured.'
  const { load, missed } = stop
  if (missed === undefined) return `${users(load)}: ${whyVoid(stop)}. So nothing can be said of ${asked(objective)}.`
  const alone = load === 1 ? 'one user alone does not' : `${users(load)} do not`
  return `No load holds ${asked(objective)}, for ${alone}: ${had(stop, missed)}.`
}

function unfinished(held: Trial, stop: Trial | undefined, objective: Objective): string {
  const beyond =
    stop === undefined
      ? 'of more nothing is known'
      : `${stop.load} ${stop.missed === undefined ? 'could not be judged' : 'do not'}`
  return `The search for the most users with ${asked(objective)} was not finished: ${held.load} ${held.load === 1 ? 'holds' : 'hold'} it, ${beyond}.`
}

function answerSentence({ stop, binding, limit }: Found, held: Trial, objective: Objective): string {
  const most = `${users(held.load)} ${held.load === 1 ? 'is' : 'are'} the most that ${held.load === 1 ? 'holds' : 'hold'} ${asked(objective)}`
  switch (binding) {
    case 'serverLimit':
      return `${hold(held.load)} ${asked(objective)}, and the server takes no more at once: a replica decodes at most about ${figure(limit?.batch ?? 0)}. More users keep that pace, but wait for their first token, and no limit was put on the wait.`
    case 'clientLimit':
      return `${hold(held.load)} ${asked(objective)}. Whether more do is not known: at ${stop?.load} ${stop === undefined ? '' : whyVoid(stop)}.`
    case 'failures':
      return `${most}: ${stop === undefined ? '' : had(stop, binding)}.`
    case 'floor':
    case 'ttft':
      return `${most}: ${had(held, binding)}, ${stop === undefined ? '' : had(stop, binding)}.`
    default:
      return `${users(held.load)}, the highest load tried, still ${held.load === 1 ? 'holds' : 'hold'} ${asked(objective)}: the answer lies higher.`
  }
}

/** Only where the answer is less certain than was wanted. */
function precisionSentence({ stop, within }: Found, held: Trial): string {
  if (stop === undefined || stop.verdict === 'void') return ''
  if (within === undefined) {
    const between = Math.round(Math.sqrt(held.load * stop.load))
    return ` The points that a search may take are used up: the answer lies between ${held.load} and ${stop.load}; measure --concurrency ${between} to know more.`
  }
  if (within * held.load <= 1 || within <= 0.03) return ''
  return ` Pace falls so little with load there that no measurement tells loads within ${percent(within)} apart.`
}

/** `at`: the load that could not be judged, which is where it stopped. */
const ENDS: Readonly<Record<SweepStep['end'], (at: string) => string>> = {
  gain: () => 'doubling the load beyond it brings less than 3 % more output',
  serverLimit: () => "the server's own limit ends it, not the law: more users only wait",
  clientLimit: (at) => `it stopped ${at}, where this client is at its limit, so nothing is known of the server there`,
  failures: (at) => `it stopped ${at}, where too many requests fail`,
  tooShort: (at) => `it stopped ${at}, where too few answers ended inside the window: a longer --duration says more`,
  measuredRange: () => 'no higher load was tried',
}

/** How far and how well the frontier is known. */
export function sweepSentence({ next, upTo, end, stop, error, known, fitted }: SweepStep, points: number): string {
  if (upTo === 0) return 'No load has a pace, so there is no frontier.'
  const range = `from 1 to ${users(upTo)}`
  const full =
    end === 'serverLimit' && fitted.limit !== undefined
      ? `, for a replica decodes at most about ${figure(fitted.limit.batch)} at once`
      : ''
  if (next !== undefined) return `The sweep was not finished: ${points} points, ${range}.`
  const ended = `${capital(ENDS[end](stop === undefined ? 'beyond it' : `at ${users(stop)}`))}${full}.`
  if (upTo === 1 && !known) return `The frontier is not known: only one user alone could be measured. ${ended}`
  const off = error === undefined ? '' : `: at worst a load is ${percent(error)} off what the others say of it`
  const how = known ? `is known to ± 3 % ${range}` : `is not known to ± 3 % ${range}`
  return `After ${points} points the frontier ${how}${off}. ${ended}`
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
