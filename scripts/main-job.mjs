// Judges the short form of the main job: the real engine was measured, and the two speeds trade against each other.
import { readFileSync } from 'node:fs'

const run = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const [one, eight] = run.points
const gain = eight.outputTokensPerSecond / one.outputTokensPerSecond
const pace = (point) => point.perUser.tokensPerSecond.p50
const checks = {
  'the real engine ran': run.target.engine === 'llama',
  'no request failed': run.points.every((point) => point.requests.failed === 0 && point.requests.ok > 0),
  'aggregate at 8 is at least 1.5 times that at 1': gain >= 1.5,
  'each user is slower at 8': pace(eight) < pace(one),
  'counted by the server': run.points.every((point) => point.tokens.source === 'usage'),
}
for (const [name, ok] of Object.entries(checks)) process.stdout.write(`${ok ? 'ok  ' : 'FAIL'} ${name}\n`)
process.stdout.write(
  `aggregate ${one.outputTokensPerSecond.toFixed(0)} → ${eight.outputTokensPerSecond.toFixed(0)} tok/s, per user ${pace(one).toFixed(1)} → ${pace(eight).toFixed(1)} tok/s\n`,
)
process.exitCode = Object.values(checks).every(Boolean) ? 0 : 1
