import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RequestRecord } from '../../src/core/index.ts'
import { figures } from './figures.ts'
import { ALL_ENDED_S, anyRecords } from './records.ts'

const tokensOf = (records: readonly RequestRecord[]): number =>
  records.reduce((sum, record) => sum + record.outputTokens, 0)

test("Little's law closes to nothing over any records that the window covers whole", () => {
  fc.assert(
    fc.property(anyRecords, (records) => {
      const { littlesLaw } = figures(records, { endS: ALL_ENDED_S })
      const { inFlight, completionsPerSecond, timeInSystemS = 0, residual } = littlesLaw
      expect(residual ?? 0).toBe(0)
      expect(completionsPerSecond * timeInSystemS).toBeCloseTo(inFlight, 9)
    }),
  )
})

test("Little's law leaves a residual when a request outlives the window", () => {
  const [record] = fc.sample(anyRecords, { seed: 1, numRuns: 20 }).find((records) => records.length > 0) ?? []
  if (record === undefined) throw new Error('no record was made')
  const { littlesLaw } = figures([record], { startS: record.sentS, endS: record.sentS + 0.001 })
  expect(littlesLaw.residual).toBe(1)
})

test('windows that touch share the tokens of the records among them, each token once', () => {
  const cuts = fc.uniqueArray(fc.integer({ min: 1, max: ALL_ENDED_S * 1_000_000 - 1 }), { maxLength: 6 })
  fc.assert(
    fc.property(anyRecords, cuts, (records, cutsUs) => {
      const edges = [0, ...cutsUs.sort((a, b) => a - b).map((us) => us / 1e6), ALL_ENDED_S]
      const parts = edges.slice(1).map((endS, at) => figures(records, { startS: edges[at] ?? 0, endS }))
      const sum = (pick: (part: (typeof parts)[number]) => number): number =>
        parts.reduce((total, part) => total + pick(part), 0)
      expect(sum((part) => part.tokens.output)).toBeCloseTo(tokensOf(records), 6)
      expect(sum((part) => part.requests.sent)).toBe(records.length)
      const answered = records.filter((record) => record.firstTokenS !== undefined)
      expect(sum((part) => part.tokens.input)).toBe(
        answered.reduce((total, record) => total + (record.inputTokens ?? 0), 0),
      )
    }),
  )
})

test('records in any order, and the union of any shards, give the same figures to the last bit', () => {
  const window = { startS: 5, endS: 15, objectives: { ttftMs: 500, tokensPerSecond: 5 }, hardware: { gpus: 3 } }
  const shuffled = anyRecords.chain((records) =>
    fc.tuple(
      fc.constant(records),
      fc.shuffledSubarray(records, { minLength: records.length, maxLength: records.length }),
    ),
  )
  fc.assert(
    fc.property(shuffled, ([records, other]) => {
      expect(figures(other, window)).toEqual(figures(records, window))
    }),
  )
})

test('the token form: streams in flight times the pace of a stream-second are the tokens that ended a gap', () => {
  fc.assert(
    fc.property(anyRecords, (records) => {
      const { littlesLaw } = figures(records, { endS: ALL_ENDED_S })
      const pace = littlesLaw.decodeTokensPerSecondPerUser
      fc.pre(pace !== undefined)
      const endedGap = records
        .filter(({ firstTokenS }) => firstTokenS !== undefined)
        .reduce((sum, { outputTokens, gapsUs, tokensPerEvent }) => {
          const told = (tokensPerEvent ?? []).reduce((total, tokens) => total + tokens, 0)
          return (
            sum + (told > 0 ? told - (tokensPerEvent?.[0] ?? 0) : (outputTokens * gapsUs.length) / (gapsUs.length + 1))
          )
        }, 0)
      expect(littlesLaw.decodeInFlight * (pace ?? 0)).toBeCloseTo(endedGap / ALL_ENDED_S, 9)
    }),
  )
})

test('no figure of any records is null, NaN or infinite', () => {
  fc.assert(
    fc.property(anyRecords, (records) => {
      const point = figures(records, { startS: 5, endS: 15, objectives: { tpotMs: 50, tokensPerSecond: 5 } })
      expect(JSON.stringify(point)).not.toMatch(/null/)
    }),
  )
})
