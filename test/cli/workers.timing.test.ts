import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Run } from '../../src/core/index.ts'
import { startServe } from './serve-process.ts'
import { startCli } from './started.ts'

it('two workers measure the law of a simulated engine right, at 64 streams', async ({ onTestFinished }) => {
  const folder = mkdtempSync(join(tmpdir(), 'twospeed-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  // T(64) = 5 + 64 × 0.25 = 21 ms: 47.6 tok/s each, 3 048 together.
  const server = await startServe(['--law', 'a=5ms,b=0.25ms'])
  const load = ['--concurrency', '64', '--workers', '2', '--duration', '4s', '--input-tokens', '16']
  const args = ['measure', server.url, ...load, '--output-tokens', '50', '--json', '--out', join(folder, 'run')]
  const { stdout, stderr, exit } = await startCli(args, folder, { XDG_CACHE_HOME: folder }).ended
  expect(exit, stderr).toBe(0)
  const [point] = (JSON.parse(stdout) as Run).points
  expect(point?.requests).toMatchObject({ failed: 0 })
  expect(point?.littlesLaw.decodeTokensPerSecondPerUser).toBeGreaterThan(47.6 * 0.97)
  expect(point?.littlesLaw.decodeTokensPerSecondPerUser).toBeLessThan(47.6 * 1.03)
  expect(point?.littlesLaw.residual).toBeLessThan(0.05)
  expect(point?.generator.workers).toHaveLength(2)
  const busy = point?.generator.workers?.map((worker) => worker.busy) ?? []
  expect(Math.min(...busy)).toBeGreaterThan(0.005)
})
