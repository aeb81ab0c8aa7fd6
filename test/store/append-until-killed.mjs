// A run that is killed, as a program of its own: `node append-until-killed.mjs DIR COUNT`. Appends COUNT records, tells `failed` when the
// file cannot be written, and lives on without closing.
import { createRunFolder } from '../../dist/store/index.js'

const [dir, count] = process.argv.slice(2)
const writer = await createRunFolder(dir, {
  schema: 'twospeed/run@1',
  createdAt: '2026-12-01T00:00:00.000Z',
  twospeed: '0.1.0',
  target: { url: 'http://127.0.0.1:1/v1', model: 'm' },
  hardware: {},
  workload: {},
  points: [],
})
writer.failed.addEventListener('abort', async () => {
  const told = await writer.close().catch((error) => error.code)
  process.stdout.write(`failed ${writer.failed.reason.code} ${told}\n`)
  process.exit(0)
})
for (let at = 0; at < Number(count); at++) {
  writer.append({
    id: `r${at}`,
    point: 0,
    sentS: at,
    firstTokenS: at,
    lastTokenS: at,
    endS: at,
    outcome: 'ok',
    outputTokens: 1,
    tokenSource: 'events',
    gapsUs: [],
    finishReason: `${Math.sin(at)}`,
  })
  if (at % 1000 === 0) await new Promise((resolve) => setImmediate(resolve))
}
process.stdout.write('appended\n')
setInterval(() => undefined, 1000)
