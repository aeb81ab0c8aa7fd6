import type { TraceRow } from '../core/index.ts'
import { digitsIn, isObject, isTokens, type LineFaults, NO_TOKENS, objectIn, quoted } from './line-faults.ts'
import { createTraceBlocks } from './trace-blocks.ts'

/** A row as the file has it: its time is on the file's own clock still. */
export type ReadRow = Omit<TraceRow, 'atS'> & { atS: number }

interface Extent {
  readonly rows: number
  readonly spanS: number
  /** Every time is a whole number of seconds. */
  readonly areWhole: boolean
  readonly speedup: number
}

export interface FormatReader {
  readonly timeField: string
  /** The line that told the format holds no request. */
  readonly startsBelow: boolean
  /** Undefined where a fault was added. */
  read(text: string, line: number, faults: LineFaults): ReadRow | undefined
  /** After the last row: tokens of a block, where any row has blocks. A row that contradicts it is a fault. */
  blockTokens?(faults: LineFaults): number | undefined
  /** Why the times cannot be in the format's unit; undefined where they can. */
  unitProblem(extent: Extent): string | undefined
}

/** The format by its first line; undefined, and a fault, where it is none that is known. */
export function formatOf(first: string, line: number, faults: LineFaults): FormatReader | undefined {
  if (!first.startsWith('{')) return table(first, line, faults)
  const value = objectIn(first, `line ${line}`, faults)
  if (value === undefined) return undefined
  if ('atS' in value) return OWN
  if ('timestamp' in value && 'input_length' in value) return createMooncake()
  faults.add(`line ${line}`, `no known format has the keys ${Object.keys(value).slice(0, 6).join(', ')}`)
  return undefined
}

const AZURE_COLUMNS = ['TIMESTAMP', 'ContextTokens', 'GeneratedTokens'] as const
const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)[T ]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(\.\d+)?(?:Z|([+-])(\d\d):?(\d\d))?$/

/** LLMServingSim's workloads: a CSV whose first column names its unit. */
const SECONDS_COLUMNS = ['arrival_s', 'input_toks', 'output_toks'] as const

/** A CSV. Of Azure's public traces the times are dates with hours, so that there is no unit to mistake. A bare number is refused. */
function table(header: string, line: number, faults: LineFaults): FormatReader | undefined {
  const columns = cellsOf(header)
  const isInSeconds = columns.includes(SECONDS_COLUMNS[0])
  const names = isInSeconds ? SECONDS_COLUMNS : AZURE_COLUMNS
  const timeOf = isInSeconds ? secondsOf : instantOf
  const missing = names.filter((name) => !columns.includes(name))
  for (const name of missing) faults.add(`line ${line}`, `column ${name} is missing`)
  if (missing.length > 0) return undefined
  const [time, input, output] = names.map((name) => columns.indexOf(name)) as [number, number, number]
  return {
    timeField: names[0],
    startsBelow: true,
    read(text, number, out) {
      const cells = cellsOf(text)
      if (cells.length !== columns.length) {
        out.add(`line ${number}`, `it has ${cells.length} cells, not ${columns.length}`)
        return undefined
      }
      const timeS = timeOf(cells[time] ?? '')
      const inputTokens = digitsIn(cells[input] ?? '')
      const outputTokens = digitsIn(cells[output] ?? '')
      const isGood = [
        need(timeS !== undefined, number, names[0], cells[time], isInSeconds ? NO_TIME : NO_DATE, out),
        need(isTokens(inputTokens), number, names[1], cells[input], NO_TOKENS, out),
        need(isTokens(outputTokens), number, names[2], cells[output], NO_TOKENS, out),
      ].every(Boolean)
      return isGood && timeS !== undefined ? { atS: timeS, inputTokens, outputTokens } : undefined
    },
    unitProblem: () => undefined,
  }
}

const NO_DATE = 'is no date with a time, such as 2023-11-16 18:15:46.680; of a bare number the unit would be a guess'
const NO_TIME = 'is no time from 0 on'

/** No cell holds a comma, so quotes need no more than taking off; most files have none. */
const cellsOf = (line: string): string[] => {
  const cells = line.split(',')
  return line.includes('"') ? cells.map((cell) => cell.trim().replace(/^"(.*)"$/, '$1')) : cells
}

const secondsOf = (text: string): number | undefined =>
  /^\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text.trim()) ? Number(text) : undefined

/** Seconds since 1970. */
function instantOf(text: string): number | undefined {
  const match = DATE_TIME.exec(text)
  if (match === null) return undefined
  const [, year, month, day, hour, minute, second, fraction = '0', sign, zoneHours = '0', zoneMinutes = '0'] = match
  const ms = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second))
  // The 31st of February becomes a day of March.
  if (new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() !== Number(day)) return undefined
  const zoneS = (sign === '-' ? -1 : 1) * (Number(zoneHours) * 3600 + Number(zoneMinutes) * 60)
  return Number(month) <= 12 ? ms / 1000 + Number(fraction) - zoneS : undefined
}

