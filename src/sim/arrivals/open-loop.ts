import type { Asker } from './asker.ts'
import { afterwards, inMicros } from './instants.ts'
import { createArrivalQueue } from './queue.ts'
import type { Source } from './source.ts'

export interface OpenLoopPlan {
  /** When somebody new comes, in seconds, ascending, without end. */
  readonly times: Iterator<number, never>
  readonly asker: Asker
  /** The next pause between an answer and the next turn of its conversation, in seconds. */
  readonly pauseS: () => number
}

/**
 * People who do not know of each other: each comes when the plan says, whatever became of those before, and goes when the conversation
 * is over. Within one a turn follows on the answer to the one before.
 */
export function createOpenLoop({ times, asker, pauseS }: OpenLoopPlan): Source {
  const talking = createArrivalQueue()
  let newcomer = 0
  let newcomerS = inMicros(times.next().value)
  return {
    get nextS() {
      return Math.min(newcomerS, talking.nextS)
    },
    take: () => {
      const atS = talking.nextS
      if (atS < newcomerS) return asker.ask(talking.take() ?? 0, atS)
      const arrival = asker.ask(newcomer, newcomerS)
      newcomer += 1
      newcomerS = inMicros(times.next().value)
      return arrival
    },
    ended: (arrival, endS) => {
      if (asker.goesOn(arrival, endS)) talking.put(arrival.user ?? 0, afterwards(endS, pauseS()))
    },
  }
}
