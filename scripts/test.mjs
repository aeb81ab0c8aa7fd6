// `npm test`: sets up, then runs every test: first what is right by value, then, alone and in series, what is right by time.
// `npm test -- --json FILE` also writes the counts, for .ci/run. Other arguments go to vitest.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setup } from './setup.mjs'

setup()
const args = process.argv.slice(2)
const at = args.indexOf('--json')
const file = at < 0 ? undefined : args.splice(at, 2)[1]
const folder = mkdtempSync(join(tmpdir(), 'twospeed-test-'))
const sum = { passed: 0, failed: 0, skipped: 0 }
let broken = false

for (const project of ['value', 'timing']) {
  const out = join(folder, `${project}.json`)
  const run = spawnSync(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--project',
      project,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${out}`,
      ...args,
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  )
  const counts = JSON.parse(readFileSync(out, 'utf8'))
  sum.passed += counts.numPassedTests
  sum.failed += counts.numFailedTests
  sum.skipped += counts.numPendingTests
  // A file that fails to load has no failed test, and a run of nothing has no failure: neither may pass.
  if (run.status !== 0 || (args.length === 0 && counts.numPassedTests === 0)) broken = true
}
if (file !== undefined) writeFileSync(file, JSON.stringify(sum))
process.stdout.write(`\n${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped\n`)
process.exitCode = broken || sum.failed > 0 ? 1 : 0
