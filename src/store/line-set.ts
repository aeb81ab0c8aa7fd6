import { hash } from 'node:crypto'

/** Lines seen so far, told apart to the byte. */
export interface LineSet {
  /** False when the same line was added before. */
  add(line: Buffer): boolean
}

/** 32-bit words kept of a line's SHA-256: two different lines of a million share these 96 bits once in 10^17 runs. */
const WORDS = 3
const FIRST_SLOTS = 2 ** 12

/** A table of hashes with open addressing, half full at the most: 24 to 48 bytes a line, and nothing for the garbage collector to follow. */
export function createLineSet(): LineSet {
  let slots = FIRST_SLOTS
  let table = new Uint32Array(WORDS * slots)
  let size = 0

  /** The slot that holds these words, or the empty one where they belong. The first is never 0, which marks an empty slot. */
  const find = (first: number, second: number, third: number): number => {
    let at = WORDS * (first % slots)
    while (table[at] !== 0) {
      if (table[at] === first && table[at + 1] === second && table[at + 2] === third) return at
      at = at + WORDS === table.length ? 0 : at + WORDS
    }
    return at
  }

  const put = (first: number, second: number, third: number): boolean => {
    const at = find(first, second, third)
    if (table[at] !== 0) return false
    table[at] = first
    table[at + 1] = second
    table[at + 2] = third
    return true
  }

  const grow = (): void => {
    const old = table
    slots *= 2
    table = new Uint32Array(WORDS * slots)
    for (let at = 0; at < old.length; at += WORDS) {
      const first = old[at] ?? 0
      if (first !== 0) put(first, old[at + 1] ?? 0, old[at + 2] ?? 0)
    }
  }

  return {
    add: (line) => {
      const digest = hash('sha256', line, 'binary')
      if (!put(wordOf(digest, 0) || 1, wordOf(digest, 4), wordOf(digest, 8))) return false
      size += 1
      if (2 * size > slots) grow()
      return true
    },
  }
}

const wordOf = (digest: string, at: number): number =>
  ((digest.charCodeAt(at) << 24) |
    (digest.charCodeAt(at + 1) << 16) |
    (digest.charCodeAt(at + 2) << 8) |
    digest.charCodeAt(at + 3)) >>>
  0
