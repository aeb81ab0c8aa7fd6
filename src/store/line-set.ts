import { hash } from 'node:crypto'

/** Lines seen so far, told apart to the byte. */
export interface LineSet {
  /** False when the same line was added before. */
  add(line: Buffer): boolean
}

/** A Set holds at most 2^24 entries; 256 of them leave room for any run. */
const SHARDS = 256
/** Keeps the SHA-256 of each line rather than the line: 32 bytes, which two different lines do not share in practice. */
export function createLineSet(): LineSet {
  const shards = Array.from({ length: SHARDS }, () => new Set<string>())
  return {
    add: (line) => {
      const digest = hash('sha256', line, 'binary')
      const shard = shards[digest.charCodeAt(0) % SHARDS]
      // One look-up instead of two: what was there already leaves the size as it was.
      const before = shard?.size
      return shard?.add(digest).size !== before
    },
  }
}
