import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Each example, and a line that shows that it did what it says. */
const SAYS: Readonly<Record<string, RegExp>> = {
  'choose-among.mjs':
    /our four H100: 9\d in flight at 40 tok\/s\/user\n.*chosen by money.*\nThe load lies between two[\s\S]*\n- h200-sxm TP2 makes/,
  'choose.mjs': /run 60 users: 3000 tok\/s, 50 each/,
  'fit-by-simulation.mjs': /a step takes [78]\.\d ms and more\nfirst token of those not seen: \d+ ms foretold/,
  'fit.mjs': /64 in flight: 33\.\d tok\/s\/user, 5\d\d tok\/s\/GPU \(fitted\)/,
  'plan.mjs': /chat: replicas \d+ \(\d+ at the peak\), at most \d+ in flight each\n {2}W = /,
  'predict.mjs': /TP 4: 1[78]\.\d GB of weights a GPU\n {2}1 in flight: \d+ tok\/s\/user/,
  'simulate.mjs': /10\/s: 165 tok\/s a user, 1224 tok\/s in all/,
  'measure.mjs': /one decode step of B streams takes T\(B\) = /,
}

const examples = readdirSync('examples').filter((file) => file.endsWith('.mjs'))

test('every example is run here', () => {
  expect(examples.sort()).toEqual(Object.keys(SAYS).sort())
})

test.each(examples)(
  '%s',
  (file) => {
    const run = spawnSync(process.execPath, [`examples/${file}`], { encoding: 'utf8', timeout: 60_000 })
    expect(run.stderr).toBe('')
    expect(run.stdout).toMatch(SAYS[file] ?? /$^/)
    expect(run.status).toBe(0)
  },
  60_000,
)
