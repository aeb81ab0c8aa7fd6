import type { Run } from '../core/index.ts'

type Points = Pick<Run, 'points'>

/** A run of the simulator, in which no server took part at all. */
export const isOfSimulator = ({ points }: Points): boolean => points.some(({ simulation }) => simulation !== undefined)

/** Of lanes that differ: its means are of a mix, of which there is no law and no frontier. */
export const isMixed = ({ points }: Points): boolean => points.some(({ simulation }) => simulation?.lanes !== undefined)

/** A sentence that is of servers too, of a run that measured nothing. */
export const asSimulated = (sentence: string): string => sentence.replace(/\bmeasured\b/g, 'simulated')
