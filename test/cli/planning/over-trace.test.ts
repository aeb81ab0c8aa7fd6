import { describe, expect, it } from 'vitest'
import { overTrace } from '../../../src/cli/planning/over-trace.ts'
import type { AskedProduct } from '../../../src/plan/index.ts'

const rows = [0, 1, 2, 3].map((atS) => ({ atS, inputTokens: 100 + 100 * atS, outputTokens: 50 }))
const day = { kind: 'trace', trace: { rows } } as unknown as NonNullable<AskedProduct['demand']['day']>
const product = { name: 'kiosk', goal: 'pace', tokensPerSecond: 50 } as const

describe('lengths beside a trace', () => {
  it('that go before it are told, each with what its rows have', () => {
    const flags = { inputTokens: 1000, outputTokens: 300 }
    const told = overTrace([{ product, demand: { day, ...flags } }], flags)
    expect(told).toHaveLength(2)
    expect(told[0]).toBe(
      '--input-tokens goes before the trace: 1,000 tokens of a prompt in the mean, where its rows have 250.',
    )
    expect(told[1]).toContain(
      '--output-tokens goes before the trace: 300 tokens of an answer in the mean, where its rows have 50.',
    )
  })

  it('are of a product where its file says them', () => {
    const told = overTrace([{ product: { ...product, outputTokens: 300 }, demand: { day } }], {})
    expect(told.map((sentence) => sentence.slice(0, 45))).toEqual(['outputTokens of kiosk goes before the trace: '])
  })

  it('that are none, or the same, or beside no trace, are not', () => {
    const curve = {
      kind: 'curve',
      points: [
        { atS: 0, rate: 1 },
        { atS: 60, rate: 1 },
      ],
    } as const
    expect(overTrace([{ product, demand: { day } }], {})).toEqual([])
    expect(overTrace([{ product, demand: { day, outputTokens: 50 } }], { outputTokens: 50 })).toEqual([])
    expect(overTrace([{ product, demand: { day: curve, outputTokens: 300 } }], { outputTokens: 300 })).toEqual([])
  })
})
