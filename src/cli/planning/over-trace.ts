import { figure } from '../../core/index.ts'
import { type AskedProduct, demandOfDay } from '../../plan/index.ts'
import type { SourceFlags } from './source-flags.ts'

/** Lengths that go before those of a trace, each with what the trace has. */
export function overTrace(
  asked: readonly AskedProduct[],
  flags: Pick<SourceFlags, 'inputTokens' | 'outputTokens'>,
): readonly string[] {
  return asked.flatMap(({ product, demand }) => {
    const { day } = demand
    if (day?.kind !== 'trace') return []
    const own = demandOfDay(day)
    const told = (key: 'inputTokens' | 'outputTokens', flag: string, what: string, more: string): readonly string[] => {
      const [taken, traced] = [demand[key] ?? product[key], own[key]]
      if (taken === undefined || traced === undefined || Math.abs(taken / traced - 1) < SAME) return []
      const who = flags[key] === undefined ? `${key} of ${product.name}` : flag
      return [
        `${who} goes before the trace: ${figure(taken)} tokens ${what} in the mean, where its rows have ${figure(traced)}.${more}`,
      ]
    }
    return [
      ...told('inputTokens', '--input-tokens', 'of a prompt', ''),
      ...told(
        'outputTokens',
        '--output-tokens',
        'of an answer',
        ' What is in flight in the course of the day is still by the length of each row.',
      ),
    ]
  })
}

/** Nearer is as good as the same. */
const SAME = 0.005
