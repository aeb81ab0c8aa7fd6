/** The thread that counts tokens. It is started from its built file, for a worker loads no TypeScript. */
import { parentPort, workerData } from 'node:worker_threads'
import { type Counted, type CountTask, countAll } from './answer-counter.ts'
import { loadTokenizer } from './tokenizer.ts'

if (parentPort === null) throw new Error('This file is the thread of a worker.')
const port = parentPort
const count = await loadTokenizer(workerData as string)
port.on('message', ({ key, texts }: CountTask) => {
  const counted: Counted = { key, tokens: countAll(count, texts) }
  port.postMessage(counted)
})
