import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Run } from '../../src/core/index.ts'
import { startFakeTarget, streamed } from '../load/fake-target.ts'
import { temporaryFolder } from '../store/temporary.ts'
import { runCli } from './run-cli.ts'
import { startCli } from './started.ts'

interface Stored {
  readonly points: readonly { readonly window: { readonly startS: number; readonly endS?: number } }[]
}

test('a run that is killed in the middle of a point is reported with what had ended', async () => {
  const folder = temporaryFolder()
  const target = await startFakeTarget({ answer: streamed({ firstMs: 5, gapMs: 5 }) })
  onTestFinished(() => target.close())
  const started = startCli(
    ['measure', target.url, '--concurrency', '4', '--duration', '600s', '--output-tokens', '10', '--out', 'run'],
    folder,
  )
  const file = join(folder, 'run', 'run.json')
  const stored = (): Stored => JSON.parse(readFileSync(file, 'utf8'))
  await vi.waitFor(() => expect(existsSync(file) && stored().points).toHaveLength(1), { timeout: 30_000, interval: 50 })
  // The writer brings records to the disk within a second.
  const records = join(folder, 'run', 'requests.jsonl.gz')
  const size = readFileSync(records).length
  await vi.waitFor(() => expect(readFileSync(records).length).toBeGreaterThan(size + 2000), { timeout: 30_000 })
  started.signal('SIGKILL')
  await started.ended
  expect(stored().points[0]?.window.endS).toBeUndefined()

  const { exit, stdout } = runCli(['report', 'run', '--json'], folder)
  expect(exit).toBe(0)
  const [point] = (JSON.parse(stdout) as Run).points
  expect(point?.window.reasons).toContain('interrupted')
  expect(point?.window.steady).toBe(false)
  expect(point?.window.startS).toBe(stored().points[0]?.window.startS)
  expect(point?.requests.ok).toBeGreaterThan(0)
  // Nothing that was lost is missing from the window: all four were in flight in it to its end.
  expect(point?.littlesLaw.inFlight).toBeGreaterThan(3.5)
  expect(runCli(['report', 'run'], folder).stdout).toContain('interrupted')
})
