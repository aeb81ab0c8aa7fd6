import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Run } from '../../src/core/index.ts'
import { startServe } from './serve-process.ts'
import { startCli } from './started.ts'

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'twospeed-'))
  onTestFinished(() => rmSync(made, { recursive: true }))
  return made
}

/** What is asked of each point: short, so that their windows say that they are. */
const BRIEF = ['--input-tokens', '20', '--duration', '2s', '--json']
const SHORT = [...BRIEF, '--output-tokens', '40']

it('--find comes to the exact answer of the law that the server keeps, and report to the same', async () => {
  // T(B) = 10 ms + 1 ms · B: a step of 25 ms, 40 tok/s, is that of 15.
  const { url } = await startServe(['--law', 'a=10ms,b=1ms'])
  const at = folder()
  const { exit, stdout, stderr } = await startCli(
    ['measure', url, '--find', '--floor', '40', '--share', '0.9', ...SHORT, '--out', 'run'],
    at,
  ).ended
  const run = JSON.parse(stdout) as Run
  expect([exit, stderr]).toEqual([0, expect.stringContaining('the most that hold 40 tok/s/user for 90 % of requests')])
  expect(run.points.length).toBeLessThanOrEqual(6)
  expect(run.search).toMatchObject({ kind: 'find', finished: true })
  const [choice] = run.choices ?? []
  expect(choice?.bindingConstraint).toBe('floor')
  expect(choice?.product).toMatchObject({ tokensPerSecond: 40, share: 0.9 })
  // In flight are also those in prefill, so the load may be one above the batch.
  expect(choice?.choice.concurrency).toBeGreaterThanOrEqual(14)
  expect(choice?.choice.concurrency).toBeLessThanOrEqual(16)
  const again = await startCli(['report', 'run', '--json'], at).ended
  const { search, choices } = JSON.parse(again.stdout) as Run
  expect({ search, choices }).toEqual({ search: run.search, choices: run.choices })
  expect(readFileSync(join(at, 'run', 'report.html'), 'utf8')).toContain('The search')
})

it('--find of a pace that not even one user has ends with 1, and keeps what was measured', async () => {
  const { url } = await startServe(['--law', 'a=10ms,b=1ms'])
  const at = folder()
  const { exit, stdout } = await startCli(['measure', url, '--find', '--floor', '160', ...SHORT, '--out', 'run'], at)
    .ended
  expect(exit).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'NO_POINT_HOLDS' }, points: [{ load: { value: 1 } }] })
  expect(existsSync(join(at, 'run', 'run.json'))).toBe(true)
})

it('--sweep knows the frontier of the law, to the limit of the server and not beyond', async () => {
  const { url } = await startServe(['--law', 'a=10ms,b=1ms', '--max-num-seqs', '12'])
  // Beyond its limit the server has a queue, whose every request must still have left within the window.
  const { exit, stdout } = await startCli(['measure', url, '--sweep', ...BRIEF, '--output-tokens', '10'], folder())
    .ended
  const { search, fit, points } = JSON.parse(stdout) as Run
  expect(exit).toBe(0)
  expect(points.length).toBeLessThanOrEqual(8)
  expect(search).toMatchObject({ kind: 'sweep', finished: true, endedBy: 'serverLimit' })
  expect(Math.abs((search?.upTo ?? 0) - 12)).toBeLessThanOrEqual(1)
  expect(fit?.stepMs?.base).toBeCloseTo(10, -0.5)
})

it('--find goes no higher than a point has requests, and says that more may hold', async () => {
  const { url } = await startServe(['--law', 'a=2ms,b=0.1ms'])
  const flags = ['--find', '--ttft', '60s', '--requests', '8', '--input-tokens', '20', '--output-tokens', '4', '--json']
  const { stdout } = await startCli(['measure', url, ...flags], folder()).ended
  const { choices, workload, points } = JSON.parse(stdout) as Run
  expect(workload).toMatchObject({ search: 'find' })
  // In a window of milliseconds the client may be disturbed at one user: then that is tried again.
  expect(new Set(points.map(({ load }) => load.value))).toEqual(new Set([1, 8]))
  expect(choices?.[0]).toMatchObject({ choice: { concurrency: 8 }, bindingConstraint: 'measuredRange' })
})
