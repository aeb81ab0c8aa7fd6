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
}

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
export interface WindowEdges {
  /** A request comes. True: the window opens 1 µs from now. `queued`: how many wait in the fleet. */
  arrived(lane: number, nowS: number, queued: () => number): boolean
  ended(lane: number, id: number, user: number | undefined): void
  readonly startS: number | undefined
  /** Infinity while it is not known. */
  readonly endS: number
  /** It opened before the load had come up. */
  readonly isUnclear: boolean
  /** Nothing that was sent before the end is still on its way, or the wait for it has been too long. */
  isOver(nowS: number): boolean
  /** Some of it still is. */
  readonly isCut: boolean
  /** Requests that were sent before the end. */
  readonly sent: number
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

export function createWindowEdges({ lanes, requests, durationS, isWhole }: EdgesPlan): WindowEdges {
  const turns = lanes.map(createTurn)
  const users = lanes.reduce((sum, lane) => sum + (lane.users ?? 1), 0)
  let startS = isWhole ? 0 : undefined
  let endS = isWhole && durationS !== undefined ? durationS : Number.POSITIVE_INFINITY
  let [sent, ended, inside, open, late] = [0, 0, 0, 0, 0]
  let isUnclear = false

  /** Such a share of the run has gone by. */
  const isLate = (nowS: number, share: number, count: number): boolean =>
    durationS === undefined ? count >= share * requests : nowS >= share * durationS
  const isTurned = (nowS: number): boolean => {
    return isLate(nowS, WARM_UP_SHARE, ended) && turns.every((turn) => turn.isOver())
  }
  const after = (nowS: number): number => (Math.round(nowS * 1e6) + 1) / 1e6

  return {
    arrived: (lane, nowS, queued) => {
      if (nowS >= endS) {
        late += 1
        return false
      }
      turns[lane]?.arrived(sent)
      sent += 1
      open += 1
      if (startS === undefined) {
        isUnclear = !isTurned(nowS)
        const isHopeless = (): boolean => isLate(nowS, 1, sent) && queued() > HOPELESS_SHARE * sent
        if (isUnclear && !isLate(nowS, COMES_UP, sent) && !isHopeless()) return false
        startS = after(nowS)
        if (durationS !== undefined) endS = Math.round((startS + durationS) * 1e6) / 1e6
        return true
      }
      if (nowS >= startS) inside += 1
      if (isWhole || durationS !== undefined || endS !== Number.POSITIVE_INFINITY) return false
      if (sent >= requests && inside >= Math.max(LEAST_TURNS * users, LEAST_SHARE * requests)) endS = after(nowS)
      return false
    },
    ended: (lane, id, user) => {
      // Those that came after the end have higher numbers.
      if (id >= sent) return
      open -= 1
      ended += 1
      if (startS === undefined) turns[lane]?.ended(id, user)
    },
    get startS() {
      return startS
    },
    get endS() {
      return endS
    },
    get isUnclear() {
      return isUnclear
    },
    isOver: (nowS) =>
      nowS >= endS && startS !== undefined && (open === 0 || late > PATIENCE * Math.max(sent, LEAST_PATIENCE)),
    get isCut() {
      return open > 0
    },
    get sent() {
      return sent
    },
  }
}

interface Turn {
  arrived(id: number): void
  ended(id: number, user: number | undefined): void
  isOver(): boolean
}

function createTurn({ users }: Turned): Turn {
  const answered = new Set<number>()
  let [sent, last, left] = [0, -1, 0]
  let isMarked = false
  return {
    arrived: (id) => {
      if (isMarked) return
      sent += 1
      last = id
    },
    ended: (id, user) => {
      // Of an open loop each is somebody else: a run of ten million would keep a million of them.
      if (users !== undefined && user !== undefined) answered.add(user)
      if (!isMarked) {
        isMarked = true
        left = sent
      }
      if (id <= last) left -= 1
    },
    isOver: () => isMarked && (users === undefined ? left === 0 : answered.size >= users),
  }
}
