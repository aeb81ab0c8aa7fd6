/**
 * The greatest whole number for which something holds that holds up to some number and not beyond it: `held` is known to, the greater
 * `missed` is known not to, and neither is asked.
 */
export function greatestWhole(held: number, missed: number, holds: (whole: number) => boolean): number {
  let [low, high] = [held, missed]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (holds(middle)) low = middle
    else high = middle
  }
  return low
}
