import { TwospeedError } from '../../core/index.ts'
import type { Parallelism } from '../roofline/configuration.ts'

/** `count` instances of `tp` GPUs each; of tp·pp·dp where they are cut in other ways too. */
export interface Pool {
  readonly count: number
  readonly tp: number
  readonly pp?: number
  readonly ep?: number
  readonly dp?: number
}

const FORM = /^(\d{1,5})x(\d{1,4})((?:,(?:pp|ep|dp)=\d{1,4})*)$/
const TOO_LARGE = /^(\d{6,}x\d+|\d+x\d{5,})/
const HINT = 'A pool is COUNTxTP, such as 2x4; ,dp=8 ,ep=8 or ,pp=2 may follow.'

/**
 * Reads `2x4` (two instances of TP 4) or `1x1,dp=8,ep=8`; also what `nameOfPool` writes, so that a line of a search can be given back.
 * Throws INVALID_VALUE, which names the flag.
 */
export function parsePool(flag: string, text: string): Pool {
  const refuse = (what: string): never => {
    throw new TwospeedError('INVALID_VALUE', `${flag}: ${what}`, HINT)
  }
  const [whole, count, tp, rest = ''] = FORM.exec(plain(text)) ?? []
  if (whole === undefined)
    return refuse(
      `"${text}" ${TOO_LARGE.test(plain(text)) ? 'is too large: at most 99999 instances of TP 9999' : 'is not COUNTxTP'}`,
    )
  const pairs = rest.split(',').filter((pair) => pair !== '')
  const further = Object.fromEntries(pairs.map((pair): [string, number] => [pair.slice(0, 2), Number(pair.slice(3))]))
  if (Object.keys(further).length < pairs.length) return refuse(`"${text}" says something twice`)
  const pool: Pool = { count: Number(count), tp: Number(tp), ...further }
  if (Object.values(pool).includes(0)) return refuse(`"${text}" holds a 0`)
  return pool
}

/** `1 × TP1 DP8 EP8` → `1x1,dp=8,ep=8`. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/\s*[x×]\s*(tp)?/, 'x')
    .replace(/\s+(pp|ep|dp)(\d)/g, ',$1=$2')
    .replaceAll(' ', '')
}

/** Of one instance. */
export function parallelismOf({ tp, pp = 1, ep = 1, dp = 1 }: Pool): Parallelism {
  return { tp, pp, ep, dp }
}

/** GPUs of all instances. */
export function gpusOfPool({ count, tp, pp = 1, dp = 1 }: Pool): number {
  return count * tp * pp * dp
}

/** `TP4`, `TP1 DP8 EP8`. */
export function layoutName({ tp, pp = 1, ep = 1, dp = 1 }: Omit<Pool, 'count'>): string {
  const further = [pp > 1 && `PP${pp}`, dp > 1 && `DP${dp}`, ep > 1 && `EP${ep}`].filter((part) => part !== false)
  return [`TP${tp}`, ...further].join(' ')
}

/** `2 × TP4`, `1 × TP1 DP8 EP8`. */
export function nameOfPool({ count, ...layout }: Pool): string {
  return `${count} × ${layoutName(layout)}`
}

export function nameOfPools(prefill: Pool, decode: Pool): string {
  return `${nameOfPool(prefill)} prefill, ${nameOfPool(decode)} decode`
}
