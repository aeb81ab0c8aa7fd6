import type { Command } from 'commander'
import { ERRORS, type ErrorCode, TwospeedError, type WhatIf } from '../../core/index.ts'
import { type Answered, checkPrinted, type PrintFlags, print } from './printed.ts'
import { changed, type Question, whatIfOf } from './what-if.ts'

interface AskedFlags extends PrintFlags {
  readonly whatIf?: readonly string[]
}

type Compared = NonNullable<WhatIf['answer']>

/** How a command answers what it is asked. */
interface Answering<Flags> {
  answerOf(question: Question<Flags>): Promise<Answered<object>>
  /** What of it stands beside another answer. Throws where it is none that could be another. */
  comparedOf(answered: Answered<object>): Compared
}

/**
 * Answers a question and prints it, beside it the same with each change. Where nothing holds what is asked, that is said in its place and the
 * changes are still answered: one of them may.
 */
export async function answerAndPrint<Flags extends AskedFlags>(
  question: Question<Flags>,
  createCommand: () => Command,
  { answerOf, comparedOf }: Answering<Flags>,
): Promise<void> {
  checkPrinted(question.flags)
  const changes = question.flags.whatIf ?? []
  const others = changed(changes, question, createCommand)
  const base = await orRefusal(() => answerOf(question), others.length > 0)
  const whatIf: WhatIf[] = []
  for (const [i, other] of others.entries()) {
    const before = base.isRefused === true ? {} : base.answer
    whatIf.push(await whatIfOf(changes[i] ?? '', before, async () => comparedOf(await answerOf(other))))
  }
  await print(base, whatIf, question.flags)
}

/** What is no wrong use of a command but its answer: this cannot be had. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set(['NO_POINT_HOLDS', 'DOES_NOT_FIT', 'IMPOSSIBLE_CONFIGURATION'])

async function orRefusal(
  make: () => Promise<Answered<object>>,
  isBesideOthers: boolean,
): Promise<Answered<object> & { readonly isRefused?: true }> {
  try {
    return await make()
  } catch (thrown) {
    if (!isBesideOthers || !(thrown instanceof TwospeedError) || !REFUSALS.has(thrown.code)) throw thrown
    const { refusalDocument } = await import('../../report/index.ts')
    const { code, message, hint } = thrown
    const error = { code, message, hint }
    return { answer: { error }, document: refusalDocument(error), isRefused: true, exitCode: ERRORS[code].exit }
  }
}
