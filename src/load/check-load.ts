import { TwospeedError } from '../core/index.ts'
import { MOST_IN_FLIGHT } from './loads.ts'
import type { MeasureOptions } from './options.ts'

const conflict = (message: string, hint: string): never => {
  throw new TwospeedError('CONFLICTING_FLAGS', message, hint)
}
const invalid = (message: string, hint: string): never => {
  throw new TwospeedError('INVALID_VALUE', message, hint)
}
const isPositive = (value: number): boolean => value > 0 && Number.isFinite(value)

/** A gamma distribution of such a shape can still be drawn from: gaps beyond are 0 but for a few, or all alike. */
const LEAST_BURSTINESS = 0.01
const MOST_BURSTINESS = 1e4

/** Refuses loads that cannot be, and flags of one kind of load beside another kind. */
export function checkLoad(options: MeasureOptions): void {
  const { concurrency, rates, trace, think, rampS, maxInFlight } = options
  const kinds = [
    concurrency !== undefined && '--concurrency',
    rates !== undefined && '--rate',
    trace !== undefined && '--trace',
  ].filter((flag) => flag !== false)
  if (kinds.length > 1) {
    conflict(
      `${kinds.join(' and ')} each say what the load is.`,
      '--concurrency has so many users ask one after the other, --rate has requests come when they like, --trace replays.',
    )
  }
  if (rates !== undefined && (rates.length === 0 || !rates.every(isPositive)))
    invalid(`rate is ${rates.join(',')}.`, 'It takes requests per second greater than 0, such as 5/s,10/s.')
  const rare = rates?.find((rate) => rate * (options.durationS ?? Number.POSITIVE_INFINITY) < 1)
  if (rare !== undefined) {
    conflict(
      `Of requests ${Number((1 / rare).toPrecision(3))} s apart, as --rate asks, a --duration of ${options.durationS} s may hold none.`,
      'Give a longer --duration, or --requests in place of it.',
    )
  }
  if (trace !== undefined && !isPositive(trace.speedup ?? 1))
    invalid(`speedup is ${trace.speedup}.`, 'It takes a number greater than 0, such as 2.')
  checkArrivals(options)
  if (think !== undefined && !isPositive(think.meanS))
    invalid(`think is ${think.meanS}.`, 'It takes seconds greater than 0.')
  const isOpen = rates !== undefined || trace !== undefined
  if (think !== undefined && isOpen) {
    conflict(
      `--think is what a user does between two requests, and with ${kinds[0]} nobody waits for an answer.`,
      'Give --concurrency, or leave it out.',
    )
  }
  if (rampS !== undefined && !isPositive(rampS)) invalid(`ramp is ${rampS}.`, 'It takes seconds greater than 0.')
  if (rampS !== undefined && trace !== undefined)
    conflict('--ramp changes how requests come, and --trace says when each does.', 'Leave out one of them.')
  if (maxInFlight !== undefined) {
    if (!isOpen)
      conflict('--max-in-flight bounds an open loop; a closed one has as many in flight as users.', 'Leave it out.')
    if (!(Number.isInteger(maxInFlight) && maxInFlight >= 1 && maxInFlight <= MOST_IN_FLIGHT))
      invalid(`maxInFlight is ${maxInFlight}.`, `It takes a whole number from 1 to ${MOST_IN_FLIGHT}.`)
  }
}

function checkArrivals({ rates, trace, arrivalProcess, burstiness }: MeasureOptions): void {
  const asked = burstiness !== undefined ? '--burstiness' : '--arrival-process'
  if (rates === undefined && (burstiness !== undefined || arrivalProcess !== undefined)) {
    conflict(
      trace === undefined
        ? `${asked} says how requests of a rate come, and no --rate is given.`
        : `${asked} says how requests come, and --trace says when each does.`,
      trace === undefined ? 'Give --rate, such as 5/s, or leave it out.' : 'Leave out one of them.',
    )
  }
  if (burstiness !== undefined && !(burstiness >= LEAST_BURSTINESS && burstiness <= MOST_BURSTINESS))
    invalid(
      `burstiness is ${burstiness}.`,
      `It takes a number from ${LEAST_BURSTINESS} to ${MOST_BURSTINESS}: 1 is Poisson.`,
    )
  if (burstiness !== undefined && arrivalProcess !== undefined && arrivalProcess !== 'gamma') {
    conflict(
      `--burstiness is the shape of gamma arrivals, and --arrival-process asks for ${arrivalProcess} ones.`,
      'Leave out one of them; with --burstiness alone arrivals are gamma.',
    )
  }
  if (arrivalProcess === 'gamma' && burstiness === undefined)
    conflict(
      '--arrival-process gamma does not say how bursty.',
      'Give --burstiness too: 0.5 is burstier than Poisson, 2 is more even.',
    )
}
