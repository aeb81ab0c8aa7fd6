import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ERRORS, printable, type Run, TwospeedError } from '../core/index.ts'
import type { MeasureOptions, Progress } from '../load/index.ts'
import { calmHelperThreads } from './helper-threads.ts'
import { INTERRUPTED, interruptible } from './interrupt.ts'
import { createProgressLine, type ProgressLine } from './progress.ts'
import { tell } from './run-status.ts'

interface Showing {
  /** Only `run.json` on stdout. */
  readonly json: boolean | undefined
  /** A failed request or a point that is not steady ends the command with 1. */
  readonly strict?: boolean | undefined
}

/** A measured run as a command: progress on stderr, figures on stdout, a page beside the records; Ctrl-C ends it and keeps what there is. */
export async function measureAndShow(
  optionsOf: (line: ProgressLine) => MeasureOptions | Promise<MeasureOptions>,
  { json = false, strict = false }: Showing,
): Promise<void> {
  calmHelperThreads()
  const line = createProgressLine(process.stderr)
  let dir = ''
  const abort = interruptible(
    () => line.say('stopping; what was measured is kept (again: stop at once)'),
    () => {
      // Of a run.json that was being replaced; the one before stands.
      if (dir !== '') rmSync(join(dir, 'run.json.tmp'), { force: true })
    },
  )
  let failure: TwospeedError | undefined
  const onProgress = (progress: Progress): void => {
    if (progress.kind === 'folder') dir = progress.dir
    else if (progress.kind === 'allFailed' || progress.kind === 'notHeld') failure = progress.error
    else tell(line, progress)
  }
  try {
    const options = await optionsOf(line)
    const { measure } = await import('../load/index.ts')
    const run = await measure({ ...options, signal: abort.signal, onProgress })
    line.close()
    await print(run, dir, failure, json)
    if (abort.signal.aborted) process.exitCode = INTERRUPTED
    else if (failure !== undefined) process.exitCode = ERRORS[failure.code].exit
    else process.exitCode = strict && run.points.some(isDoubtful) ? 1 : 0
  } catch (error) {
    line.close()
    if (!abort.signal.aborted || error instanceof TwospeedError) throw error
    line.say('Interrupted before anything was measured.')
    process.exitCode = INTERRUPTED
  } finally {
    abort.release()
  }
}

const isDoubtful = ({ requests, window, generator }: Run['points'][number]): boolean =>
  requests.failed > 0 || !window.steady || generator.saturated === true

async function print(run: Run, dir: string, failure: TwospeedError | undefined, json: boolean): Promise<void> {
  const { htmlReport, textReport } = await import('../report/index.ts')
  const page = join(dir, 'report.html')
  writeFileSync(page, htmlReport(run))
  if (json) {
    const error = failure && { code: failure.code, message: failure.message, hint: failure.hint }
    process.stdout.write(`${JSON.stringify(error === undefined ? run : { ...run, error }, null, 2)}\n`)
    return
  }
  process.stdout.write(`${textReport(run)}\n\nrun folder: ${dir}\nreport:     ${page}\n`)
  if (failure !== undefined) process.stderr.write(`${failure.code}: ${printable(failure.message)}\n  ${failure.hint}\n`)
}
