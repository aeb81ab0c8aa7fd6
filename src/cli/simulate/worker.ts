import { parentPort, workerData } from 'node:worker_threads'
import { type RequestRecord, TwospeedError } from '../../core/index.ts'
import { doJob, type Job } from './job.ts'
import { MOST_AHEAD, type Reply, type Setup } from './messages.ts'

/** So many records go in one message. */
const BATCH = 256

const { plan, withRecords, ahead } = workerData as Setup
const unread = new Int32Array(ahead)

/** The other side writes them to a disk: more than a few batches do not wait in memory. */
function send(records: readonly RequestRecord[]): void {
  for (let now = Atomics.load(unread, 0); now >= MOST_AHEAD; now = Atomics.load(unread, 0)) Atomics.wait(unread, 0, now)
  Atomics.add(unread, 0, 1)
  post({ kind: 'records', records })
}

const post = (reply: Reply): void => parentPort?.postMessage(reply)

parentPort?.on('message', (job: Job) => {
  let batch: RequestRecord[] = []
  const onRecord = (record: RequestRecord): void => {
    if (batch.push(record) < BATCH) return
    send(batch)
    batch = []
  }
  try {
    const done = doJob(plan, job, withRecords ? onRecord : undefined)
    if (batch.length > 0) send(batch)
    post({ kind: 'done', done })
  } catch (error) {
    if (!(error instanceof TwospeedError)) throw error
    const { code, message, hint } = error
    post({ kind: 'failed', error: { code, message, hint } })
  }
})
