import { existsSync, rmSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Load, type RequestRecord, type Run, type RunHeader, TwospeedError } from '../core/index.ts'
import { createGzipAppender } from './append-gzip.ts'
import { codeOf, notWritable, requestsFile, runFile } from './folder.ts'

/** Writes one run folder. Records reach the disk within about a second, so a killed run can be reported. */
export interface RunWriter {
  /** Takes a record that ended; returns at once. */
  append(record: RequestRecord): void
  /** Replaces `run.json` as a whole: a reader finds the old one or the new one, never a part. */
  update(run: RunHeader | Run): Promise<void>
  /**
   * The next point's window has opened: `run.json` holds it from now on, without an end, so that a run that is killed can be reported with
   * what it had. A failure is not told; the update at the point's end will meet it again.
   */
  windowOpened(load: Load, startS: number): void
  /** Writes what is still in memory. Rejects with the first failure of the records file. */
  close(): Promise<void>
  /** Aborts, with a TwospeedError as its reason, when the records file cannot be written; later records are then dropped. */
  readonly failed: AbortSignal
}

/**
 * Makes the folder, `run.json` with the header, and an empty records file.
 *
 * Throws OUT_EXISTS when the folder is there already, FILE_NOT_WRITABLE when the system refuses.
 */
export async function createRunFolder(dir: string, header: RunHeader): Promise<RunWriter> {
  await makeFolder(dir)
  const records = requestsFile(dir)
  const file = await open(records, 'wx').catch((error: unknown) => {
    throw notWritable(records, error)
  })
  const failed = new AbortController()
  const appender = createGzipAppender(file, (error) => failed.abort(notWritable(records, error)))
  let updated: Promise<void> = Promise.resolve()
  let latest: RunHeader | Run = header
  const write = (run: unknown): Promise<void> => {
    // One after the other: two at once would write into the same temporary file. A failed one does not stop the next.
    const next = updated.then(() => replaceJson(runFile(dir), run))
    updated = next.catch(() => undefined)
    return next
  }
  const update = (run: RunHeader | Run): Promise<void> => {
    latest = run
    return write(run)
  }
  await update(header)
  return {
    append: (record) => appender.append(JSON.stringify(record)),
    update,
    windowOpened: (load, startS) => {
      const window = { startS, steady: false, reasons: ['interrupted'] }
      write({ ...latest, points: [...latest.points, { load, window }] }).catch(() => undefined)
    },
    close: async () => {
      await updated
      await appender.close()
      await file.close()
      failed.signal.throwIfAborted()
    },
    failed: failed.signal,
  }
}

async function makeFolder(dir: string): Promise<void> {
  const parent = dirname(dir)
  await makeParents(parent).catch((error: unknown) => {
    throw notWritable(parent, error)
  })
  try {
    await mkdir(dir)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw notWritable(dir, error)
    throw new TwospeedError(
      'OUT_EXISTS',
      `${dir} is there already.`,
      'Name a folder that is not there yet, or remove it.',
    )
  }
}

/** Node's own `recursive` never comes back where a file system such as /proc lets nothing be made and says ENOENT. */
async function makeParents(dir: string): Promise<void> {
  if (existsSync(dir)) return
  if (dirname(dir) !== dir) await makeParents(dirname(dir))
  await mkdir(dir).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error
  })
}

async function replaceJson(path: string, value: unknown): Promise<void> {
  const temporary = `${path}.tmp`
  // A second Ctrl-C ends the process in the middle of it.
  const remove = (): void => rmSync(temporary, { force: true })
  process.once('exit', remove)
  try {
    const file = await open(temporary, 'w')
    try {
      await file.writeFile(`${JSON.stringify(value, null, 2)}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined)
    throw notWritable(path, error)
  } finally {
    process.off('exit', remove)
  }
}
