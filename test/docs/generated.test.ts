import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ERRORS } from '../../src/core/index.ts'

test('the generated pages are what the code says', () => {
  const run = spawnSync(process.execPath, ['scripts/docs.mjs', '--check'], { encoding: 'utf8' })
  expect(run.stderr).not.toMatch(/is not what the code says/)
  expect(run.status).toBe(0)
})

test('every error code is on the page, and the page has no other', () => {
  const page = readFileSync('docs/reference/errors.md', 'utf8')
  const listed = [...page.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code]) => code)
  expect(listed).toEqual(Object.keys(ERRORS))
  expect(listed.length).toBeGreaterThan(15)
})
