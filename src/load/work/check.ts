import { type ErrorCode, parseLengths, TwospeedError } from '../../core/index.ts'
import type { MeasureOptions } from '../options.ts'
import { extraBodyOf } from './extra-body.ts'

const refuse = (code: ErrorCode, message: string, hint: string): never => {
  throw new TwospeedError(code, message, hint)
}

/** What says how long requests are, or what is in them, by its name on the command line. */
const FLAGS = {
  inputTokens: '--input-tokens',
  outputTokens: '--output-tokens',
  lengths: '--lengths',
  prefixShare: '--prefix-share',
  turns: '--turns',
  prompts: '--prompts',
} as const
type Name = keyof typeof FLAGS

/** Beside this one, these would say the same a second time, or nothing. */
const RULES: readonly { readonly by: Name | 'trace'; readonly not: readonly Name[]; readonly why: string }[] = [
  {
    by: 'trace',
    not: ['inputTokens', 'outputTokens', 'lengths', 'prefixShare', 'turns', 'prompts'],
    why: 'a trace says of each request what is in it',
  },
  { by: 'prompts', not: ['inputTokens', 'lengths', 'prefixShare'], why: 'prompts of a file are as long as they are' },
  { by: 'lengths', not: ['inputTokens', 'outputTokens'], why: 'the pairs of a file are both lengths' },
]

/** Refuses what means nothing of the work, before a file is read or anything is sent. */
export function checkWork(options: MeasureOptions): void {
  for (const name of ['inputTokens', 'outputTokens'] as const) {
    const value = options[name]
    if (value !== undefined && parseLengths(String(value)) === undefined) {
      refuse(
        'INVALID_VALUE',
        `${name} is ${value}.`,
        'It takes a whole number of at least 1, or such as uniform:100-200, normal:400,50, lognormal:400,0.6.',
      )
    }
  }
  for (const name of ['prefixes', 'turns'] as const) {
    const value = options[name]
    if (value !== undefined && !(Number.isInteger(value) && value > 0))
      refuse('INVALID_VALUE', `${name} is ${value}.`, 'It takes a whole number of at least 1.')
  }
  const { prefixShare, prefixes, turns = 1 } = options
  if (prefixShare !== undefined && !(prefixShare > 0 && prefixShare < 1)) {
    refuse('INVALID_VALUE', `prefixShare is ${prefixShare}.`, 'It takes a share between 0 and 1: a rest must differ.')
  }
  if (prefixes !== undefined && prefixShare === undefined) {
    refuse('CONFLICTING_FLAGS', '--prefixes says how many, and nothing says how long.', 'Give --prefix-share too.')
  }
  for (const { by, not, why } of RULES) {
    const other = options[by] === undefined ? undefined : not.find((name) => options[name] !== undefined)
    if (other !== undefined) {
      const flag = by === 'trace' ? '--trace' : FLAGS[by]
      refuse('CONFLICTING_FLAGS', `${flag} and ${FLAGS[other]}: ${why}.`, 'Give one of them.')
    }
  }
  if (turns > 1 && options.rates !== undefined) {
    refuse(
      'CONFLICTING_FLAGS',
      '--turns and --rate: in an open loop each request is somebody else’s, so no conversation goes on.',
      'Give --concurrency in place of --rate.',
    )
  }
  extraBodyOf(options)
}
