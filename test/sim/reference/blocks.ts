/** A block of the KV cache. */
export interface Block {
  /** Sequences that hold it. */
  holders: number
  /** What is in it, as far as others may find it. */
  key: string | undefined
}

/** All blocks of one engine, one object each. */
export interface Blocks {
  /** The longest row of blocks with these keys, from the first on, of `most` at most. */
  find(keyOf: (block: number) => string, most: number): Block[]
  /** How many could be taken. */
  free(): number
  held(): number
  share(block: Block): void
  take(count: number): Block[]
  release(blocks: readonly Block[]): void
  /** Says what is in a block; nothing where another block has it already. */
  name(block: Block, key: string): void
}

export function createBlocks(total: number): Blocks {
  let blank = total
  let held = 0
  /** Blocks with a key that nobody holds, the first to be used anew in front. */
  const queue: Block[] = []
  const byKey = new Map<string, Block>()

  const takeOne = (): Block => {
    held += 1
    if (blank > 0) {
      blank -= 1
      return { holders: 1, key: undefined }
    }
    const block = queue.shift()
    if (block?.key === undefined) throw new Error('a block was taken that is not there')
    byKey.delete(block.key)
    block.key = undefined
    block.holders = 1
    return block
  }

  return {
    find(keyOf, most) {
      const row: Block[] = []
      while (row.length < most) {
        const block = byKey.get(keyOf(row.length))
        if (block === undefined) break
        row.push(block)
      }
      return row
    },
    free: () => blank + queue.length,
    held: () => held,
    share(block) {
      if (block.holders === 0) {
        queue.splice(queue.indexOf(block), 1)
        held += 1
      }
      block.holders += 1
    },
    take: (count) => Array.from({ length: count }, takeOne),
    release(blocks) {
      for (const block of blocks.toReversed()) {
        block.holders -= 1
        if (block.holders > 0) continue
        held -= 1
        if (block.key === undefined) blank += 1
        else queue.push(block)
      }
    },
    name(block, key) {
      if (byKey.has(key)) return
      block.key = key
      byKey.set(key, block)
    },
  }
}
