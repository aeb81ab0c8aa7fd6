/** The client that `measure` uses, under the bench's own loop and as calm. Built code: what is published is what is timed. */

import { calmHelperThreads } from '../dist/cli/helper-threads.js'
import { createClock } from '../dist/load/clock.js'
import { createClient } from '../dist/load/http/client.js'

export function createTwospeed({ url }, body) {
  calmHelperThreads()
  const clock = createClock()
  const client = createClient({ origin: new URL(url).origin, path: '/v1/chat/completions', endpoint: 'chat', clock })
  return {
    originNs: () => Number(clock.originNs),
    nowMs: () => clock.nowUs() / 1000,
    send: (_stream, id, tokens, onEnd) => client.send({ id, point: 0, body, askedOutputTokens: tokens }, onEnd),
  }
}
