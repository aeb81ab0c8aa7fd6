/** Told of every change of what waits, holds blocks or is on its way, so that means over time are exact. */
export interface Levels {
  /** What stands from this instant on is of no interest. */
  isOver(atS: number): boolean
  /** From now on so many wait in the queues of a pool. */
  waiting(pool: number, count: number, nowS: number): void
  /** Of an engine: blocks held from one instant, when it had decided, to another, when it decides again; evenly more in between. */
  held(engine: number, from: { readonly atS: number; readonly blocks: number }, toS: number, blocks: number): void
  /** From now on so many are on the link, and so many wait for it. */
  link(moving: number, waiting: number, nowS: number): void
}
