/** The C programs of this folder, compiled when a bench first needs one; nothing else in the project needs a compiler. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const made = new Map<string, string>()

export function compiled(name: 'mock' | 'speed'): string {
  const known = made.get(name)
  if (known !== undefined) return known
  const program = join(mkdtempSync(join(tmpdir(), 'twospeed-bench-')), name)
  const source = fileURLToPath(new URL(`${name}.c`, import.meta.url))
  execFileSync('cc', ['-O2', '-Wall', '-Wextra', '-o', program, source], { stdio: ['ignore', 2, 2] })
  made.set(name, program)
  return program
}
