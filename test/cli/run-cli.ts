import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

export interface Ended {
  readonly exit: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the built command as a person does, in a folder of its own. */
export function runCli(args: readonly string[], cwd: string): Ended {
  if (!existsSync(main)) throw new Error('dist/ is not built: npm run build')
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { cwd, encoding: 'utf8' })
  return { exit: status, stdout, stderr }
}
