import { percentile } from '../../core/index.ts'
import { type Fleet, type Observer, runFleet, type Source } from '../../sim/index.ts'
import { ROUNDING } from '../judge.ts'

export interface Limits {
  readonly tokensPerSecond?: number
  readonly ttftMs?: number
}

export interface RunSize {
  /** Requests that come before the first that is judged, and those that are. The load is held on until they have ended. */
  readonly warm: number
  readonly judged: number
  /** More than so many in flight, and more come than are answered. */
  readonly most: number
}

export interface JudgedRun {
  /** Of the judged, in order of arrival: 1 had all of the objective. */
  readonly good: Uint8Array
  /**
   * And by how much: ln(pace / floor) or ln(limit / wait), the lesser of the two, but no more than ln 2: what is twice as good as it need be is
   * far enough. Of the good 0 or more.
   */
  readonly margins: Float64Array
  /** Ascending; of those that have one. */
  readonly paces: Float64Array
  readonly waitsS: Float64Array
  /** Of the judged: whose first token was late, and whose pace was below the floor. */
  readonly late: number
  readonly slow: number
  /** In the window, from the first judged request to the one after the last. */
  readonly inFlight: number
  readonly arrivalsPerSecond: number
  readonly residual: number
  readonly overloaded: boolean
  /** All that came. */
  readonly sent: number
}

/** Times as good as it need be. */
const ROOMY = 2

/** Beyond those asked for, so many times as many come at the most while the judged end. */
const LONGEST = 2

/** Runs a fleet and asks of each request whether it got what it was to get. Throws as `runFleet` does. */
export function judgedRun(fleet: Fleet, source: Source, limits: Limits, size: RunSize): JudgedRun {
  const watch = new Watch(limits, size)
  runFleet(fleet, [{ name: 'all', source, priority: 0 }], watch)
  return watch.result()
}

class Watch implements Observer {
  readonly groups = 1
  readonly nextLookS: number = Number.POSITIVE_INFINITY
  readonly #floor: number
  readonly #limitS: number
  readonly #first: number
  readonly #end: number
  readonly #most: number
  readonly #good: Uint8Array
  readonly #margins: Float64Array
  readonly #paces: Float64Array
  readonly #waits: Float64Array
  #pacesSeen = 0
  #waitsSeen = 0
  #sent = 0
  #left = 0
  #judged = 0
  #late = 0
  #slow = 0
  /** Of each request that came: when, and when it ended; the last it knows of is where it stopped. */
  readonly #sentS: number[] = []
  readonly #endS: number[] = []

  constructor({ tokensPerSecond = 0, ttftMs = Number.POSITIVE_INFINITY }: Limits, { warm, judged, most }: RunSize) {
    this.#floor = tokensPerSecond * (1 - ROUNDING)
    this.#limitS = (ttftMs / 1000) * (1 + ROUNDING)
    this.#first = warm
    this.#end = warm + judged
    this.#most = most
    this.#good = new Uint8Array(judged)
    this.#margins = new Float64Array(judged)
    this.#paces = new Float64Array(judged)
    this.#waits = new Float64Array(judged)
  }

  arrived(_: number, nowS: number): number {
    this.#sentS.push(nowS)
    this.#endS.push(Number.POSITIVE_INFINITY)
    this.#sent++
    return 0
  }

  ended({ id, arrival }: Parameters<Observer['ended']>[0], done: Parameters<Observer['ended']>[1]): void {
    const { firstTokenS, lastTokenS } = done
    this.#gone(id, lastTokenS)
    this.#judge(id, arrival.atS, firstTokenS, lastTokenS, done.sequence.outputTokens)
  }

  refused({ id }: Parameters<Observer['refused']>[0], nowS: number): void {
    this.#gone(id, nowS)
    if (this.#isJudged(id)) this.#judged++
  }

  unanswered(
    { id, arrival }: Parameters<NonNullable<Observer['unanswered']>>[0],
    nowS: number,
    left?: Parameters<NonNullable<Observer['unanswered']>>[2],
  ): void {
    if (left === undefined || left.outputTokens < 2) return
    this.#judge(id, arrival.atS, left.firstTokenS, nowS, left.outputTokens)
  }

  isDone(): boolean {
    return (
      this.#judged === this.#end - this.#first ||
      this.#sent >= LONGEST * this.#end ||
      this.#sent - this.#left > this.#most
    )
  }

  segment(): void {}
  preempted(): void {}
  resumed(): void {}
  look(): void {}

  result(): JudgedRun {
    const startS = this.#sentS[this.#first] ?? Number.POSITIVE_INFINITY
    const endS = this.#sentS[this.#end] ?? this.#sentS.at(-1) ?? 0
    const span = endS - startS
    let [held, stays] = [0, 0]
    for (const [i, sentS] of this.#sentS.entries()) {
      const goneS = this.#endS[i] ?? 0
      held += Math.max(0, Math.min(goneS, endS) - Math.max(sentS, startS))
      if (goneS < startS || goneS >= endS) continue
      stays += goneS - sentS
    }
    const inFlight = span > 0 ? held / span : this.#sent - this.#left
    return {
      good: this.#good,
      margins: this.#margins,
      paces: this.#paces.subarray(0, this.#pacesSeen).sort(),
      waitsS: this.#waits.subarray(0, this.#waitsSeen).sort(),
      late: this.#late,
      slow: this.#slow,
      inFlight,
      arrivalsPerSecond: span > 0 ? (Math.min(this.#sent - 1, this.#end) - this.#first) / span : 0,
      // λW is the stays of those that left, over the window.
      residual: span > 0 && held > 0 ? (held - stays) / held : 0,
      overloaded: this.#sent - this.#left > this.#most,
      sent: this.#sent,
    }
  }

  #gone(id: number, atS: number): void {
    this.#endS[id] = atS
    this.#left++
  }

  #isJudged = (id: number): boolean => id >= this.#first && id < this.#end

  #judge(id: number, sentS: number, firstS: number, lastS: number, tokens: number): void {
    if (!this.#isJudged(id)) return
    this.#judged++
    const waitS = firstS - sentS
    this.#waits[this.#waitsSeen++] = waitS
    const decodeS = lastS - firstS
    const pace = tokens > 1 && decodeS > 0 ? (tokens - 1) / decodeS : undefined
    if (pace !== undefined) this.#paces[this.#pacesSeen++] = pace
    const isLate = waitS > this.#limitS
    const isSlow = pace !== undefined && pace < this.#floor
    if (isLate) this.#late++
    if (isSlow) this.#slow++
    if (!isLate && !isSlow) this.#good[id - this.#first] = 1
    const times = Math.min((pace ?? Number.POSITIVE_INFINITY) / this.#floor, this.#limitS / waitS, ROOMY)
    this.#margins[id - this.#first] = Math.log(times)
  }
}

/** Of several ascending samples together. */
export function percentileOf(samples: readonly Float64Array[], p: number): number | undefined {
  const all = new Float64Array(samples.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const sample of samples) {
    all.set(sample, at)
    at += sample.length
  }
  return percentile(all.sort(), p)
}
