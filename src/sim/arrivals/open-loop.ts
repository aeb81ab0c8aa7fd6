import type { Asker } from './asker.ts'
import { afterwards, inMicros } from './instants.ts'
import { ArrivalQueue } from './queue.ts'
import type { Arrival, Source } from './source.ts'

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
export class OpenLoop implements Source {
  private readonly times: Iterator<number, never>
  private readonly asker: Asker
  private readonly pauseS: () => number
  private readonly talking = new ArrivalQueue()
  private newcomer = 0
  private newcomerS: number

  constructor({ times, asker, pauseS }: OpenLoopPlan) {
    this.times = times
    this.asker = asker
    this.pauseS = pauseS
    this.newcomerS = inMicros(times.next().value)
  }

  get nextS(): number {
    return Math.min(this.newcomerS, this.talking.nextS)
  }

  readonly take = (): Arrival => {
    const { asker, talking, newcomerS } = this
    const atS = talking.nextS
    if (atS < newcomerS) return asker.ask(talking.take() ?? 0, atS)
    const arrival = asker.ask(this.newcomer, newcomerS)
    this.newcomer += 1
    this.newcomerS = inMicros(this.times.next().value)
    return arrival
  }

  readonly ended = (arrival: Arrival, endS: number): void => {
    if (this.asker.goesOn(arrival, endS)) this.talking.put(arrival.user ?? 0, afterwards(endS, this.pauseS()))
  }
}
