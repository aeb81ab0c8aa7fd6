/**
 * The thread of one worker: today's client with an event loop of its own. It is started from its built file, for a worker loads no
 * TypeScript; it takes `Command`s and answers with what has `Ended`, once a turn of its loop and never once a token.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { createClient } from '../client.ts'
import { createClock } from '../clock.ts'
import { createLag } from '../lag.ts'
import { createRedactor } from '../redact.ts'
import type { Command, Ended, Setup } from './messages.ts'
import { writeVitals } from './vitals.ts'

/** How often the vitals that cost something to look up are told. */
const TELL_MS = 100

if (parentPort === null) throw new Error('This file is the thread of a worker.')
const port = parentPort
const setup = workerData as Setup
const client = createClient({
  ...setup.client,
  clock: createClock(setup.clock),
  redact: createRedactor(setup.secrets),
})
const vitals = writeVitals(setup.vitals)
const lag = createLag()
const cancels = new Map<number, () => void>()
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

async function close(): Promise<void> {
  clearInterval(telling)
  await client.close()
  flush()
  tell()
  port.close()
}

function obey(command: Command): void {
  if (command.kind === 'send') {
    const { key, exchange } = command
    const cancel = client.send(exchange, (record, seen) => {
      cancels.delete(key)
      if (ended.push({ key, record, seen }) === 1) setImmediate(flush)
    })
    cancels.set(key, cancel)
  } else if (command.kind === 'cancel') cancels.get(command.key)?.()
  else if (command.kind === 'beginLag') lag.begin()
  else void close()
}

const telling = setInterval(tell, TELL_MS)
port.on('message', (commands: readonly Command[]) => {
  for (const command of commands) obey(command)
})
