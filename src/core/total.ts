import { createSamples } from './samples.ts'

/**
 * A sum that does not depend on the order of its terms: whole numbers add exactly, and fractions (tokens spread evenly over events) are
 * kept and added in ascending order.
 */
export interface Total {
  add(value: number): void
  value(): number
}

export function createTotal(): Total {
  let whole = 0
  const fractions = createSamples()
  return {
    add: (value) => {
      if (Number.isInteger(value)) whole += value
      else fractions.push(value)
    },
    value: () => fractions.sorted().reduce((sum, value) => sum + value, whole),
  }
}
