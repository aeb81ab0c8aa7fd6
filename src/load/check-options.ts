import { type ErrorCode, TwospeedError } from '../core/index.ts'
import { checkLoad } from './check-load.ts'
import { checkSearch } from './check-search.ts'
import { MOST_IN_FLIGHT } from './loads.ts'
import type { MeasureOptions } from './options.ts'
import { parseTarget } from './target/target.ts'
import { checkWork } from './work/check.ts'

const COUNTS = ['requests', 'repeat', 'gpus', 'replicas'] as const
const TIMES = ['durationS', 'waitS', 'timeLimitS', 'firstTokenTimeoutS', 'idleTimeoutS', 'requestTimeoutS'] as const
/** Each is an event loop that wants a core. */
const MOST_WORKERS = 256

const refuse = (code: ErrorCode, message: string, hint: string): never => {
  throw new TwospeedError(code, message, hint)
}

const isCount = (value: number): boolean => Number.isInteger(value) && value > 0

/** Refuses values out of range and combinations that mean nothing, before anything is sent. */
export function checkOptions(options: MeasureOptions): void {
  for (const name of COUNTS) {
    const value = options[name]
    if (value !== undefined && !isCount(value))
      refuse('INVALID_VALUE', `${name} is ${value}.`, 'It takes a whole number of at least 1.')
  }
  for (const name of TIMES) {
    const value = options[name]
    if (value !== undefined && !(value > 0 && Number.isFinite(value)))
      refuse('INVALID_VALUE', `${name} is ${value}.`, 'It takes seconds greater than 0.')
  }
  checkWork(options)
  const { concurrency, requests, transport } = options
  if (concurrency !== undefined && (concurrency.length === 0 || !concurrency.every(isCount))) {
    refuse(
      'INVALID_VALUE',
      `concurrency is ${concurrency.join(',')}.`,
      'It takes whole numbers of at least 1, such as 1,2,4.',
    )
  }
  const crowd = concurrency?.find((load) => load > MOST_IN_FLIGHT)
  if (crowd !== undefined) {
    refuse(
      'INVALID_VALUE',
      `concurrency is ${crowd}: one client has no more than ${MOST_IN_FLIGHT} connections.`,
      'Ask for fewer.',
    )
  }
  checkLoad(options)
  checkSearch(options)
  const { workers } = options
  if (workers !== undefined && !(Number.isInteger(workers) && workers >= 0 && workers <= MOST_WORKERS)) {
    refuse('INVALID_VALUE', `workers is ${workers}.`, `It takes a whole number from 0 to ${MOST_WORKERS}.`)
  }
  if (requests !== undefined && options.durationS !== undefined) {
    refuse('CONFLICTING_FLAGS', 'Both --duration and --requests say when a point ends.', 'Give one of them.')
  }
  const above = concurrency?.find((load) => requests !== undefined && load > requests)
  if (above !== undefined) {
    refuse(
      'CONFLICTING_FLAGS',
      `With --requests ${requests} there are never ${above} in flight, as --concurrency asks.`,
      'Give at least as many requests as users; some twenty times as many make a steady point.',
    )
  }
  if (options.waitS !== undefined && options.preflight === false) {
    refuse(
      'CONFLICTING_FLAGS',
      '--wait asks with unmeasured requests, which --no-preflight rules out.',
      'Leave out one of them.',
    )
  }
  if (transport?.insecure === true && transport.ca !== undefined) {
    refuse(
      'CONFLICTING_FLAGS',
      '--insecure trusts every certificate, and --ca says which to trust.',
      'Give one of them.',
    )
  }
  if ((transport?.cert === undefined) !== (transport?.key === undefined)) {
    refuse('CONFLICTING_FLAGS', '--cert and --key belong together.', 'Give both.')
  }
  const secures = (['ca', 'cert', 'insecure'] as const).find((name) => transport?.[name] || undefined)
  if (secures !== undefined && parseTarget(options.url, options.endpoint).url.startsWith('http:')) {
    refuse(
      'CONFLICTING_FLAGS',
      `--${secures} is about TLS, and a plain http:// target has none.`,
      'Leave it out, or give the target with https:// before its name.',
    )
  }
}
