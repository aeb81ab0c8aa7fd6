import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PointsRow } from '../../src/core/index.ts'
import { contradictionsIn, pointsOfRows } from '../../src/model/index.ts'

const toldOf = (rows: readonly PointsRow[], outputTokens?: number): readonly string[] =>
  contradictionsIn(pointsOfRows(rows), outputTokens)

const row = (concurrency: number, outputTokensPerSecond: number, tokensPerSecondPerUser: number): PointsRow => ({
  concurrency,
  outputTokensPerSecond,
  tokensPerSecondPerUser,
})

const real = (min: number, max: number) => fc.double({ min, max, noNaN: true })

describe('rows that do not contradict each other', () => {
  it('are those of any closed loop of steps that grow with the batch, also where first tokens come sooner than a step', () => {
    const server = fc.record({
      base: real(1e-3, 0.05),
      perSequence: real(1e-6, 2e-3),
      /** Of a step, until the first token. */
      wait: real(0, 50),
      tokens: fc.integer({ min: 2, max: 1000 }),
      loads: fc.uniqueArray(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 6 }),
    })
    fc.assert(
      fc.property(server, ({ base, perSequence, wait, tokens, loads }) => {
        const rows = loads.map((concurrency) => {
          const stepS = base + perSequence * concurrency
          // Little's law: N tokens of each request in the time that it takes.
          const outputTokensPerSecond = (tokens * concurrency) / (stepS * (tokens - 1 + wait))
          return { ...row(concurrency, outputTokensPerSecond, 1 / stepS), ttftMs: 1000 * wait * stepS }
        })
        expect(toldOf(rows, tokens)).toEqual([])
        expect(toldOf(rows)).toEqual([])
      }),
      { numRuns: 200, seed: 3 },
    )
  })

  it('may be written in few digits', () => {
    expect(toldOf([row(10, 74, 7)])).toEqual([])
    expect(toldOf([row(10, 74, 7.01)])).toHaveLength(1)
  })

  it('may scatter as repeated measurements do', () => {
    expect(toldOf([row(10, 800, 100), row(20, 1600, 115)])).toEqual([])
  })
})

describe('rows that contradict each other', () => {
  it('make more than all in flight have together', () => {
    expect(toldOf([row(10, 1050, 100.0001)])).toEqual([
      'at 10 in flight 1,050 tok/s are more than 10 × 100 tok/s/user = 1,000',
    ])
    expect(toldOf([row(10, 1004, 100.0001)])).toEqual([])
  })

  it('make it also where the first of many tokens comes at once', () => {
    const soon = (tokens: number | undefined): readonly string[] =>
      toldOf([{ ...row(10, 1500, 100.0001), ttftMs: 1 }], tokens)
    expect(soon(500)).toHaveLength(1)
    // Of two tokens the first is half of the answer.
    expect(soon(2)).toEqual([])
    expect(soon(undefined)).toEqual([])
  })

  it('are faster with more in flight: of all rises the greatest is told', () => {
    const rows = [row(1, 90, 100), row(8, 400, 50), row(16, 960, 60), row(32, 2560, 80), row(64, 4000, 65)]
    expect(toldOf(rows)).toEqual(['pace rises with load, from 50 tok/s/user at 8 in flight to 80 at 32'])
    expect(toldOf(rows.toReversed())).toHaveLength(1)
  })

  it('are repeats of a load that are not alike, and bounds go by them', () => {
    const rows = [row(20, 2000, 100), row(20, 200, 10)]
    expect(toldOf(rows)).toEqual(['repeats at 20 in flight have 10 to 100 tok/s/user'])
    expect(pointsOfRows(rows)[0]?.repeatsS).toEqual([0.01, 0.1])
    const alike = [row(20, 2000, 100), row(20, 1980, 99)]
    expect(toldOf(alike)).toEqual([])
    expect(pointsOfRows(alike)[0]).not.toHaveProperty('repeatsS')
  })

  it('are not those that are flagged anyway', () => {
    expect(toldOf([row(1, 90, 100), { ...row(8, 4000, 50), fault: 'queue' }])).toEqual([])
    expect(toldOf([row(1, 90, 100), row(8, 4000, 50)])).toHaveLength(1)
  })
})
