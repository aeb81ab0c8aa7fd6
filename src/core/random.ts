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
  let a = h | 0
  let b = Math.imul(h, 0x9e3779b1) | 0
  let c = ~h | 0
  let counter = 1
  const draw = (): number => {
    const t = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (c << 21) | (c >>> 11)
    c = (c + t) | 0
    return t >>> 0
  }
  for (let i = 0; i < 12; i++) draw()
  const next = (): number => draw() / 2 ** 32
  return { next, below: (n) => Math.floor(next() * n) }
}
