import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { joinTruth, parseTruth } from '../../bench/truth.ts'
import { percentile, type RequestRecord, type Run } from '../../src/core/index.ts'
import { readRecords } from '../../src/store/index.ts'
import { startServe } from './serve-process.ts'
import { startCli } from './started.ts'

it('two workers measure a simulated engine right at 64 streams: its law, and every token against its own log', async ({
  onTestFinished,
}) => {
  const folder = mkdtempSync(join(tmpdir(), 'twospeed-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const truthFile = join(folder, 'truth.jsonl')
  const server = await startServe(['--law', 'a=5ms,b=0.25ms', '--truth', truthFile])
  const load = ['--concurrency', '64', '--workers', '2', '--duration', '4s', '--input-tokens', '16']
  const args = ['measure', server.url, ...load, '--output-tokens', '50', '--json', '--out', join(folder, 'run')]
  const { stdout, stderr, exit } = await startCli(args, folder, { XDG_CACHE_HOME: folder }).ended
  server.child.kill()
  await server.ended
  expect(exit, stderr).toBe(0)
  const { points, clock } = JSON.parse(stdout) as Run
  const [point] = points
  expect(point?.requests.failed).toBe(0)
  expect(point?.generator.workers).toHaveLength(2)
  for (const { busy } of point?.generator.workers ?? []) expect(busy).toBeGreaterThan(0.005)

  const records: RequestRecord[] = []
  for await (const record of readRecords(join(folder, 'run'))) records.push(record)
  const { requests, unmatched } = joinTruth(
    parseTruth(readFileSync(truthFile, 'utf8')),
    records,
    Number(clock?.originNs),
  )
  expect(unmatched).toEqual([])
  expect(requests.length).toBeGreaterThan(150)
  const late = requests.flatMap(({ tokenMs }) => tokenMs).sort((a, b) => a - b)
  // A time before the server wrote would be of another clock.
  expect(percentile(late, 0)).toBeGreaterThan(0)
  expect(percentile(late, 50)).toBeLessThan(5)

  // T(B) = 5 + 0.25 B ms, at the batch that there was.
  const { decodeInFlight = 0, decodeTokensPerSecondPerUser = 0 } = point?.littlesLaw ?? {}
  expect(1000 / decodeTokensPerSecondPerUser / (5 + 0.25 * decodeInFlight)).toBeGreaterThan(0.97)
  expect(1000 / decodeTokensPerSecondPerUser / (5 + 0.25 * decodeInFlight)).toBeLessThan(1.03)
})
