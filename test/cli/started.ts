import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Ended } from './run-cli.ts'

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

export interface Started {
  /** Resolves when its stderr holds this. */
  says(text: string | RegExp): Promise<void>
  signal(name: NodeJS.Signals): void
  readonly ended: Promise<Ended>
}

/** Starts the built command beside the test, which can go on serving it. Keys of the person's own shell stay outside. */
export function startCli(args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): Started {
  if (!existsSync(main)) throw new Error('dist/ is not built: npm run build')
  const { OPENAI_API_KEY: _, ...shell } = process.env
  const child = spawn(process.execPath, [main, ...args], { cwd, env: { ...shell, ...env } })
  let stdout = ''
  let stderr = ''
  const listeners = new Set<() => void>()
  child.stdout.on('data', (bytes) => {
    stdout += bytes
  })
  child.stderr.on('data', (bytes) => {
    stderr += bytes
    for (const listener of listeners) listener()
  })
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (exit) => resolve({ exit, stdout, stderr }))
  })
  return {
    ended,
    signal: (name) => child.kill(name),
    says: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (typeof text === 'string' ? !stderr.includes(text) : !text.test(stderr)) return
          listeners.delete(look)
          resolve()
        }
        listeners.add(look)
        look()
        void ended.then(() => reject(new Error(`it ended without saying ${text}: ${stderr}`)))
      }),
  }
}
