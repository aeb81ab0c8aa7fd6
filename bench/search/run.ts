/** `twospeed measure` on `twospeed serve`, two processes as a user has them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Run } from '../../src/core/index.ts'
import { run, startAnywhere, twospeed } from '../processes.ts'

type Flags = readonly (string | number)[]

export async function measureRun(url: string, flags: Flags): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'twospeed-search-'))
  try {
    const { output } = await run(twospeed('measure', url, ...flags, '--json', '--out', join(folder, 'run')))
    return JSON.parse(output) as Run
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export async function withServer<T>(flags: Flags, use: (url: string) => Promise<T>): Promise<T> {
  const server = startAnywhere(twospeed('serve', ...flags, '--port', 0))
  try {
    return await use((await server.firstLine()).replace('listening ', ''))
  } finally {
    await server.stop()
  }
}
