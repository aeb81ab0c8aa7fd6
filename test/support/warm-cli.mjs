// The built command, kept warm: its modules are loaded once, by a process of its own, and every run of it is its `main.js` evaluated anew.
//
//   test ──runs, and waits──► thread ──keeps──► process: chdir, argv, main.js
//
// The thread is there because a test's own event loop stands still while it waits.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { isMainThread, workerData } from 'node:worker_threads'

const main = new URL('../../dist/cli/main.js', import.meta.url)

if (isMainThread) serveRuns()
else keepProcess(workerData)

/** @param {{ port: import('node:worker_threads').MessagePort, done: Int32Array }} given */
function keepProcess({ port, done }) {
  let child
  let isAsked = false
  let failed
  const answer = (ended) => {
    isAsked = false
    port.postMessage(ended)
    Atomics.store(done, 0, 1)
    Atomics.notify(done, 0)
  }
  const start = () => {
    const started = fork(fileURLToPath(import.meta.url), { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], execArgv: [] })
    const said = { stdout: '', stderr: '' }
    started.stdout.on('data', (bytes) => {
      said.stdout += bytes
    })
    started.stderr.on('data', (bytes) => {
      said.stderr += bytes
    })
    started.on('message', answer)
    // No command ends the process: something failed. If that was after the command had answered, the next run shows it.
    started.on('close', (exit) => {
      child = undefined
      failed = { exit, ...said }
      if (!isAsked) return
      answer(failed)
      failed = undefined
    })
    return started
  }
  port.on('message', (asked) => {
    isAsked = true
    if (child === undefined && failed !== undefined) {
      answer(failed)
      failed = undefined
      return
    }
    child ??= start()
    child.send(asked)
  })
}

function serveRuns() {
  let runs = 0
  process.on('message', async ({ args, cwd, env }) => {
    const said = { stdout: '', stderr: '' }
    const own = { stdout: process.stdout.write, stderr: process.stderr.write }
    for (const stream of ['stdout', 'stderr']) {
      process[stream].write = (text) => {
        said[stream] += text
        return true
      }
    }
    process.chdir(cwd)
    process.env = env
    process.argv = [process.argv[0], fileURLToPath(main), ...args]
    process.exitCode = undefined
    await import(`${main}?run=${runs++}`)
    for (const stream of ['stdout', 'stderr']) process[stream].write = own[stream]
    process.stdout.removeAllListeners('error')
    process.send({ exit: process.exitCode ?? 0, ...said })
  })
  // The test that it was for has ended.
  process.on('disconnect', () => process.exit())
}
