import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { ERRORS, type ErrorCode, TwospeedError } from '../core/index.ts'

export interface ChildServer {
  readonly url: string
  stop(): Promise<void>
}

/** A loading model may take so long; a server that is not up by then never will be. */
const PATIENCE_MS = 120_000
const STOP_MS = 5000

/**
 * `twospeed serve` as a process of its own, so that the server and the client that times it do not share an event loop. It leaves with
 * the channel between us, whatever becomes of this process, and it is out of reach of a Ctrl-C that is meant for us.
 *
 * @throws TwospeedError with the code that the child gave as its reason.
 */
export async function startChildServer(args: readonly string[]): Promise<ChildServer> {
  const main = fileURLToPath(new URL('./main.js', import.meta.url))
  const child = spawn(process.execPath, [main, 'serve', '--port', '0', ...args], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    detached: process.platform !== 'win32',
  })
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4000)
  })
  // Not `close`, which never comes once the channel was closed from here.
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const stop = async (): Promise<void> => {
    if (child.connected) child.disconnect()
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
    await gone
    clearTimeout(late)
  }
  try {
    return { url: await ready(), stop }
  } catch (error) {
    await stop()
    throw error
  }

  function ready(): Promise<string> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(failure(said, `it was not ready in ${PATIENCE_MS / 1000} s`)), PATIENCE_MS)
      child.once('message', (message) => {
        clearTimeout(timer)
        const { url } = message as { readonly url: string }
        resolve(url)
      })
      child.once('error', (error) => {
        clearTimeout(timer)
        reject(failure(said, error.message))
      })
      child.once('exit', async (code, signal) => {
        clearTimeout(timer)
        if (child.stderr?.readableEnded === false) await once(child.stderr, 'end')
        reject(failure(said, `it ended with ${signal ?? code}`))
      })
    })
  }
}

/** The child's own coded error where it printed one: `CODE: what happened`, then the hint. */
function failure(said: string, how: string): TwospeedError {
  const [, code, message, hint] = /^([A-Z_]+): (.*)\n {2}(.*)$/m.exec(said) ?? []
  if (code !== undefined && code in ERRORS) return new TwospeedError(code as ErrorCode, message ?? '', hint ?? '')
  const last = said.trim().split('\n').at(-1)
  return new TwospeedError(
    'SERVER_NOT_STARTED',
    `The reference server did not start: ${how}${last === undefined || last === '' ? '' : ` (${last})`}.`,
    'Try `twospeed serve` by itself to see why.',
  )
}
