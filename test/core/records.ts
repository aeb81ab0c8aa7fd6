import fc from 'fast-check'
import type { RequestRecord } from '../../src/core/index.ts'

/** A record from whole microseconds, so that its instants and gaps agree as a measured record's do. */
export function recordOf({
  sentUs = 0,
  ttftUs = 100_000,
  gapsUs = [20_000, 20_000],
  tailUs = 0,
  ...rest
}: {
  readonly sentUs?: number
  readonly ttftUs?: number
  readonly gapsUs?: readonly number[]
  readonly tailUs?: number
} & Partial<RequestRecord>): RequestRecord {
  const firstUs = sentUs + ttftUs
  const lastUs = gapsUs.reduce((sum, gap) => sum + gap, firstUs)
  return {
    id: `r${sentUs}`,
    point: 0,
    sentS: sentUs / 1e6,
    firstTokenS: firstUs / 1e6,
    lastTokenS: lastUs / 1e6,
    endS: (lastUs + tailUs) / 1e6,
    outcome: 'ok',
    outputTokens: gapsUs.length + 1,
    tokenSource: 'events',
    gapsUs,
    ...rest,
  }
}

/** A request that got no answer. */
export function failedOf(sentUs: number, tailUs = 5000): RequestRecord {
  return {
    id: `f${sentUs}`,
    point: 0,
    sentS: sentUs / 1e6,
    endS: (sentUs + tailUs) / 1e6,
    outcome: 'failed',
    error: { kind: 'connect', message: 'refused' },
    outputTokens: 0,
    tokenSource: 'events',
    gapsUs: [],
  }
}

const gap = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 50_000 }), fc.integer({ min: 900_000, max: 1_300_000 }))

/** How the tokens of an answer lie in its events: one each, told one by one, or a count from elsewhere. */
const spread = (events: number): fc.Arbitrary<Pick<RequestRecord, 'outputTokens' | 'tokenSource' | 'tokensPerEvent'>> =>
  fc.oneof(
    fc.constant({ outputTokens: events, tokenSource: 'events' as const }),
    fc.integer({ min: 1, max: 3 * events }).map((outputTokens) => ({ outputTokens, tokenSource: 'usage' as const })),
    fc.array(fc.integer({ min: 0, max: 4 }), { minLength: events, maxLength: events }).map((tokensPerEvent) => ({
      outputTokens: tokensPerEvent.reduce((sum, tokens) => sum + tokens, 0),
      tokenSource: 'usage' as const,
      tokensPerEvent,
    })),
  )

const answered: fc.Arbitrary<RequestRecord> = fc.array(gap, { maxLength: 12 }).chain((gapsUs) =>
  fc
    .record({
      sentUs: fc.integer({ min: 0, max: 20_000_000 }),
      ttftUs: fc.integer({ min: 0, max: 3_000_000 }),
      tailUs: fc.integer({ min: 0, max: 500_000 }),
      outcome: fc.constantFrom('ok' as const, 'cancelled' as const),
      inputTokens: fc.integer({ min: 0, max: 1000 }),
      tokens: spread(gapsUs.length + 1),
    })
    .map(({ tokens, ...rest }) => recordOf({ ...rest, ...tokens, gapsUs })),
)

const failed = fc
  .record({ sentUs: fc.integer({ min: 0, max: 20_000_000 }), tailUs: fc.integer({ min: 0, max: 2_000_000 }) })
  .map(({ sentUs, tailUs }) => failedOf(sentUs, tailUs))

/** Any records of one point; all begin at 0 or later and have ended before `ALL_ENDED_S`. */
export const anyRecords: fc.Arbitrary<RequestRecord[]> = fc.array(
  fc.oneof({ weight: 4, arbitrary: answered }, { weight: 1, arbitrary: failed }),
  { maxLength: 30 },
)
export const ALL_ENDED_S = 60
