/** Of fewer a sort by comparing is as quick. */
const FEW = 64
/** With so many in one pile they lie too unevenly for piles. */
const MOST_IN_PILE = 32
/** The high half of what is infinite, and of no number above 0 that is less. */
const ENDLESS = 0x7ff00000

/** Which half of a number has its sign, its exponent and its first digits. */
const HIGH = new Uint32Array(Float64Array.of(1).buffer)[1] === 0 ? 0 : 1

/**
 * Sorts in place, ascending. Where numbers of 0 or more are spread at all evenly on a logarithmic scale, as times and speeds are, a number costs
 * the same however many there are: its high half, as a whole number, rises with it and says in which of n piles it lies.
 *
 *     3.1 0.2 7.9 0.3   →   0.2 0.3 │ │ 3.1 │ 7.9   →   each a few places from its own at most
 */
export function sortAscending(values: Float64Array): void {
  if (values.length < FEW || !sortByPiles(values)) values.sort()
}

/** False where nothing was done. */
function sortByPiles(values: Float64Array): boolean {
  const { length } = values
  const halves = new Uint32Array(values.buffer, values.byteOffset, 2 * length)
  let [least, most] = [ENDLESS, 0]
  for (let at = HIGH; at < halves.length; at += 2) {
    const half = halves[at] as number
    if (half < least) least = half
    if (half > most) most = half
  }
  // What has a sign, and what is no number, has a high half beyond all others.
  if (most >= ENDLESS || most === least) return false
  const perHalf = (length - 1) / (most - least)
  const begins = new Uint32Array(length + 1)
  for (let at = HIGH; at < halves.length; at += 2) {
    const next = Math.floor(((halves[at] as number) - least) * perHalf) + 1
    begins[next] = (begins[next] as number) + 1
  }
  for (let pile = 1; pile <= length; pile++) {
    const count = begins[pile] as number
    if (count > MOST_IN_PILE) return false
    begins[pile] = (begins[pile - 1] as number) + count
  }
  const piled = new Float64Array(length)
  for (let at = 0; at < length; at++) {
    const pile = Math.floor(((halves[2 * at + HIGH] as number) - least) * perHalf)
    const to = begins[pile] as number
    piled[to] = values[at] as number
    begins[pile] = to + 1
  }
  for (let at = 1; at < length; at++) {
    const value = piled[at] as number
    let to = at
    for (; to > 0 && (piled[to - 1] as number) > value; to--) piled[to] = piled[to - 1] as number
    piled[to] = value
  }
  values.set(piled)
  return true
}
