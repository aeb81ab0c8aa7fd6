/**
 * The least of n numbers that change one at a time, and which it is: of equals the one with the lowest index. A tournament: each number plays
 * its neighbour, winners play winners, and only the games of the one that changed are played again, log₂ n of them at most.
 *
 *             1 ← the least
 *           /   \
 *         1       3
 *        / \     / \
 *       0   1   2   3     keys 5 2 7 4
 */
export class MinTree {
  readonly #keys: Float64Array
  /** Node k has the children 2k and 2k + 1; the leaves, one of each key, begin at `#leaves`. */
  readonly #winners: Int32Array
  readonly #leaves: number

  constructor(size: number, key: number) {
    this.#leaves = 2 ** Math.ceil(Math.log2(Math.max(1, size)))
    this.#keys = new Float64Array(this.#leaves).fill(Infinity)
    this.#winners = new Int32Array(2 * this.#leaves)
    for (let i = 0; i < this.#leaves; i++) this.#winners[this.#leaves + i] = i
    for (let node = this.#leaves - 1; node > 0; node--) this.#winners[node] = this.#winners[2 * node] as number
    for (let i = 0; i < size; i++) this.#keys[i] = key
  }

  get least(): number {
    return this.#winners[1] as number
  }

  get leastKey(): number {
    return this.#keys[this.#winners[1] as number] as number
  }

  key(index: number): number {
    return this.#keys[index] as number
  }

  set(index: number, key: number): void {
    const keys = this.#keys
    const winners = this.#winners
    if (keys[index] === key) return
    keys[index] = key
    for (let node = (this.#leaves + index) >> 1; node > 0; node >>= 1) {
      const left = winners[2 * node] as number
      const right = winners[2 * node + 1] as number
      const winner = (keys[right] as number) < (keys[left] as number) ? right : left
      // Another won here before and wins again: nothing further up is changed.
      if (winner === winners[node] && winner !== index) return
      winners[node] = winner
    }
  }
}
