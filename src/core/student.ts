/**
 * P(|T| ≤ t) of Student's t with a whole number of degrees of freedom: with θ = atan(t/√ν) a finite sum of powers of cos θ (Abramowitz
 * and Stegun, "Handbook of Mathematical Functions", 26.7.3 and 26.7.4, 1964).
 */
export function withinT(t: number, freedom: number): number {
  const angle = Math.atan(t / Math.sqrt(freedom))
  const cosine = Math.cos(angle)
  const odd = freedom % 2
  let term = odd === 1 ? cosine : 1
  let sum = 0
  for (let power = odd; power <= freedom - 2; power += 2) {
    sum += term
    term *= ((power + 1) / (power + 2)) * cosine ** 2
  }
  return odd === 1 ? (2 / Math.PI) * (angle + Math.sin(angle) * sum) : Math.sin(angle) * sum
}

/** What was found of each number of degrees of freedom: every interval of every point asks for one of a few. */
const found95: (number | undefined)[] = []

/** The t that |T| exceeds one time in twenty: so many standard errors to either side are a 95 % interval. */
export function t95(freedom: number): number {
  found95[freedom] ??= search95(freedom)
  return found95[freedom]
}

function search95(freedom: number): number {
  let [low, high] = [0, 1]
  while (withinT(high, freedom) < 0.95) high *= 2
  for (let halving = 0; halving < 50; halving++) {
    const middle = (low + high) / 2
    if (withinT(middle, freedom) < 0.95) low = middle
    else high = middle
  }
  return high
}
