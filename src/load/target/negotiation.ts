import type { RequestFault, RequestRecord } from '../../core/index.ts'
import { type Dialect, otherLimit, retreat } from './dialect.ts'
import type { Probed } from './probe.ts'
import { endlessError, targetError } from './target-fault.ts'

/** What a server takes, found out by asking it: a policy that sends nothing, and learns from each answer how to ask next. */
export interface Negotiation {
  /** How the next request is to be asked. */
  dialect(): Dialect
  /**
   * Does the answer stand, for which so many tokens were asked? If not, the same is to be asked again, in what the dialect is now.
   *
   * @throws TwospeedError as `targetError` says where nothing is left to try; `LIMIT_IGNORED` where the server goes on whatever is tried.
   */
  stands(probed: Probed, asked: number, mayBeEmpty: boolean): boolean
  /** May a floor under the length help against answers that end too soon? Then `hold` asks for one, or gives it up. */
  mayHold(): boolean
  hold(floor: boolean): void
}

/** Tokens that are counted otherwise than the server does may be a few more than the limit. */
const isOver = (record: RequestRecord, asked: number): boolean => record.outputTokens > Math.max(1.1 * asked, asked + 2)

/** `shown` names the target in errors. */
export function createNegotiation(first: Dialect, shown: string): Negotiation {
  let dialect = first
  let isFloorKnown = false
  let isLimitKnown = false
  /** While the limit's other name is tried: what to go back to where it does not help. */
  let before: Dialect | undefined

  const onRefusal = (error: RequestFault): void => {
    const next = retreat(dialect, error)
    if (next === undefined) throw targetError(error, shown)
    // Where the one extension is unknown, the other may be known.
    const tryFloor = dialect.ignoreEos && !next.ignoreEos && !isFloorKnown
    isFloorKnown ||= tryFloor
    dialect = tryFloor ? { ...next, minTokens: true } : next
  }

  /** The server may know the limit by its other name; else it gets leave to stop by itself. An answer that ended, though late, will do. */
  const onExcess = ({ record, isEndless }: Probed, asked: number): boolean => {
    const other = isLimitKnown ? undefined : otherLimit(dialect)
    isLimitKnown = true
    if (other !== undefined) {
      before = dialect
      dialect = other
      return false
    }
    if (!isEndless) return true
    if (!dialect.ignoreEos && !dialect.minTokens) throw endlessError(record.outputTokens, asked, shown)
    dialect = { ...dialect, ignoreEos: false, minTokens: false }
    return false
  }

  return {
    dialect: () => dialect,
    stands(probed, asked, mayBeEmpty) {
      const { error } = probed.record
      const isExcess = probed.isEndless || isOver(probed.record, asked)
      if (before !== undefined) {
        if (error !== undefined || isExcess) dialect = before
        before = undefined
        if (error !== undefined) return false
      }
      if (error === undefined) return !isExcess || onExcess(probed, asked)
      if (mayBeEmpty && error.kind === 'empty') return true
      onRefusal(error)
      return false
    },
    mayHold: () => dialect.ignoreEos && !isFloorKnown,
    hold(floor) {
      isFloorKnown = true
      dialect = { ...dialect, minTokens: floor }
    },
  }
}
