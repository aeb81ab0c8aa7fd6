import type { Asker } from './asker.ts'
import { afterwards, inMicros } from './instants.ts'
import { ArrivalQueue } from './queue.ts'
import type { Arrival, Source } from './source.ts'

export interface ClosedLoopPlan {
  readonly users: number
  /** Their first requests are spread over so long: users that start together stay together. */
  readonly spreadS: number
  readonly asker: Asker
  /** The next pause of a user after an answer, in seconds. */
  readonly pauseS: () => number
}

/** So many users, each of whom asks again when the answer is there, or has been thought about. */
export class ClosedLoop implements Source {
  private readonly queue = new ArrivalQueue()
  private readonly asker: Asker
  private readonly pauseS: () => number

  constructor({ users, spreadS, asker, pauseS }: ClosedLoopPlan) {
    this.asker = asker
    this.pauseS = pauseS
    for (let user = 0; user < users; user++) this.queue.put(user, inMicros((user * spreadS) / users))
  }

  get nextS(): number {
    return this.queue.nextS
  }

  readonly take = (): Arrival => {
    const atS = this.queue.nextS
    const user = this.queue.take()
    if (user === undefined) throw new RangeError('all users wait for an answer')
    return this.asker.ask(user, atS)
  }

  readonly ended = (arrival: Arrival, endS: number): void => {
    this.asker.goesOn(arrival, endS)
    this.queue.put(arrival.user ?? 0, afterwards(endS, this.pauseS()))
  }
}
