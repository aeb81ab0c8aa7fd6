import { field } from './json.ts'

/** The server's own count, each figure where it was given. */
export interface Usage {
  readonly input?: number
  readonly cachedInput?: number
  /** All generated tokens, reasoning included. */
  readonly output?: number
  /** The part of it that is reasoning, where that was told and is not 0. */
  readonly reasoning?: number
}

const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined

/** Reads the `usage` of chat and completions, and that of Responses. Undefined where it is null or no object. */
export function readUsage(value: unknown): Usage | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const input = count(field(value, 'prompt_tokens') ?? field(value, 'input_tokens'))
  const output = count(field(value, 'completion_tokens') ?? field(value, 'output_tokens'))
  const inputDetails = field(value, 'prompt_tokens_details') ?? field(value, 'input_tokens_details')
  const outputDetails = field(value, 'completion_tokens_details') ?? field(value, 'output_tokens_details')
  const cachedInput = count(field(inputDetails, 'cached_tokens'))
  const reasoning = count(field(outputDetails, 'reasoning_tokens')) ?? 0
  const total = count(field(value, 'total_tokens'))
  return {
    ...(input !== undefined && { input }),
    ...(cachedInput !== undefined && { cachedInput }),
    ...(output !== undefined && { output: wholeOutput(input ?? 0, output, reasoning, total) }),
    ...(reasoning > 0 && { reasoning }),
  }
}

/** Reasoning is part of the output. Some servers count it beside: then the total, prompt + completion + reasoning, gives them away. */
function wholeOutput(input: number, output: number, reasoning: number, total: number | undefined): number {
  return reasoning > 0 && total === input + output + reasoning ? output + reasoning : output
}
