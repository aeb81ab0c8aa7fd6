import { Worker } from 'node:worker_threads'
import type { Clock } from '../clock.ts'
import type { Client, Exchange, OnEnd } from '../http/client.ts'
import { lostRecordOf } from '../http/exchange.ts'
import type { WatchedThread } from '../point/health.ts'
import type { Command, Ended, Setup } from './messages.ts'
import { readVitals, vitalsMemory } from './vitals.ts'

/** One worker, as the main thread sees it. */
export interface Remote extends Client, WatchedThread {
  inFlight(): number
  /** Its thread has not ended by itself. */
  isAlive(): boolean
}

export interface RemoteOptions {
  readonly name: string
  readonly setup: Omit<Setup, 'vitals'>
  readonly clock: Clock
  /** Of the client's histogram of late reads. */
  readonly lateSteps: number
  /** Its thread has ended by itself. What it had in flight ends as cancelled after this call. */
  readonly onCrash: (why: string) => void
}

/** Exists in what is built only: a worker loads no TypeScript. */
export const WORKER_FILE: URL = new URL('./worker.js', import.meta.url)

/** So long may the connections of a worker take to close before the thread is ended with them open. */
const CLOSE_MS = 2_000

interface Pending {
  readonly exchange: Exchange
  readonly onEnd: OnEnd
  readonly askedUs: number
}

export function createRemote({ name, setup, clock, lateSteps, onCrash }: RemoteOptions): Remote {
  const memory = vitalsMemory(lateSteps)
  const vitals = readVitals(memory)
  const workerData: Setup = { ...setup, vitals: memory }
  const worker = new Worker(WORKER_FILE, { workerData, execArgv: [] })
  const pending = new Map<number, Pending>()
  let commands: Command[] = []
  let keys = 0
  let isClosing = false
  let isAlive = true
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))

  const flush = (): void => {
    if (commands.length === 0) return
    if (isAlive) worker.postMessage(commands)
    commands = []
  }
  const tell = (command: Command): void => {
    if (commands.push(command) === 1) setImmediate(flush)
  }

  /** What a thread that is gone had in flight: nobody knows what became of it. */
  const giveUp = (): void => {
    const endUs = clock.nowUs()
    const lost = [...pending.values()]
    pending.clear()
    for (const { exchange, onEnd, askedUs } of lost) onEnd(lostRecordOf(exchange, askedUs, endUs), { events: 0 })
  }
  const onGone = (why: string): void => {
    if (!isAlive) return
    isAlive = false
    if (!isClosing) onCrash(why)
    giveUp()
  }

  worker.on('message', (ended: readonly Ended[]) => {
    for (const { key, record, seen } of ended) {
      const request = pending.get(key)
      pending.delete(key)
      request?.onEnd(record, seen)
    }
  })
  worker.on('error', (error) => onGone(error instanceof Error ? error.message : String(error)))
  worker.on('exit', (code) => onGone(`it ended with ${code}`))

  return {
    name,
    inFlight: () => pending.size,
    isAlive: () => isAlive,
    send(exchange, onEnd) {
      const key = ++keys
      // The body may be long, and is the worker's from now on.
      pending.set(key, { exchange: { ...exchange, body: '' }, onEnd, askedUs: clock.nowUs() })
      tell({ kind: 'send', key, exchange })
      return () => {
        if (pending.has(key)) tell({ kind: 'cancel', key })
      }
    },
    counters: vitals.counters,
    lateReads: vitals.lateReads,
    awakeIdleMs: () => 0,
    loop: (since) => worker.performance.eventLoopUtilization(since),
    beginLag: () => tell({ kind: 'beginLag' }),
    lag: vitals.lag,
    async close() {
      isClosing = true
      tell({ kind: 'close' })
      const late = setTimeout(() => void worker.terminate(), CLOSE_MS)
      await exited
      clearTimeout(late)
    },
  }
}
