import type { FileHandle } from 'node:fs/promises'

const BLOCK = 2 ** 22
/** Of what is asked for, so many bytes at least are given: the head of a gzip member fits in by far. */
const LEAST = 2 ** 16

/** A file by offset, read in blocks so large that the bytes asked for are mostly there already. */
export interface FileWindow {
  /** The bytes from `offset` on: 64 KiB or more, fewer only where the file ends. At once where they are in memory, for a wait is a turn lost. */
  from(offset: number): Buffer | Promise<Buffer>
}

export function createFileWindow(file: FileHandle): FileWindow {
  let startOffset = 0
  let bytes = Buffer.alloc(0)
  let endsHere = false

  const load = async (offset: number): Promise<Buffer> => {
    // A new one each time: the bytes of the last may still be at work.
    const block = Buffer.allocUnsafe(BLOCK)
    let length = 0
    endsHere = false
    while (length < BLOCK && !endsHere) {
      const { bytesRead } = await file.read(block, length, BLOCK - length, offset + length)
      length += bytesRead
      endsHere = bytesRead === 0
    }
    startOffset = offset
    bytes = block.subarray(0, length)
    return bytes
  }

  return {
    from: (offset) => {
      const at = offset - startOffset
      const isThere = at >= 0 && at <= bytes.length && (endsHere || bytes.length - at >= LEAST)
      return isThere ? bytes.subarray(at) : load(offset)
    },
  }
}
