import { describe, expect, it } from 'vitest'
import type { Point } from '../../src/core/index.ts'
import { missedInShort, warningsOf } from '../../src/report/words.ts'

const SIMULATION = { pools: [], series: [], preemptions: 0, recomputedTokens: 0, cachedTokens: 0 } as const

const pointOf = (reasons: readonly string[], simulation?: Point['simulation']): Point => ({
  load: { kind: 'rate', value: 5 },
  window: { startS: 0, endS: 60, steady: false, reasons },
  requests: { sent: 30, ok: 10, failed: 20, cancelled: 0, dropped: 0, errors: { timeout: 12, http: 8 } },
  tokens: { input: 0, output: 0 },
  perUser: { tokensPerSecond: {}, endToEndTokensPerSecond: {} },
  outputTokensPerSecond: 0,
  latency: { ttftMs: {}, tpotMs: {}, itlMs: {}, e2eMs: {} },
  littlesLaw: { inFlight: 1, completionsPerSecond: 1, decodeInFlight: 0 },
  generator: {},
  ...(simulation !== undefined && { simulation }),
})

describe('requests without an answer', () => {
  it('of a simulation are unanswered or refused, and why', () => {
    const rate = pointOf(['overloaded', 'unanswered'], SIMULATION)
    expect(missedInShort(rate)).toEqual(['12 unanswered', '8 refused'])
    const told = warningsOf(rate).join('. ')
    expect(told).toMatch(/12 of 30 requests were not answered when the simulation ended, for they came faster/)
    expect(told).toMatch(/8 of 30 requests were refused/)
    expect(told).not.toMatch(/http|timeout|failed/)
    const loop = warningsOf(pointOf(['unanswered'], SIMULATION)).join('. ')
    expect(loop).toMatch(/for others were served before them/)
    expect(loop).not.toMatch(/faster/)
  })

  it('of a measurement are failed, by how', () => {
    const measured = pointOf([])
    expect(missedInShort(measured)).toEqual(['20 failed'])
    expect(warningsOf(measured)).toEqual(['20 of 30 requests failed (timeout 12, http 8)'])
  })
})
