import type { Asker } from './asker.ts'
import { afterwards, inMicros } from './instants.ts'
import { createArrivalQueue } from './queue.ts'
import type { Source } from './source.ts'

export interface ClosedLoopPlan {
  readonly users: number
  /** Their first requests are spread over so long: users that start together stay together. */
  readonly spreadS: number
  readonly asker: Asker
  /** The next pause of a user after an answer, in seconds. */
  readonly pauseS: () => number
}

/** So many users, each of whom asks again when the answer is there, or has been thought about. */
export function createClosedLoop({ users, spreadS, asker, pauseS }: ClosedLoopPlan): Source {
  const queue = createArrivalQueue()
  for (let user = 0; user < users; user++) queue.put(user, inMicros((user * spreadS) / users))
  return {
    get nextS() {
      return queue.nextS
    },
    take: () => {
      const atS = queue.nextS
      const user = queue.take()
      if (user === undefined) throw new RangeError('all users wait for an answer')
      return asker.ask(user, atS)
    },
    ended: (arrival, endS) => {
      asker.goesOn(arrival, endS)
      queue.put(arrival.user ?? 0, afterwards(endS, pauseS()))
    },
  }
}
