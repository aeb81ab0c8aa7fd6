import type { SimulatedInstant } from '../../core/index.ts'
import type { FleetState } from './observer.ts'

/** How the fleet stood at instants evenly apart, though it is not known how long it will be watched. */
export interface Series {
  /** Infinity before the window is open, and after its end. */
  readonly nextS: number
  /** The window opens; the first instants are this far apart. */
  begin(startS: number, everyS: number): void
  look(state: FleetState, nowS: number): void
  /** No instant from here on. */
  end(endS: number): void
  instants(): readonly SimulatedInstant[]
}

/** What was seen of one pool, look by look. The share is −1 where the KV cache has no limit. */
interface Seen {
  readonly running: number[]
  readonly waiting: number[]
  readonly kvShare: number[]
}

const MOST_INSTANTS = 200

export function createSeries(pools: number, hasLink: boolean): Series {
  const seen: Seen[] = Array.from({ length: pools }, () => ({ running: [], waiting: [], kvShare: [] }))
  const inTransfer: number[] = []
  let looks = 0
  let [beganS, everyS, untilS] = [0, 0, Number.POSITIVE_INFINITY]

  /** Every second one goes, and from now on only as many come. */
  const thin = (): void => {
    looks /= 2
    everyS *= 2
    for (const column of [
      inTransfer,
      ...seen.flatMap(({ running, waiting, kvShare }) => [running, waiting, kvShare]),
    ]) {
      for (let at = 0; at < looks; at++) column[at] = column[2 * at] ?? 0
      column.length = looks
    }
  }
  /** Of so many of them: where the end is known late, some lie after it. */
  const inside = (): number => {
    let count = looks
    while (count > 0 && beganS + (count - 1) * everyS >= untilS) count -= 1
    return count
  }

  const series: { nextS: number } & Series = {
    nextS: Number.POSITIVE_INFINITY,
    begin: (startS, apartS) => {
      beganS = startS
      everyS = apartS
      series.nextS = startS
    },
    look: (state, nowS) => {
      for (let pool = 0; pool < pools; pool++) {
        const of = seen[pool]
        if (of === undefined) continue
        of.running.push(state.running(pool))
        of.waiting.push(state.waiting(pool))
        of.kvShare.push(state.kvShare(pool, nowS) ?? -1)
      }
      inTransfer.push(state.inTransfer)
      looks += 1
      if (looks === MOST_INSTANTS) thin()
      series.nextS = beganS + looks * everyS
      if (series.nextS >= untilS) series.nextS = Number.POSITIVE_INFINITY
    },
    end: (endS) => {
      untilS = endS
      if (series.nextS >= endS) series.nextS = Number.POSITIVE_INFINITY
    },
    instants: () =>
      Array.from({ length: inside() }, (_, at) => {
        const sum = (of: (pool: Seen) => readonly number[]): number =>
          seen.reduce((all, pool) => all + (of(pool)[at] ?? 0), 0)
        const kvShare = Math.max(...seen.map((pool) => pool.kvShare[at] ?? -1))
        return {
          atS: beganS + at * everyS,
          running: sum(({ running }) => running),
          waiting: sum(({ waiting }) => waiting),
          ...(hasLink && { inTransfer: inTransfer[at] ?? 0 }),
          // Of the pool that is fullest.
          ...(kvShare >= 0 && { kvShare }),
        }
      }),
  }
  return series
}
