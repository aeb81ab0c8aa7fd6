import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readConfig } from '../../src/cli/config.ts'
import { runCli } from './run-cli.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'twospeed-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

it.each([
  [['--find', '--sweep', '--floor', '40'], /CONFLICTING_FLAGS: --find looks for one load/],
  [['--find'], /MISSING_VALUE: --find looks for the most users/],
  [['--share', '0.9', '--floor', '40'], /CONFLICTING_FLAGS: --share .* there is no --find/],
  [['--find', '--floor', '40', '--concurrency', '1,2'], /CONFLICTING_FLAGS: --find chooses how many users/],
])('measure %s is refused with its reason', (flags, said) => {
  const { exit, stderr } = runCli(['measure', 'http://127.0.0.1:9', ...flags], folder)
  expect(stderr).toMatch(said)
  expect(exit).toBe(2)
})

it('a --config file holds the same, under the same names', () => {
  const path = join(folder, 'run.yaml')
  writeFileSync(path, 'find: true\nfloor: 40\nshare: 0.9\nttft: 500ms\n')
  expect(readConfig(path)).toMatchObject({ find: true, floor: 40, share: 0.9, ttft: 0.5 })
  writeFileSync(path, 'share: 1.5\n')
  expect(() => readConfig(path)).toThrow(/share/)
})
