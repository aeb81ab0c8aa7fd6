import { parse } from 'yaml'
import { TwospeedError } from '../../core/index.ts'
import { readText } from '../configuration.ts'
import { amount, count, duration, lengths, share, wholeNumber, word } from '../flags.ts'
import { arrivalProcess, rates, think } from '../load-flags.ts'
import { curve } from './curve.ts'
import type { PoolFlags, WorkFlags } from './flags.ts'
import type { LoadFlags } from './loads.ts'

/** A pool of a lanes file. */
export interface FilePool extends PoolFlags {
  readonly name: string
  readonly role?: 'both' | 'prefill' | 'decode'
  /** Of a replica, where a law is what is known of it. */
  readonly gpus?: number
}

/** A lane of a lanes file. */
export interface FileLane extends WorkFlags, LoadFlags {
  readonly name: string
  readonly pools?: readonly string[]
  readonly priority?: number
  readonly floor?: number
  readonly ttft?: number
}

export interface LanesFile {
  /** Empty: the flags say the one there is. */
  readonly pools: readonly FilePool[]
  readonly lanes: readonly FileLane[]
}

type Readers = Readonly<Record<string, (text: string) => unknown>>

const yes = (text: string): true | undefined => {
  if (text === 'true') return true
  if (text === 'false') return undefined
  throw new Error('It takes true or false.')
}

const role = (text: string): string => {
  if (text === 'both' || text === 'prefill' || text === 'decode') return text
  throw new Error('It takes both, prefill or decode.')
}

/** The keys of a pool: flags in one word, with values of the same form. */
const POOL: Readers = {
  role,
  gpus: count,
  replicas: count,
  law: word,
  model: word,
  gpu: word,
  tp: count,
  pp: count,
  ep: count,
  dp: count,
  precision: word,
  kvPrecision: word,
  maxNumSeqs: count,
  maxBatchedTokens: count,
  kvTokens: count,
  blockTokens: count,
  prefillFirst: yes,
  reserve: yes,
  wholePrompt: yes,
  asyncScheduling: yes,
  prefixCache: yes,
}

const LANE: Readers = {
  pools: (text) => text.split(',').map((name) => word(name.trim())),
  priority: wholeNumber,
  floor: amount,
  ttft: duration,
  concurrency: (text) => [count(text)],
  rate: (text) => rates(text).slice(0, 1),
  curve,
  trace: word,
  speedup: amount,
  arrivalProcess,
  burstiness: amount,
  ramp: duration,
  think,
  inputTokens: lengths,
  outputTokens: lengths,
  lengths: word,
  prefixShare: share,
  prefixes: count,
  turns: count,
}

const HINT =
  'It takes such as {pools: {main: {law: "a=5ms,b=0.25ms"}}, lanes: {chat: {rate: 5/s, outputTokens: 200}, batch: {concurrency: 32, priority: 1}}}.'

/** The value of `--lanes`: a YAML or JSON file. Throws INVALID_CONFIG with every problem, each with its place. */
export function readLanes(path: string): LanesFile {
  const problems: string[] = []
  let json: unknown
  try {
    json = parse(readText('--lanes', path))
  } catch (error) {
    if (error instanceof TwospeedError) throw error
    throw invalid(path, [error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)])
  }
  const file = entriesOf(json, 'the file', problems)
  for (const [key] of file) if (key !== 'pools' && key !== 'lanes') problems.push(`unknown key "${key}"`)
  const of = (key: string, readers: Readers): readonly object[] =>
    entriesOf(file.find(([name]) => name === key)?.[1] ?? {}, key, problems).map(([name, value]) => ({
      name,
      ...readEntry(value, `${key}.${name}`, readers, problems),
    }))
  const pools = of('pools', POOL) as readonly FilePool[]
  const lanes = of('lanes', LANE) as readonly FileLane[]
  if (lanes.length === 0 && problems.length === 0) problems.push('it has no lanes')
  if (problems.length > 0) throw invalid(path, problems)
  return { pools, lanes }
}

const invalid = (path: string, problems: readonly string[]): TwospeedError =>
  new TwospeedError('INVALID_CONFIG', `--lanes ${path}: ${problems.join('; ')}`, HINT)

function entriesOf(json: unknown, where: string, problems: string[]): readonly (readonly [string, unknown])[] {
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return Object.entries(json)
  problems.push(`${where} is no mapping of names to values`)
  return []
}

function readEntry(value: unknown, where: string, readers: Readers, problems: string[]): object {
  const read: [string, unknown][] = []
  for (const [key, given] of entriesOf(value ?? {}, where, problems)) {
    const reader = Object.hasOwn(readers, key) ? readers[key] : undefined
    if (reader === undefined) {
      problems.push(`${where}: unknown key "${key}"`)
      continue
    }
    try {
      const known = reader(Array.isArray(given) ? given.join(',') : String(given))
      if (known !== undefined) read.push([key, known])
    } catch (error) {
      problems.push(`${where}.${key}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return Object.fromEntries(read)
}
