import { TwospeedError } from '../../src/core/index.ts'

/** The error that this is refused with; a test that is not refused fails, as does one with a bug. */
export function refusal(work: () => unknown): TwospeedError {
  try {
    work()
  } catch (error) {
    if (error instanceof TwospeedError) return error
    throw error
  }
  throw new Error('nothing was refused')
}
