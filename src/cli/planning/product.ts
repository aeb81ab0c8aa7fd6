import { readFileSync } from 'node:fs'
import { type Document, parseDocument } from 'yaml'
import { meanLength, type ProductWork, parseLengths, TwospeedError } from '../../core/index.ts'
import { PRODUCTS, type Product } from '../../plan/index.ts'
import { amount, count, duration, lengths, share } from '../flags.ts'
import type { ProductFlags } from './product-flags.ts'

/** A product, and what requests it brings where its file says it. */
type PlannedProduct = Product & ProductWork

const EXAMPLE = `A product is ${Object.keys(PRODUCTS).join(', ')}, or a YAML or JSON file such as {name: kiosk, floor: 15, ttft: 300ms, share: 0.95}.`

/** What is asked for: a product, the flags laid over it, or the flags alone. Undefined: nothing, so both speeds are only told. */
export function productOf(flags: ProductFlags): PlannedProduct | undefined {
  const base = flags.product === undefined ? undefined : readProduct(flags.product)
  const asks = {
    ...(flags.floor !== undefined && { tokensPerSecond: flags.floor }),
    ...(flags.ttft !== undefined && { ttftMs: 1000 * flags.ttft }),
    ...(flags.share !== undefined && { share: flags.share }),
  }
  const asked = Object.keys(asks).length > 0
  if (base?.goal === 'throughput' && asked) {
    throw new TwospeedError(
      'CONFLICTING_FLAGS',
      `--product ${base.name} wants the highest throughput, which takes no --floor, --ttft or --share`,
      'Leave the product or the objective out.',
    )
  }
  if (base === undefined && asked && flags.floor === undefined && flags.ttft === undefined) {
    throw new TwospeedError(
      'MISSING_VALUE',
      '--share says how many requests must get something, but neither --floor nor --ttft says what',
      'Add --floor 50, for example.',
    )
  }
  if (base !== undefined) return { ...base, ...asks, ...sourceOf(base, flags) }
  return asked ? { name: 'objective', goal: 'pace', ...asks } : undefined
}

/** A limit that was asked for instead does not come from where the product's do. */
function sourceOf({ source }: Product, { floor, ttft }: ProductFlags): Pick<Product, 'source'> {
  const own = [...(floor === undefined ? [] : ['floor']), ...(ttft === undefined ? [] : ['wait'])]
  if (source === undefined) return {}
  return { source: own.length === 0 ? source : `${source}, but for the ${own.join(' and ')}` }
}

/** The value of `--product`: a built-in name, else a file. */
function readProduct(source: string): PlannedProduct {
  const builtIn = Object.entries(PRODUCTS).find(([name]) => name === source)?.[1]
  return builtIn ?? parseProduct(source, readText(source))
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new TwospeedError(
      'FILE_NOT_READABLE',
      `--product ${path} is no product's name and cannot be read as a file`,
      EXAMPLE,
    )
  }
}

/** The keys of a file. Of one with a deadline or a number of requests the goal goes without saying. */
const KEYS = ['name', 'goal', 'floor', 'ttft', 'share', 'requests', 'deadline', 'inputTokens', 'outputTokens']

/** The mean of what is a number or a distribution. */
const meanOf = (text: string): number => {
  const parsed = parseLengths(String(lengths(text)))
  return parsed === undefined ? Number.NaN : meanLength(parsed)
}

/** Every problem at once, each with its key. */
function parseProduct(path: string, text: string): PlannedProduct {
  const problems: string[] = []
  const given = keysOf(parseDocument(text), problems)
  const take = <T>(key: string, read: (text: string) => T): T | undefined => {
    const value = given[key]
    if (value === undefined) return undefined
    try {
      return read(String(value))
    } catch (error) {
      problems.push(`${key}: ${error instanceof Error ? error.message : String(error)}`)
      return undefined
    }
  }
  for (const key of Object.keys(given)) if (!KEYS.includes(key)) problems.push(`unknown key "${key}"`)
  const { name } = given
  if (name !== undefined && (typeof name !== 'string' || name.trim() === '')) problems.push('name: it is a word')
  const floor = take('floor', amount)
  const ttftS = take('ttft', duration)
  const wanted = take('share', share)
  const requests = take('requests', count)
  const deadlineS = take('deadline', duration)
  const inputTokens = take('inputTokens', meanOf)
  const outputTokens = take('outputTokens', meanOf)
  const isBatch = 'requests' in given || 'deadline' in given
  const goal = given.goal ?? (isBatch ? 'throughput' : 'pace')
  if (goal !== 'pace' && goal !== 'throughput') problems.push('goal: it is pace or throughput')
  const has = (...keys: readonly string[]): readonly string[] => keys.filter((key) => key in given)
  if (goal === 'throughput' && has('floor', 'ttft', 'share').length > 0) {
    problems.push(
      `${isBatch && given.goal === undefined ? 'requests and deadline' : 'goal'}: a product that wants throughput has no ${has('floor', 'ttft', 'share').join(' or ')}`,
    )
  }
  if (goal === 'pace' && isBatch)
    problems.push(`goal: a product that wants a pace has no ${has('requests', 'deadline').join(' or ')}`)
  if (goal === 'pace' && has('floor', 'ttft').length === 0) problems.push('it needs a floor (tok/s/user) or a ttft')
  if (problems.length > 0)
    throw new TwospeedError('INVALID_CONFIG', `--product ${path}: ${problems.join('; ')}`, EXAMPLE)
  return {
    name: String(name ?? path),
    goal: goal === 'throughput' ? 'throughput' : 'pace',
    ...(floor !== undefined && { tokensPerSecond: floor }),
    ...(ttftS !== undefined && { ttftMs: 1000 * ttftS }),
    ...(wanted !== undefined && { share: wanted }),
    ...(requests !== undefined && { requests }),
    ...(deadlineS !== undefined && { deadlineS }),
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
  }
}

/** Of a mapping. A key that is there twice, a tag, a second document and what is no YAML are problems of the parser's own. */
function keysOf(document: Document.Parsed, problems: string[]): Readonly<Partial<Record<string, unknown>>> {
  for (const { message } of [...document.errors, ...document.warnings]) problems.push(message.split('\n')[0] ?? '')
  if (problems.length > 0) return {}
  const json: unknown = document.toJS()
  const isMapping = typeof json === 'object' && json !== null && !Array.isArray(json)
  const keys = isMapping ? Object.entries(json) : []
  if (keys.length === 0) problems.push('it holds no keys')
  return Object.fromEntries(keys)
}
