import type { FleetState } from './observer.ts'

/** A lane as the window sees it. */
export interface Turned {
  /** Of a closed loop: so many, each of whom asks again. */
  readonly users?: number
}

export interface EdgesPlan {
  readonly lanes: readonly Turned[]
  /** All requests until the window closes. */
  readonly requests: number
  /** Length of the window, instead. */
  readonly durationS?: number
  /** Everything counts, from 0 to the last end: a load that is as it is, and is not held at a level. */
  readonly isWhole: boolean
  /** How many wait in the fleet. */
  readonly queued: (state: FleetState) => number
}

const WARM_UP_SHARE = 0.1
/** Where the load has not been round after so many times the requests, or the asked length, the window opens all the same. */
const COMES_UP = 4
/**
 * While the load is held on, so many times the requests up to the window's end may come: where they come much faster than they are served,
 * or some are passed over for ever, waiting for the last has no end.
 */
const PATIENCE = 10
/** Of fewer requests than this the patience is as of so many: what is in flight takes some to turn over. */
const LEAST_PATIENCE = 1000
/** Where such a share of all that were asked for waits in queues when they have come, it is clear that the load never comes round. */
const HOPELESS_SHARE = 0.5
/** So many of each user, and such a share of the requests, are sent inside at least, however late the window opened. */
const LEAST_TURNS = 2
const LEAST_SHARE = 0.5

/**
 * Which time of a run is measured.
 *
 *     load comes up              window                  load held on
 *     |–––––––––––––––|[=======================)|–until all begun before its end have ended–|
 *                     ↑ a send                 ↑ a send, each within the µs before the edge
 *
 * It opens when the load has been round once, and a tenth of the requests, or of the asked length, has gone by: in a closed loop every user
 * has had an answer; else all that were in flight when the first one ended have ended too. Edges lie 1 µs after a send: what ended and was
 * sent at one instant lies on one side, so that whole turns are cut out of a load that goes round.
 */
export class WindowEdges {
  startS: number | undefined
  /** Infinity while it is not known. */
  endS: number
  /** It opened before the load had come up. */
  isUnclear = false
  /** Requests that were sent before the end. */
  sent = 0
  private readonly plan: EdgesPlan
  private readonly turns: readonly Turn[]
  private readonly users: number
  private ended = 0
  private inside = 0
  private open = 0
  private late = 0

  constructor(plan: EdgesPlan) {
    const { lanes, durationS, isWhole } = plan
    this.plan = plan
    this.turns = lanes.map((lane) => new Turn(lane))
    this.users = lanes.reduce((sum, lane) => sum + (lane.users ?? 1), 0)
    this.startS = isWhole ? 0 : undefined
    this.endS = isWhole && durationS !== undefined ? durationS : Number.POSITIVE_INFINITY
  }

  /** A request comes. True: the window opens 1 µs from now. */
  arrived(lane: number, nowS: number, state: FleetState): boolean {
    if (nowS >= this.endS) {
      this.late += 1
      return false
    }
    const { startS, plan } = this
    const { requests, durationS, isWhole } = plan
    this.turns[lane]?.arrived(this.sent)
    this.sent += 1
    this.open += 1
    if (startS === undefined) return this.opens(nowS, state)
    if (nowS >= startS) this.inside += 1
    if (isWhole || durationS !== undefined || this.endS !== Number.POSITIVE_INFINITY) return false
    const least = Math.max(LEAST_TURNS * this.users, LEAST_SHARE * requests)
    if (this.sent >= requests && this.inside >= least) this.endS = after(nowS)
    return false
  }

  hasEnded(lane: number, id: number, user: number | undefined): void {
    // Those that came after the end have higher numbers.
    if (id >= this.sent) return
    this.open -= 1
    this.ended += 1
    if (this.startS === undefined) this.turns[lane]?.ended(id, user)
  }

  /** Nothing that was sent before the end is still on its way, or the wait for it has been too long. */
  isOver(nowS: number): boolean {
    if (nowS < this.endS || this.startS === undefined) return false
    return this.open === 0 || this.late > PATIENCE * Math.max(this.sent, LEAST_PATIENCE)
  }

  /** Some of what was sent before the end is still on its way. */
  get isCut(): boolean {
    return this.open > 0
  }

  private opens(nowS: number, state: FleetState): boolean {
    const { durationS, queued } = this.plan
    this.isUnclear = !this.isTurned(nowS)
    if (this.isUnclear && !this.isLate(nowS, COMES_UP, this.sent)) {
      const isHopeless = this.isLate(nowS, 1, this.sent) && queued(state) > HOPELESS_SHARE * this.sent
      if (!isHopeless) return false
    }
    this.startS = after(nowS)
    if (durationS !== undefined) this.endS = Math.round((this.startS + durationS) * 1e6) / 1e6
    return true
  }

  private isTurned(nowS: number): boolean {
    return this.isLate(nowS, WARM_UP_SHARE, this.ended) && this.turns.every((turn) => turn.isOver())
  }

  /** Such a share of the run has gone by. */
  private isLate(nowS: number, share: number, count: number): boolean {
    const { requests, durationS } = this.plan
    return durationS === undefined ? count >= share * requests : nowS >= share * durationS
  }
}

const after = (nowS: number): number => (Math.round(nowS * 1e6) + 1) / 1e6

class Turn {
  private readonly users: number | undefined
  private readonly answered = new Set<number>()
  private sent = 0
  private last = -1
  private left = 0
  private isMarked = false

  constructor({ users }: Turned) {
    this.users = users
  }

  arrived(id: number): void {
    if (this.isMarked) return
    this.sent += 1
    this.last = id
  }

  ended(id: number, user: number | undefined): void {
    // Of an open loop each is somebody else: a run of ten million would keep a million of them.
    if (this.users !== undefined && user !== undefined) this.answered.add(user)
    if (!this.isMarked) {
      this.isMarked = true
      this.left = this.sent
    }
    if (id <= this.last) this.left -= 1
  }

  isOver(): boolean {
    return this.isMarked && (this.users === undefined ? this.left === 0 : this.answered.size >= this.users)
  }
}
