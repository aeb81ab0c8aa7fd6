import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Ended, runCli } from '../cli/run-cli.ts'
import { temporaryFolder } from '../store/temporary.ts'
import { type Expectations, meets, mismatches, readCases } from './cases.ts'

/** A command line in, an answer out. */
interface PlanningCase {
  readonly id: string
  readonly title: string
  readonly files: Readonly<Record<string, string>>
  readonly args: readonly string[]
  readonly expect: Answer | { readonly anyOf: readonly Answer[] }
}

interface Answer {
  readonly exit: number | { readonly oneOf: readonly number[] }
  readonly json?: Expectations
  readonly error?: { readonly code: string; readonly mentions?: string }
  readonly noNull?: boolean
}

export function folderWith(files: Readonly<Record<string, string>>): string {
  const dir = temporaryFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text)
  return dir
}

/** Runs every case of a command, of which there are at least so many. */
export function describePlanningCases(command: string, atLeast: number): void {
  const cases = readCases<PlanningCase>('planning').filter(({ args }) => args[0] === command)
  describe('planning cases', () => {
    it('are there', () => expect(cases.length).toBeGreaterThanOrEqual(atLeast))

    it.each(cases.map((given) => [`${given.id}: ${given.title}`, given] as const))('%s', (_, given) => {
      const ended = runCli(given.args, folderWith(given.files))
      const answers = 'anyOf' in given.expect ? given.expect.anyOf : [given.expect]
      const problems = answers.map((answer) => judge(ended, answer))
      expect(problems.some((each) => each.length === 0) ? [] : problems).toEqual([])
    })
  })
}

function judge({ exit, stdout, stderr }: Ended, expected: Answer): readonly string[] {
  const json: unknown = JSON.parse(stdout)
  const problems = [...mismatches(json, expected.json ?? {})]
  const { exit: wanted } = expected
  if (!meets(exit, typeof wanted === 'number' ? { value: wanted } : wanted)) problems.push(`exit ${exit}`)
  if (expected.error !== undefined) {
    const { code = '', message = '' } = (json as { error?: { code?: string; message?: string } }).error ?? {}
    if (code === '' || message === '') problems.push('an error without code or message')
    if (!new RegExp(expected.error.mentions ?? '', 'i').test(message)) problems.push(`message: ${message}`)
    if (/\n\s+at /.test(stdout + stderr)) problems.push('a stack trace')
  }
  if (expected.noNull === true && stdout.includes('null')) problems.push('a null')
  return problems
}
