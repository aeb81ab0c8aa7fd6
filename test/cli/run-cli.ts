import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'

export interface Ended {
  readonly exit: number | null
  readonly stdout: string
  readonly stderr: string
}

type Run = (args: readonly string[], cwd: string) => Ended

function createRun(): Run {
  const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
  if (!existsSync(main)) throw new Error('dist/ is not built: npm run build')
  const { port1: here, port2: port } = new MessageChannel()
  const done = new Int32Array(new SharedArrayBuffer(4))
  const thread = new Worker(new URL('../support/warm-cli.mjs', import.meta.url), {
    workerData: { port, done },
    transferList: [port],
  })
  thread.unref()
  here.unref()
  return (args, cwd) => {
    Atomics.store(done, 0, 0)
    here.postMessage({ args, cwd, env: { ...process.env } })
    Atomics.wait(done, 0, 0)
    return receiveMessageOnPort(here)?.message as Ended
  }
}

let run: Run | undefined

/**
 * Runs the built command, in a folder of its own and outside of the test's process, and waits for its end. The process is kept for the
 * next run, since most of such a run's time is its start; `startCli` starts one that is used once.
 */
export function runCli(args: readonly string[], cwd: string): Ended {
  run ??= createRun()
  return run(args, cwd)
}
