import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { TwospeedError } from '../core/index.ts'
import type { Mock, MockTruth } from '../load/index.ts'

export interface ChildMock extends Mock {
  stop(): Promise<void>
}

/** A server that is to be on time has no collector of garbage beside it. */
const NODE_FLAGS = ['--single-threaded-gc', '--no-memory-reducer', '--min-semi-space-size=16']

/** The built-in mock as a process of its own, for it must not share an event loop with the client that is judged by it. */
export async function startMock(): Promise<ChildMock> {
  const path = fileURLToPath(new URL('../serve/mock-process.js', import.meta.url))
  const child = fork(path, [], {
    serialization: 'advanced',
    execArgv: NODE_FLAGS,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // Out of reach of a Ctrl-C that is meant for us; it ends with the channel.
    detached: process.platform !== 'win32',
  })
  const exited = new Promise<never>((_, reject) => {
    child.once('exit', (code, signal) =>
      reject(
        new TwospeedError(
          'SERVER_NOT_STARTED',
          `The server to calibrate against ended with ${signal ?? code}.`,
          'Run it again; if it happens again, please report it.',
        ),
      ),
    )
  })
  // Heard of where it is waited for.
  exited.catch(() => undefined)
  const answer = async (): Promise<unknown> => {
    const [message] = await Promise.race([once(child, 'message'), exited])
    return message
  }
  const ask = (order: object): Promise<unknown> => {
    const answered = answer()
    child.send(order)
    return answered
  }
  const { origin } = (await answer()) as { readonly origin: string }
  return {
    origin,
    pace: async (gapMs) => void (await ask({ kind: 'pace', gapMs })),
    truth: async () => (await ask({ kind: 'truth' })) as MockTruth,
    async stop() {
      child.disconnect()
      await exited.catch(() => undefined)
    },
  }
}
