import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { CountTokens } from './tokenizer.ts'

/** Counts the tokens of answers. */
export interface AnswerCounter {
  /** Of the texts together, each of them by itself. */
  count(texts: readonly string[]): Promise<number>
  close(): void
}

/** To the thread that counts, and back. */
export interface CountTask {
  readonly key: number
  readonly texts: readonly string[]
}
export interface Counted {
  readonly key: number
  readonly tokens: number
}

export const countAll = (count: CountTokens, texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + count(text), 0)

/** Counts in this thread, after the turn of the event loop that it was asked in. */
export function createCounterHere(count: CountTokens): AnswerCounter {
  return {
    count: (texts) => new Promise((resolve) => setImmediate(() => resolve(countAll(count, texts)))),
    close() {},
  }
}

/** Exists in what is built only: a worker loads no TypeScript. */
const WORKER_FILE = new URL('./tokenizer-thread.js', import.meta.url)

interface Waiting {
  readonly texts: readonly string[]
  readonly resolve: (tokens: number) => void
}

/**
 * Counts by the tokenizer at `path` in a thread of its own: a few hundred tokens take milliseconds, in which this thread would read no
 * socket. Where that thread cannot be had, or fails, `here` counts.
 */
export function createAnswerCounter(path: string, here: CountTokens): AnswerCounter {
  const inThisThread = createCounterHere(here)
  if (!existsSync(WORKER_FILE)) return inThisThread
  const worker = new Worker(WORKER_FILE, { workerData: path, execArgv: [] })
  const waiting = new Map<number, Waiting>()
  let keys = 0
  let isAlive = true

  const fail = (): void => {
    isAlive = false
    for (const { texts, resolve } of waiting.values()) void inThisThread.count(texts).then(resolve)
    waiting.clear()
  }
  worker.unref()
  worker.on('error', fail)
  worker.on('exit', fail)
  worker.on('message', ({ key, tokens }: Counted) => {
    waiting.get(key)?.resolve(tokens)
    waiting.delete(key)
  })
  return {
    count(texts) {
      if (!isAlive) return inThisThread.count(texts)
      return new Promise((resolve) => {
        const task: CountTask = { key: keys++, texts }
        waiting.set(task.key, { texts, resolve })
        worker.postMessage(task)
      })
    },
    close: () => void worker.terminate(),
  }
}
