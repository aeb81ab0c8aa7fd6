import { writeFile } from 'node:fs/promises'
import { Command } from 'commander'
import { type Run, TwospeedError } from '../core/index.ts'
import { count, flag, word } from './flags.ts'

interface ReportFlags {
  readonly json?: true
  readonly markdown?: true
  readonly html?: string
  readonly gpus?: number
}

export function reportCommand(): Command {
  return new Command('report')
    .description('A run as its folder alone tells it: every figure is computed anew from the records.')
    .argument('<run>', 'a run folder')
    .option('--json', 'print run.json and nothing else')
    .option('--markdown', 'print Markdown')
    .addOption(flag('--html <file>', 'write one HTML file that needs nothing else', word))
    .addOption(flag('--gpus <n>', 'of the whole server, in place of what the run says', count))
    .action(runReport)
}

async function runReport(dir: string, flags: ReportFlags): Promise<void> {
  if (flags.json === true && flags.markdown === true) {
    throw new TwospeedError('CONFLICTING_FLAGS', '--json and --markdown are two things to print', 'Give one of them.')
  }
  const { loadRun } = await import('./run.ts')
  const run = await loadRun(dir, flags.gpus)
  if (flags.html !== undefined) await writePage(flags.html, run)
  if (flags.json === true) process.stdout.write(`${JSON.stringify(run, null, 2)}\n`)
  else await printReport(run, flags)
}

async function printReport(run: Run, { markdown, html }: ReportFlags): Promise<void> {
  const { markdownReport, textReport } = await import('../report/index.ts')
  if (markdown === true) process.stdout.write(markdownReport(run))
  else process.stdout.write(`${textReport(run)}\n${html === undefined ? '' : `\nReport: ${html}\n`}`)
}

async function writePage(path: string, run: Run): Promise<void> {
  const { htmlReport } = await import('../report/index.ts')
  try {
    await writeFile(path, htmlReport(run))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new TwospeedError(
      'FILE_NOT_WRITABLE',
      `--html ${path}: ${why}`,
      'Name a file in a folder that can be written.',
    )
  }
}
