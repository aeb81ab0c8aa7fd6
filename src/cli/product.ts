import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { TwospeedError } from '../core/index.ts'
import { PRODUCTS, type Product } from '../plan/index.ts'
import { amount, duration, share } from './flags.ts'

const EXAMPLE =
  'A product is chat, batch, or a YAML or JSON file such as {name: voice, floor: 15, ttft: 300ms, share: 0.95}.'

/** The value of `--product`: a built-in name, else a file with the keys name, floor, ttft, share, or goal: throughput. */
export function readProduct(source: string): Product {
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

/** Every problem at once, each with its key. */
function parseProduct(path: string, text: string): Product {
  const problems: string[] = []
  let json: unknown
  try {
    json = parse(text)
  } catch (error) {
    problems.push(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error))
  }
  const keys = typeof json === 'object' && json !== null && !Array.isArray(json) ? Object.entries(json) : []
  if (keys.length === 0 && problems.length === 0) problems.push('it holds no keys')
  const given: Partial<Record<string, unknown>> = Object.fromEntries(keys)
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
  for (const [key] of keys) {
    if (!['name', 'goal', 'floor', 'ttft', 'share'].includes(key)) problems.push(`unknown key "${key}"`)
  }
  const floor = take('floor', amount)
  const ttftS = take('ttft', duration)
  const wanted = take('share', share)
  const goal = given.goal ?? 'pace'
  if (goal !== 'pace' && goal !== 'throughput') problems.push('goal: it is pace or throughput')
  if (goal === 'throughput' && (floor ?? ttftS ?? wanted) !== undefined) {
    problems.push('goal: a product that wants throughput has no floor, ttft or share')
  }
  if (goal === 'pace' && floor === undefined && ttftS === undefined && problems.length === 0) {
    problems.push('it needs a floor (tok/s/user) or a ttft')
  }
  if (problems.length > 0)
    throw new TwospeedError('INVALID_CONFIG', `--product ${path}: ${problems.join('; ')}`, EXAMPLE)
  return {
    name: String(given.name ?? path),
    goal: goal === 'throughput' ? 'throughput' : 'pace',
    ...(floor !== undefined && { tokensPerSecond: floor }),
    ...(ttftS !== undefined && { ttftMs: 1000 * ttftS }),
    ...(wanted !== undefined && { share: wanted }),
  }
}
