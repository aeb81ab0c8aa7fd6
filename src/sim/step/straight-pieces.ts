/** Places at which a chord is compared with its curve, evenly on a logarithmic scale. */
const PLACES = 32

/**
 * Whole numbers between which a curve is straight, within a share of its height: the first is `from`, the last `to`, and each piece the
 * longest that holds from where the one before ends. `1 ≤ from < to`.
 *
 *     │        ⟋
 *     │  ·──·⟋       corners at the dots
 *     │⟋
 */
export function straightPieces(
  curve: (x: number) => number,
  from: number,
  to: number,
  tolerance: number,
): readonly number[] {
  const corners = [from]
  for (let left = from; left < to; ) {
    // The greatest end that holds; one step on there is nothing between.
    let [holds, fails] = [left + 1, to + 1]
    if (isStraight(curve, left, to, tolerance)) holds = to
    while (fails - holds > 1) {
      const middle = Math.floor((holds + fails) / 2)
      if (isStraight(curve, left, middle, tolerance)) holds = middle
      else fails = middle
    }
    corners.push(holds)
    left = holds
  }
  return corners
}

function isStraight(curve: (x: number) => number, from: number, to: number, tolerance: number): boolean {
  const fromY = curve(from)
  const slope = (curve(to) - fromY) / (to - from)
  for (let place = 1; place < PLACES; place++) {
    const x = from * (to / from) ** (place / PLACES)
    const y = curve(x)
    if (Math.abs(fromY + slope * (x - from) - y) > tolerance * y) return false
  }
  return true
}
