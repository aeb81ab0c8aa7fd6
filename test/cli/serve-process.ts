import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

export interface ServeProcess {
  readonly url: string
  readonly child: ChildProcess
  readonly stdout: () => string
  readonly stderr: () => string
  /** The exit status, once it has ended: `exit`, for `close` never comes after a parent has cut the channel. */
  readonly ended: Promise<number | null>
}

/** The built `twospeed serve` as a process of its own, on any free port. */
export async function startServe(args: readonly string[], channel = false): Promise<ServeProcess> {
  const child = spawn(process.execPath, [main, 'serve', '--port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'pipe', ...(channel ? (['ipc'] as const) : [])],
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const said = { stdout: '', stderr: '' }
  child.stdout?.on('data', (part) => {
    said.stdout += part
  })
  child.stderr?.on('data', (part) => {
    said.stderr += part
  })
  const ended = new Promise<number | null>((resolve) => child.once('exit', (status) => resolve(status)))
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const [, found] = /^listening (\S+)\n/.exec(said.stdout) ?? []
      if (found !== undefined) resolve(found)
    })
    void ended.then((status) => reject(new Error(`it ended with ${status}: ${said.stderr}`)))
  })
  return { url, child, stdout: () => said.stdout, stderr: () => said.stderr, ended }
}
