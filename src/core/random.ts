/** A seeded stream of random numbers: same seed, same numbers, on any machine. */
export interface Random {
  /** Uniform in [0, 1), 32 bits. */
  next(): number
  /** A whole number in [0, n). */
  below(n: number): number
}

/** sfc32 (Chris Doty-Humphrey, PractRand), its state filled from the seed text by FNV-1a and stirred twelve rounds as its author advises. */
export function createRandom(seed: number | string): Random {
  let h = 0x811c9dc5
  for (const byte of String(seed)) {
    h = Math.imul(h ^ (byte.codePointAt(0) ?? 0), 0x01000193)
  }
  // In an array of 32 bits each: a variable of that size is a new object whenever it changes, where small integers have 31.
  const state = Int32Array.of(h, Math.imul(h, 0x9e3779b1), ~h, 1)
  const draw = (): number => {
    const b = state[1] as number
    const c = state[2] as number
    const counter = state[3] as number
    const t = ((((state[0] as number) + b) | 0) + counter) | 0
    state[0] = b ^ (b >>> 9)
    state[1] = c + (c << 3)
    state[2] = ((c << 21) | (c >>> 11)) + t
    state[3] = counter + 1
    return t >>> 0
  }
  for (let i = 0; i < 12; i++) draw()
  const next = (): number => draw() / 2 ** 32
  return { next, below: (n) => Math.floor(next() * n) }
}
