import { type Document, parseDocument } from 'yaml'
import { type Lengths, meanLength, type ProductWork, parseLengths, TwospeedError } from '../../core/index.ts'
import { type AskedProduct, type Demand, PRODUCTS, type Product } from '../../plan/index.ts'
import { amount, count, duration, lengths, refuse, share } from '../flags.ts'
import { given } from '../given.ts'
import { parseRate, RATE_FORM } from '../load-flags.ts'
import { pause } from './pause.ts'

/** A product, and what requests it brings where its file says it. */
export interface PlannedProduct {
  readonly product: Product & ProductWork
  readonly demand: Pick<Demand, 'arrivalsPerSecond' | 'users' | 'thinkS'>
  readonly lengths?: AskedProduct['lengths']
}

export const EXAMPLE: string = `A product is ${Object.keys(PRODUCTS).join(', ')}, or a YAML or JSON file such as {name: kiosk, floor: 15, ttft: 300ms, share: 0.95}.`

/** The keys of a file. Of one with a deadline or a number of requests the goal goes without saying. */
const KEYS = [
  ...['name', 'goal', 'floor', 'ttft', 'share', 'arrivals', 'users', 'think'],
  ...['requests', 'deadline', 'inputTokens', 'outputTokens'],
]
/** What only requests have that somebody waits for. */
const OF_PACE = ['floor', 'ttft', 'share', 'arrivals', 'users', 'think'] as const

/** A number or a distribution. */
const lengthsOf = (text: string): Lengths =>
  parseLengths(String(lengths(text))) ?? refuse('It takes a number or a distribution.')

/** Every problem at once, each with its key. */
export function parseProduct(path: string, text: string): PlannedProduct {
  const problems: string[] = []
  const keys = keysOf(parseDocument(text), problems)
  const take = <T>(key: string, read: (text: string) => T): T | undefined => {
    const value = keys[key]
    if (value === undefined) return undefined
    try {
      return read(String(value))
    } catch (error) {
      problems.push(`${key}: ${error instanceof Error ? error.message : String(error)}`)
      return undefined
    }
  }
  for (const key of Object.keys(keys)) if (!KEYS.includes(key)) problems.push(`unknown key "${key}"`)
  const { name } = keys
  if (name !== undefined && (typeof name !== 'string' || name.trim() === '')) problems.push('name: it is a word')
  const floor = take('floor', amount)
  const ttftS = take('ttft', duration)
  const wanted = take('share', share)
  const requests = take('requests', count)
  const deadlineS = take('deadline', duration)
  const arrivalsPerSecond = take('arrivals', (rate) => parseRate(rate) ?? refuse(`It takes ${RATE_FORM}.`))
  const users = take('users', count)
  const thinkS = take('think', pause)
  const input = take('inputTokens', lengthsOf)
  const output = take('outputTokens', lengthsOf)
  const isBatch = 'requests' in keys || 'deadline' in keys
  const goal = keys.goal ?? (isBatch ? 'throughput' : 'pace')
  if (goal !== 'pace' && goal !== 'throughput') problems.push('goal: it is pace or throughput')
  const has = (...names: readonly string[]): readonly string[] => names.filter((name) => name in keys)
  if (goal === 'throughput' && has(...OF_PACE).length > 0) {
    problems.push(
      `${isBatch && keys.goal === undefined ? 'requests and deadline' : 'goal'}: a product that wants throughput has no ${has(...OF_PACE).join(' or ')}`,
    )
  }
  if (has('arrivals', 'users').length > 1) problems.push('arrivals and users both say how many requests come')
  if ('think' in keys && !('users' in keys)) problems.push('think: it is how long users pause, and there are none')
  if (goal === 'pace' && isBatch)
    problems.push(`goal: a product that wants a pace has no ${has('requests', 'deadline').join(' or ')}`)
  // Of a file that cannot be read as it stands nothing is said to be missing.
  if (goal === 'pace' && has('floor', 'ttft').length === 0 && problems.length === 0)
    problems.push('it needs a floor (tok/s/user) or a ttft')
  if (problems.length > 0)
    throw new TwospeedError('INVALID_CONFIG', `--product ${path}: ${problems.join('; ')}`, EXAMPLE)
  return {
    product: {
      name: String(name ?? path),
      goal: goal === 'throughput' ? 'throughput' : 'pace',
      ...(floor !== undefined && { tokensPerSecond: floor }),
      ...(ttftS !== undefined && { ttftMs: 1000 * ttftS }),
      ...(wanted !== undefined && { share: wanted }),
      ...(requests !== undefined && { requests }),
      ...(deadlineS !== undefined && { deadlineS }),
      ...(input !== undefined && { inputTokens: meanLength(input) }),
      ...(output !== undefined && { outputTokens: meanLength(output) }),
    },
    lengths: given({ input, output }),
    demand: {
      ...(arrivalsPerSecond !== undefined && { arrivalsPerSecond }),
      ...(users !== undefined && { users }),
      ...(thinkS !== undefined && { thinkS }),
    },
  }
}

/** Of a mapping. A key that is there twice, a tag, a second document and what is no YAML are problems of the parser's own. */
function keysOf(document: Document.Parsed, problems: string[]): Readonly<Partial<Record<string, unknown>>> {
  for (const { message } of [...document.errors, ...document.warnings])
    problems.push((message.split('\n')[0] ?? '').replace(/:$/, ''))
  if (problems.length > 0) return {}
  const json: unknown = document.toJS()
  const isMapping = typeof json === 'object' && json !== null && !Array.isArray(json)
  const keys = isMapping ? Object.entries(json) : []
  if (keys.length === 0) problems.push('it holds no keys')
  return Object.fromEntries(keys)
}
