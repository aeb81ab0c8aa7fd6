// A server whose steps take 10 ms + 1 ms a user, measured over real sockets at 1, 4 and 8 users.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseLaw } from 'twospeed'
import { createSimulatedEngine, measure, startServer, textReport } from 'twospeed/node'

const engine = createSimulatedEngine({ law: parseLaw('a=10ms,b=1ms') })
const server = await startServer({ engine, port: 0 })
const run = await measure({
  url: server.url,
  concurrency: [1, 4, 8],
  inputTokens: 64,
  outputTokens: 32,
  durationS: 2,
  out: join(mkdtempSync(join(tmpdir(), 'twospeed-')), 'run'),
})
await server.close()
console.log(textReport(run))
