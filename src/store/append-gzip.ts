import type { FileHandle } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

const compress = promisify(gzip)

/**
 * A member is closed at this size or age, whichever comes first: what a crash can lose, and what waits in memory. A bigger one would not
 * compress better (deflate looks 32 KiB back), but joining its lines would hold up the event loop for longer than a millisecond.
 */
const MEMBER_CHARS = 2 ** 18
const MEMBER_MS = 1000
/** On lines of gaps, level 3 makes 6 % more bytes than level 6 and takes a fifth of its time, which the load generator needs itself. */
const LEVEL = 3

/** Lines on their way into a file of gzip members, each readable without the ones after it. */
export interface GzipAppender {
  append(line: string): void
  /** Resolves when every line so far is in the file or given up. */
  close(): Promise<void>
}

/**
 * Lines are gathered, compressed on another thread and written in order, so that the caller is never held up. After an error (told once
 * to `onError`) the file is cut back to its last whole member and further lines are dropped: what was written stays good.
 */
export function createGzipAppender(file: FileHandle, onError: (error: unknown) => void): GzipAppender {
  let lines: string[] = []
  let chars = 0
  let timer: NodeJS.Timeout | undefined
  let size = 0
  let failed = false
  let written: Promise<void> = Promise.resolve()

  const write = async (text: string): Promise<void> => {
    if (failed) return
    try {
      const member = await compress(text, { level: LEVEL })
      // One call may write a part only, when the disk is nearly full.
      for (let at = 0; at < member.length; ) at += (await file.write(member, at, undefined, size + at)).bytesWritten
      size += member.length
    } catch (error) {
      failed = true
      await file.truncate(size).catch(() => undefined)
      onError(error)
    }
  }

  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (lines.length === 0) return
    const text = `${lines.join('\n')}\n`
    lines = []
    chars = 0
    written = written.then(() => write(text))
  }

  return {
    append: (line) => {
      if (failed) return
      lines.push(line)
      chars += line.length + 1
      if (chars >= MEMBER_CHARS) flush()
      else timer ??= setTimeout(flush, MEMBER_MS)
    },
    close: async () => {
      flush()
      await written
    },
  }
}
