import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { createClock } from '../../src/load/clock.ts'
import { createClient } from '../../src/load/http/client.ts'
import { FINISH, STREAM, startStreamServer, token } from '../support/stream-server.ts'

setFlagsFromString('--expose-gc')
const gc: () => void = runInNewContext('gc')

function heapMB(): number {
  gc()
  gc()
  return process.memoryUsage().heapUsed / 2 ** 20
}

it('a client keeps nothing of the requests that have ended', async () => {
  const answer = `${token().repeat(40)}${FINISH}`
  const server = await startStreamServer((_, response) => response.writeHead(200, STREAM).end(answer))
  // The server is in this process: it too must not keep what it was asked.
  const forget = setInterval(() => (server.requests as unknown[]).splice(0), 10)
  const client = createClient({ origin: server.origin, path: '/', endpoint: 'chat', clock: createClock() })
  const run = (count: number): Promise<void> =>
    new Promise((resolve) => {
      let left = count
      const next = (id: number): void => {
        client.send({ id: `m-${id}`, point: 0, body: '{}' }, ({ outcome }) => {
          if (outcome !== 'ok') expect(outcome).toBe('ok')
          if (--left === 0) resolve()
          else if (left >= 8) next(left)
        })
      }
      for (let i = 0; i < 8; i++) next(count + i)
    })
  await run(500)
  const before = heapMB()
  await run(2_000)
  // One record holds over 40 numbers: 2 000 of them would be more than 1 MB.
  expect(heapMB() - before).toBeLessThan(0.7)
  expect(client.counters()).toMatchObject({ events: 2_500 * 40, active: 0 })
  clearInterval(forget)
  await client.close()
  await server.close()
})
