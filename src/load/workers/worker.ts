/**
 * The thread of one worker: today's client with an event loop of its own. It is started from its built file, for a worker loads no
 * TypeScript; it takes `Command`s and answers with what has `Ended`, once a turn of its loop and never once a token.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { createClock } from '../clock.ts'
import { createClient } from '../http/client.ts'
import { type Exchange, lostRecordOf } from '../http/exchange.ts'
import { createLag } from '../point/lag.ts'
import { createRedactor } from '../target/redact.ts'
import type { Command, Ended, Setup } from './messages.ts'
import { writeVitals } from './vitals.ts'

/** Requests are sent as they come, but after so long the sockets are read before the next. */
const BUSY_US = 10_000

/** How often the vitals that cost something to look up are told. */
const TELL_MS = 100

if (parentPort === null) throw new Error('This file is the thread of a worker.')
const port = parentPort
const setup = workerData as Setup
const clock = createClock(setup.clock)
const client = createClient({
  ...setup.client,
  clock,
  redact: createRedactor(setup.secrets),
})
const vitals = writeVitals(setup.vitals)
const lag = createLag()
const cancels = new Map<number, () => void>()
/** Not sent yet, and since when. */
const waiting = new Map<number, { readonly exchange: Exchange; readonly askedUs: number }>()
let isResting = false // until the event loop has been round
let ended: Ended[] = []

function tell(): void {
  vitals.counters(client.counters())
  vitals.lateReads(client.lateReads())
  vitals.lag(lag.summary())
}

function flush(): void {
  if (ended.length === 0) return
  // Before the message, so that whoever has a record finds it counted.
  vitals.counters(client.counters())
  port.postMessage(ended)
  ended = []
}

function end(one: Ended): void {
  if (ended.push(one) === 1) setImmediate(flush)
}

async function close(): Promise<void> {
  clearInterval(telling)
  for (const key of waiting.keys()) cancel(key)
  await client.close()
  flush()
  tell()
  port.close()
}

function send(): void {
  const untilUs = clock.nowUs() + BUSY_US
  for (const [key, { exchange }] of waiting) {
    waiting.delete(key)
    const stop = client.send(exchange, (record, seen) => {
      cancels.delete(key)
      end({ key, record, seen })
    })
    cancels.set(key, stop)
    if (clock.nowUs() < untilUs) continue
    isResting = true
    setImmediate(() => {
      isResting = false
      send()
    })
    return
  }
}

function cancel(key: number): void {
  const one = waiting.get(key)
  cancels.get(key)?.()
  if (one === undefined) return
  waiting.delete(key)
  end({ key, record: lostRecordOf(one.exchange, one.askedUs, clock.nowUs()), seen: { events: 0 } })
}

function obey(command: Command): void {
  if (command.kind === 'send') waiting.set(command.key, { exchange: command.exchange, askedUs: clock.nowUs() })
  else if (command.kind === 'cancel') cancel(command.key)
  else if (command.kind === 'beginLag') lag.begin()
  else void close()
}

const telling = setInterval(tell, TELL_MS)
port.on('message', (commands: readonly Command[]) => {
  for (const command of commands) obey(command)
  if (!isResting) send()
})
