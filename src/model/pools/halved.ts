/** The greatest number that holds, between `low`, which does, and `high`, which does not; from there on none does. */
export function halved(low: number, high: number, holds: (middle: number) => boolean): number {
  let [least, most] = [low, high]
  for (let i = 0; i < 40; i++) {
    const middle = (least + most) / 2
    if (holds(middle)) least = middle
    else most = middle
  }
  return least
}
