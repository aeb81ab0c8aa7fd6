import { TwospeedError } from '../../core/index.ts'
import type { MeasureOptions } from '../options.ts'

type Extra = Readonly<Record<string, unknown>>

/** What twospeed puts into a body itself, and must know to hold: of one choice, streamed, of a length that was asked for. */
const OURS: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'prompt',
  'input',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'min_tokens',
  'ignore_eos',
  'n',
])

/**
 * The fields that go into every body beside twospeed's own; undefined where there are none.
 *
 * Throws CONFLICTING_FLAGS for a field that twospeed sets itself, or that two flags set; INVALID_VALUE for a temperature below 0 and a
 * top-p outside of (0, 1].
 */
export function extraBodyOf({ temperature, topP, extraBody }: MeasureOptions): Extra | undefined {
  if (temperature !== undefined && !(temperature >= 0 && Number.isFinite(temperature)))
    throw new TwospeedError('INVALID_VALUE', `temperature is ${temperature}.`, 'It takes a number from 0 on.')
  if (topP !== undefined && !(topP > 0 && topP <= 1))
    throw new TwospeedError('INVALID_VALUE', `topP is ${topP}.`, 'It takes a share above 0, at most 1.')
  const sampling: Extra = {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
  }
  for (const key of Object.keys(extraBody ?? {})) {
    if (OURS.has(key)) {
      throw new TwospeedError(
        'CONFLICTING_FLAGS',
        `--extra-body has "${key}", which twospeed sets itself.`,
        'Leave it out: flags of measure say the model, the lengths and the endpoint.',
      )
    }
    if (key in sampling) {
      throw new TwospeedError('CONFLICTING_FLAGS', `--extra-body and a flag both set "${key}".`, 'Give one of them.')
    }
  }
  const all = { ...sampling, ...extraBody }
  return Object.keys(all).length === 0 ? undefined : all
}
