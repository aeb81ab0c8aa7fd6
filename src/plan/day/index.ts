/** A day of requests: what it asks of a fleet, what of a batch goes into its trough, what a cache of beginnings is worth. */
export { cacheOf } from './cache.ts'
export { type DayServer, dayOf, raisedDay } from './day.ts'
export { type DaySource, demandOfDay } from './source.ts'
export { type PlannedWith, troughOf, troughOfWorks, type Work, wholeWork } from './trough.ts'
export { doneSentences, fleetWords, tokensOf, tokensWords } from './trough-words.ts'
