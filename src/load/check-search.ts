import { type ErrorCode, TwospeedError } from '../core/index.ts'
import type { MeasureOptions } from './options.ts'

const refuse = (code: ErrorCode, message: string, hint: string): never => {
  throw new TwospeedError(code, message, hint)
}

/** Refuses a search that has nothing to look for, and loads that are named beside one that finds them. */
export function checkSearch(options: MeasureOptions): void {
  const { search, share, objectives = {} } = options
  if (share !== undefined && !(share > 0 && share <= 1))
    refuse('INVALID_VALUE', `share is ${share}.`, 'It takes a share above 0 and up to 1, such as 0.9.')
  if (share !== undefined && search !== 'find') {
    refuse(
      'CONFLICTING_FLAGS',
      '--share says how many requests must hold what --find looks for, and there is no --find.',
      'Add --find, or leave it out; `twospeed choose` takes a --share for any run.',
    )
  }
  if (search === undefined) return
  const named = (
    [
      ['concurrency', '--concurrency names the loads'],
      ['rates', '--rate is no number of users'],
      ['trace', '--trace holds its own load'],
      ['think', '--think has fewer in flight than users'],
      ['repeat', '--repeat measures loads again that are named'],
    ] as const
  ).find(([key]) => options[key] !== undefined)
  if (named !== undefined) {
    refuse(
      'CONFLICTING_FLAGS',
      `--${search} chooses how many users are measured and how often, and ${named[1]}.`,
      'Leave out one of them.',
    )
  }
  if (search === 'sweep' && Number(options.outputTokens) === 1) {
    refuse(
      'CONFLICTING_FLAGS',
      '--sweep makes a frontier of paces known, and answers of --output-tokens 1 have none.',
      'Ask for more tokens, or name the loads with --concurrency.',
    )
  }
  if (search !== 'find') return
  const { ttftMs, tpotMs, tokensPerSecond } = objectives
  if (ttftMs === undefined && tpotMs === undefined && tokensPerSecond === undefined) {
    refuse(
      'MISSING_VALUE',
      '--find looks for the most users who hold an objective, and none is given.',
      'Add --floor 40 (tok/s/user), --ttft 500ms, or both.',
    )
  }
  if (ttftMs === undefined && Number(options.outputTokens) === 1) {
    refuse(
      'CONFLICTING_FLAGS',
      '--floor asks for a pace, and answers of --output-tokens 1 have none.',
      'Ask for more tokens, or for a --ttft.',
    )
  }
}
