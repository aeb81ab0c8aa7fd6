import { parseDuration } from '../../core/index.ts'
import { refuse } from '../flags.ts'
import { parseThink, THINK_FORM } from '../load-flags.ts'

/** Seconds in the mean that a user lets pass before asking again: of a plan none are as good as some. */
export const pause = (text: string): number =>
  parseDuration(text) === 0 ? 0 : (parseThink(text)?.meanS ?? refuse(`It takes ${THINK_FORM}; 0s for none.`))
