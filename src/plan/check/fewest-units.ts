import type { Look } from './look.ts'

/** Requests of all looks together. */
const BUDGET = 55_000
/** A fleet is found to within this share of it. */
export const NEAR = 0.01
/** Where the probable fleet does not hold, so many times it is tried. */
export const GROWTH = [1.04, 1.12, 1.3, 2, 4] as const

/**
 * The fewest units, no fewer than `least`, of which a look says that they hold the share; undefined where none that are tried
 * do. Probable ones
 * are tried first, then more; what lies between those that fail and those that hold is halved.
 */
export function fewestUnits(
  look: (units: number) => Look,
  { least, probable, share }: { readonly least: number; readonly probable: number; readonly share: number },
): Look | undefined {
  let spent = 0
  const at = (units: number): Look => {
    const one = look(units)
    spent += one.sent
    return one
  }
  const first = at(least)
  if (first.share >= share) return first
  let fails = least
  let enough: Look | undefined
  for (const units of [
    probable,
    ...GROWTH.map((times, i) => Math.max(probable + i + 1, Math.ceil(probable * times))),
  ]) {
    if (units <= fails) continue
    if (spent >= BUDGET) return undefined
    const tried = at(units)
    if (tried.share >= share) {
      enough = tried
      break
    }
    fails = units
  }
  while (enough !== undefined && enough.units - fails > Math.max(1, NEAR * enough.units) && spent < BUDGET) {
    const middle = at(Math.floor((fails + enough.units) / 2))
    if (middle.share >= share) enough = middle
    else fails = middle.units
  }
  return enough
}
