import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import type { Run } from '../../src/core/index.ts'
import type { Calibration } from '../../src/load/index.ts'
import { runCli } from './run-cli.ts'
import { startServe } from './serve-process.ts'
import { startCli } from './started.ts'

const folder = mkdtempSync(join(tmpdir(), 'twospeed-'))
afterAll(() => rmSync(folder, { recursive: true }))
const here = { XDG_CACHE_HOME: folder }

it('calibrate finds what this client bears, stores it, and measure goes by it', async () => {
  const short = ['calibrate', '--workers', '0,1', '--streams', '4,16', '--duration', '1s']
  const shown = await startCli(short, folder, here).ended
  expect(shown.exit, shown.stderr).toBe(0)
  expect(shown.stdout).toMatch(/one thread: trusted up to \d+ events\/s, 16 streams/)
  expect(shown.stdout).toMatch(/1 worker: trusted up to \d+ events\/s, 16 streams/)
  const [, file = ''] = /^stored: (.+)$/m.exec(shown.stdout) ?? []
  const stored = JSON.parse(readFileSync(file, 'utf8')) as Calibration
  expect(stored.loads.map(({ workers, streams, trusted }) => [workers, streams, trusted])).toEqual([
    [0, 4, true],
    [0, 16, true],
    [1, 4, true],
    [1, 16, true],
  ])
  for (const { streams, eventsPerSecond, ttftErrorMs, itlErrorMs } of stored.loads) {
    // A token a step and stream, but for those who wait for the next step to begin again.
    expect(eventsPerSecond).toBeGreaterThan(0.9 * 50 * streams)
    expect(eventsPerSecond).toBeLessThan(1.05 * 50 * streams)
    expect(ttftErrorMs.p50).toBeGreaterThan(0)
    expect(ttftErrorMs.p99).toBeGreaterThanOrEqual(ttftErrorMs.p50)
    expect(itlErrorMs.p50).toBeLessThan(3)
  }

  // 8 users get 190 tok/s in all, which is well within 16 streams of 50; 64 users are not.
  const server = await startServe(['--law', 'a=40ms,b=0.25ms'])
  const load = ['--concurrency', '8,64', '--workers', '0', '--requests', '200', '--output-tokens', '10']
  const measured = await startCli(
    ['measure', server.url, ...load, '--json', '--out', join(folder, 'run')],
    folder,
    here,
  ).ended
  const { points, workload } = JSON.parse(measured.stdout) as Run
  expect(workload.calibration).toBe(stored.createdAt)
  expect(points.map(({ generator }) => generator.calibration?.beyond)).toEqual([false, true])
  expect(points[0]?.generator.errorMs?.ttft).toBeLessThan(points[1]?.generator.errorMs?.ttft ?? 0)
  expect(measured.stderr.match(/by its calibration this client is trusted with/g)).toHaveLength(1)
})

it('calibrate --json prints what it stores', async () => {
  const args = ['calibrate', '--workers', '0', '--streams', '2', '--duration', '200ms', '--json']
  const { stdout } = await startCli(args, folder, { XDG_CACHE_HOME: join(folder, 'json') }).ended
  const printed = JSON.parse(stdout) as Calibration
  expect(printed).toMatchObject({ schema: 'twospeed/calibration@1', loads: [{ workers: 0, streams: 2 }] })
  expect(existsSync(join(folder, 'json', 'twospeed'))).toBe(true)
})

it('calibrate refuses what it cannot try, and stores nothing', () => {
  for (const args of [
    ['--streams', '0'],
    ['--workers', '-1'],
    ['--workers', '1.5'],
    ['--duration', '3'],
  ]) {
    expect(runCli(['calibrate', ...args], folder)).toMatchObject({ exit: 2, stdout: '' })
  }
})
