import type { SimulatedInstant, SimulatedPool } from '../../core/index.ts'
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
  ofPool(pool: number): Pick<SimulatedPool, 'meanWaiting' | 'meanKvShare' | 'mostKvShare'>
}

interface Look {
  readonly atS: number
  readonly running: readonly number[]
  readonly waiting: readonly number[]
  readonly kvShare: readonly (number | undefined)[]
  readonly inTransfer: number
}

const MOST_INSTANTS = 200

export function createSeries(pools: number, hasLink: boolean): Series {
  const each = Array.from({ length: pools }, (_, pool) => pool)
  const most = new Float64Array(pools)
  let looks: Look[] = []
  let [beganS, everyS, untilS] = [0, 0, Number.POSITIVE_INFINITY]
  let nextS = Number.POSITIVE_INFINITY

  const kept = (): readonly Look[] => looks.filter(({ atS }) => atS < untilS)

  return {
    get nextS() {
      return nextS
    },
    begin: (startS, apartS) => {
      beganS = startS
      everyS = apartS
      nextS = startS
    },
    look: (state, nowS) => {
      const kvShare = each.map((pool) => state.kvShare(pool, nowS))
      kvShare.forEach((share = 0, pool) => {
        most[pool] = Math.max(most[pool] ?? 0, share)
      })
      looks.push({
        atS: nextS,
        running: each.map((pool) => state.running(pool)),
        waiting: each.map((pool) => state.waiting(pool)),
        kvShare,
        inTransfer: state.inTransfer,
      })
      if (looks.length === MOST_INSTANTS) {
        looks = looks.filter((_, at) => at % 2 === 0)
        everyS *= 2
      }
      nextS = beganS + looks.length * everyS
      if (nextS >= untilS) nextS = Number.POSITIVE_INFINITY
    },
    end: (endS) => {
      untilS = endS
      if (nextS >= endS) nextS = Number.POSITIVE_INFINITY
    },
    instants: () =>
      kept().map(({ atS, running, waiting, kvShare, inTransfer }) => {
        const shares = kvShare.filter((share) => share !== undefined)
        return {
          atS,
          running: total(running),
          waiting: total(waiting),
          ...(hasLink && { inTransfer }),
          ...(shares.length > 0 && { kvShare: Math.max(...shares) }),
        }
      }),
    ofPool: (pool) => {
      const seen = kept()
      const shares = seen.flatMap(({ kvShare }) => kvShare[pool] ?? [])
      return {
        meanWaiting: meanOf(seen.map(({ waiting }) => waiting[pool] ?? 0)),
        ...(shares.length > 0 && { meanKvShare: meanOf(shares), mostKvShare: most[pool] ?? 0 }),
      }
    },
  }
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)
const meanOf = (values: readonly number[]): number => (values.length === 0 ? 0 : total(values) / values.length)
