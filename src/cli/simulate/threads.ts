import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { type RequestRecord, TwospeedError } from '../../core/index.ts'
import { type Done, doJob, type Job } from './job.ts'
import type { Reply, Setup } from './messages.ts'
import type { SimulationPlan } from './plan.ts'

/** Exists in what is built only: a worker loads no TypeScript. */
const WORKER_FILE = new URL('./worker.js', import.meta.url)

export interface Threads {
  /** 0: the jobs are done right here. */
  readonly threads: number
  /** Records of one job after the other; then there is one thread at most, so that the same run writes the same bytes. */
  readonly onRecord?: (record: RequestRecord) => void
  readonly onDone: (done: number) => void
}

/** Does all jobs, side by side, and answers in their order. Rejects with the first failure. */
export async function doAll(plan: SimulationPlan, jobs: readonly Job[], options: Threads): Promise<readonly Done[]> {
  const { threads, onRecord, onDone } = options
  const count = Math.min(onRecord === undefined ? threads : 1, threads, jobs.length)
  const isWorthIt = count > 1 || onRecord !== undefined
  if (count === 0 || !isWorthIt || !existsSync(WORKER_FILE)) {
    return jobs.map((job, i) => {
      const done = doJob(plan, job, onRecord)
      onDone(i + 1)
      return done
    })
  }
  const answers: Done[] = []
  let next = 0
  let ended = 0
  const workers = Array.from({ length: count }, () => openWorker(plan, onRecord))
  const work = async (worker: OpenWorker): Promise<void> => {
    for (let index = next++; index < jobs.length; index = next++) {
      const job = jobs[index]
      if (job !== undefined) answers[index] = await worker.do(job)
      onDone(++ended)
    }
  }
  try {
    await Promise.all(workers.map(work))
  } finally {
    await Promise.all(workers.map((worker) => worker.close()))
  }
  return answers
}

interface OpenWorker {
  do(job: Job): Promise<Done>
  close(): Promise<unknown>
}

function openWorker(plan: SimulationPlan, onRecord: Threads['onRecord']): OpenWorker {
  const ahead = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
  const unread = new Int32Array(ahead)
  const workerData: Setup = { plan, withRecords: onRecord !== undefined, ahead }
  const worker = new Worker(WORKER_FILE, { workerData, execArgv: [] })
  return {
    do: (job) =>
      new Promise((resolve, reject) => {
        const onMessage = (reply: Reply): void => {
          if (reply.kind === 'records') {
            for (const record of reply.records) onRecord?.(record)
            Atomics.sub(unread, 0, 1)
            Atomics.notify(unread, 0)
            return
          }
          worker.off('message', onMessage)
          worker.off('error', reject)
          if (reply.kind === 'done') resolve(reply.done)
          else reject(new TwospeedError(reply.error.code, reply.error.message, reply.error.hint))
        }
        worker.on('message', onMessage)
        worker.once('error', reject)
        worker.postMessage(job)
      }),
    close: () => worker.terminate(),
  }
}
