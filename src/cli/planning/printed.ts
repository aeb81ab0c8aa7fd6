import { writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { TwospeedError, type WhatIf } from '../../core/index.ts'
import type { Document } from '../../report/index.ts'
import { flag, word } from '../flags.ts'

export interface PrintFlags {
  readonly json?: true
  readonly markdown?: true
  readonly html?: string
}

export const addPrintFlags = (command: Command): Command =>
  command
    .option('--json', 'print the answer as JSON')
    .option('--markdown', 'print Markdown')
    .addOption(flag('--html <file>', 'write one HTML file that needs nothing else', word))

export function checkPrinted({ json, markdown }: PrintFlags): void {
  if (json !== true || markdown !== true) return
  throw new TwospeedError('CONFLICTING_FLAGS', '--json and --markdown are two things to print', 'Give one of them.')
}

/** What a command answers, for programs and for people. */
export interface Answered<Answer extends object> {
  readonly answer: Answer
  readonly document: Document
  /** Absent: 0. */
  readonly exitCode?: number
}

/** An answer with what of what was given is to be doubted. */
export async function warned(
  { answer, document, ...others }: Answered<object>,
  warnings: readonly string[],
): Promise<Answered<object>> {
  if (warnings.length === 0) return { answer, document, ...others }
  const { withWarnings } = await import('../../report/index.ts')
  return { ...others, answer: { ...answer, warnings }, document: withWarnings(document, warnings) }
}

export async function print(
  { answer, document, exitCode }: Answered<object>,
  whatIf: readonly WhatIf[],
  flags: PrintFlags,
): Promise<void> {
  const { documentMarkdown, documentPage, documentText, withWhatIf } = await import('../../report/index.ts')
  const whole = whatIf.length === 0 ? document : withWhatIf(document, whatIf)
  if (flags.html !== undefined) await writePage(flags.html, documentPage(whole))
  if (flags.json === true) {
    const told = whatIf.length === 0 ? answer : { ...answer, whatIf }
    process.stdout.write(`${JSON.stringify(told, null, 2)}\n`)
  } else if (flags.markdown === true) process.stdout.write(documentMarkdown(whole))
  else {
    const page = flags.html === undefined ? '' : `\nReport: ${flags.html}\n`
    process.stdout.write(`${documentText(whole)}\n${page}`)
  }
  if (exitCode !== undefined) process.exitCode = exitCode
}

async function writePage(path: string, page: string): Promise<void> {
  try {
    await writeFile(path, page)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new TwospeedError(
      'FILE_NOT_WRITABLE',
      `--html ${path}: ${why}`,
      'Name a file in a folder that can be written.',
    )
  }
}
