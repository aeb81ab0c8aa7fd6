import type { Segment } from '../engine/engine.ts'

/** When so many steps of a segment had ended, in seconds: where its piece begins, or ends. */
export const endOfStep = ({ startS, firstS, growthS }: Segment, steps: number): number =>
  startS + steps * firstS + (growthS * steps * (steps - 1)) / 2
