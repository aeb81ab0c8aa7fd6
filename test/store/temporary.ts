import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder that is gone when the test is over. */
export function temporaryFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'twospeed-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
