import { existsSync } from 'node:fs'
import { type Run, TwospeedError } from '../core/index.ts'
import { summarizeRun } from '../model/index.ts'
import { createRunFolder, readRecords } from '../store/index.ts'
import { checkOptions } from './check-options.ts'
import { createAnswerCounter } from './counting/answer-counter.ts'
import { countingClient } from './counting/token-counter.ts'
import { defaultFolder, headerOf } from './header.ts'
import type { MeasureOptions } from './options.ts'
import { openSession, type Session } from './session.ts'
import { measureLoads } from './sweep.ts'
import { prepare } from './target/prepare.ts'

/**
 * Measures an OpenAI-compatible server at one load after another and leaves a run folder: every request in it, and the figures computed
 * from them, which are also what this resolves to. A run that is halted keeps what was measured.
 *
 * @throws TwospeedError when the options mean nothing (exit 2) or the target fails before the first measured request (exit 3).
 */
export async function measure(options: MeasureOptions): Promise<Run> {
  checkOptions(options)
  if (options.out !== undefined && existsSync(options.out)) {
    throw new TwospeedError('OUT_EXISTS', `${options.out} is there already.`, 'Name a folder that is not there yet.')
  }
  const session = openSession(options)
  try {
    return await measureTarget(options, session)
  } catch (error) {
    if (error instanceof Error) error.message = session.redact(error.message)
    throw error
  } finally {
    await session.close()
  }
}

async function measureTarget(options: MeasureOptions, session: Session): Promise<Run> {
  const { plan, timeInSystemS, countTokens } = await prepare(session, options)
  const header = headerOf(options, plan, session.clock)
  const dir = options.out ?? defaultFolder(header.createdAt, plan.model)
  const writer = await createRunFolder(dir, header)
  session.tell({ kind: 'folder', dir })
  writer.failed.addEventListener('abort', () => session.halt('recordsNotWritten'), { once: true })
  const { tokenizer } = options
  const counter = tokenizer && countTokens ? createAnswerCounter(tokenizer, countTokens) : undefined
  const client = counter === undefined ? session.client : countingClient(session.client, counter)
  const points = await measureLoads({
    options,
    session: { ...session, client },
    plan,
    writer,
    header,
    timeInSystemS,
  }).finally(() => {
    counter?.close()
    return writer.close()
  })
  const run = await summarizeRun({ ...header, points }, readRecords(dir))
  await writer.update(run)
  return run
}