const MOST_PER_SECOND = 1_000
const ENOUGH_ROWS = 100

/**
 * Mooncake's traces: `timestamp` in whole milliseconds, and prompts told as runs of blocks, the first occurrence of each counted up. Seconds
 * are told by a fraction, or by more than 1 000 requests a second on the mean of a hundred or more, which no published trace comes near.
 */
function createMooncake(): FormatReader {
  const blockCounts = createTraceBlocks()
  return {
    timeField: 'timestamp',
    startsBelow: false,
    read(text, number, faults) {
      const value = objectIn(text, `line ${number}`, faults)
      if (value === undefined) return undefined
      const { timestamp, input_length: inputTokens, output_length: outputTokens, hash_ids: blocks } = value
      const { block_size: blockTokens } = value
      const isWhole = typeof timestamp !== 'number' || Number.isInteger(timestamp)
      const isGood = [
        need(isTime(timestamp), number, 'timestamp', timestamp, NO_TIME, faults) &&
          need(
            isWhole,
            number,
            'timestamp',
            timestamp,
            'is no whole number of milliseconds: is it in seconds?',
            faults,
          ),
        need(isTokens(inputTokens), number, 'input_length', inputTokens, NO_TOKENS, faults),
        need(isTokens(outputTokens), number, 'output_length', outputTokens, NO_TOKENS, faults),
        need(isTokens(blockTokens ?? 1), number, 'block_size', blockTokens, NO_TOKENS, faults),
      ].every(Boolean)
      if (!isGood || !isTime(timestamp) || !isTokens(inputTokens) || !isTokens(outputTokens)) return undefined
      if (blocks === undefined) return { atS: timestamp / 1000, inputTokens, outputTokens }
      if (!Array.isArray(blocks) || !blocks.every(isBlockId)) {
        faults.add(`line ${number}, hash_ids`, `${quoted(blocks)} is no list of block numbers`)
        return undefined
      }
      blockCounts.add(number, inputTokens, blocks.length, isTokens(blockTokens) ? blockTokens : undefined)
      return { atS: timestamp / 1000, inputTokens, outputTokens, blocks }
    },
    blockTokens: blockCounts.settle,
    unitProblem: ({ rows, spanS }) =>
      rows >= ENOUGH_ROWS && rows > MOST_PER_SECOND * spanS
        ? `${rows} requests within ${spanS} s if it is in milliseconds: is it in seconds?`
        : undefined,
  }
}

const OWN_KEYS: ReadonlySet<string> = new Set(['atS', 'inputTokens', 'outputTokens', 'body'])
const FEW_ROWS = 10
const RARE_S = 60

/**
 * twospeed's own: `atS` in seconds, and lengths or a whole `body`. Milliseconds are told by ten or more times that are all whole and
 * so far apart that a request would come once a minute or less, the speed-up allowed for.
 */
const OWN: FormatReader = {
  timeField: 'atS',
  startsBelow: false,
  read(text, number, faults) {
    const value = objectIn(text, `line ${number}`, faults)
    if (value === undefined) return undefined
    const { atS, inputTokens, outputTokens, body } = value
    const strange = Object.keys(value).filter((key) => !OWN_KEYS.has(key))
    for (const key of strange) faults.add(`line ${number}`, `unknown key ${quoted(key)}`)
    const isTimed = need(isTime(atS), number, 'atS', atS, NO_TIME, faults)
    if (body !== undefined) {
      const isAlone = inputTokens === undefined && outputTokens === undefined
      if (!isAlone) faults.add(`line ${number}`, 'a body has its own lengths: leave out inputTokens and outputTokens')
      if (!isObject(body)) faults.add(`line ${number}, body`, `${quoted(body)} is no request body`)
      if (!isTimed || strange.length > 0 || !isAlone || !isTime(atS) || !isObject(body)) return undefined
      return { atS, body }
    }
    const isGood = [
      need(isTokens(inputTokens), number, 'inputTokens', inputTokens, NO_TOKENS, faults),
      need(isTokens(outputTokens), number, 'outputTokens', outputTokens, NO_TOKENS, faults),
    ].every(Boolean)
    if (!isGood || !isTimed || strange.length > 0) return undefined
    if (!isTime(atS) || !isTokens(inputTokens) || !isTokens(outputTokens)) return undefined
    return { atS, inputTokens, outputTokens }
  },
  unitProblem: ({ rows, spanS, areWhole, speedup }) => {
    const gapS = spanS / speedup / Math.max(1, rows - 1)
    return rows >= FEW_ROWS && areWhole && gapS >= RARE_S
      ? `all whole numbers, a request every ${Math.round(gapS)} s: are they milliseconds? --speedup 1000 plays those in time`
      : undefined
  },
}

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0
const isBlockId = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

function need(
  holds: boolean,
  line: number,
  field: string,
  value: unknown,
  problem: string,
  faults: LineFaults,
): boolean {
  if (!holds) faults.add(`line ${line}, ${field}`, `${quoted(value)} ${problem}`)
  return holds
}
