import { describe, expect, it } from 'vitest'
import type { RequestRecord } from '../../../src/core/index.ts'
import { type Borne, judgeLoad } from '../../../src/load/calibrate/calibrate-truth.ts'

const ORIGIN_NS = 7e9
const PLAN = { workers: 1, streams: 2, tokensPerSecond: 50, windowS: 1 }

/** A stream whose token i was written at `writtenMs[i]` and told so much later. */
function stream(id: string, writtenMs: readonly number[], lateMs: readonly number[]) {
  const at = writtenMs.map((ms, i) => Math.round((ms + (lateMs[i] ?? 0)) * 1e3))
  const [first = 0] = at
  const record: RequestRecord = {
    id,
    point: 0,
    sentS: 0,
    firstTokenS: first / 1e6,
    endS: 9,
    outcome: 'cancelled',
    outputTokens: at.length,
    tokenSource: 'events',
    gapsUs: at.slice(1).map((us, i) => us - (at[i] ?? 0)),
  }
  return { record, tokenNs: Float64Array.from(writtenMs, (ms) => ORIGIN_NS + ms * 1e6) }
}

const every20 = (fromMs: number, count: number) => Array.from({ length: count }, (_, i) => fromMs + 20 * i)

const judged = (streams: readonly ReturnType<typeof stream>[], more: Partial<Borne> = {}, lateMs = 1) =>
  judgeLoad(
    PLAN,
    {
      records: streams.map(({ record }) => record),
      startUs: 1e6,
      endUs: 2e6,
      originNs: ORIGIN_NS,
      generator: { saturated: false, cpu: 0.5 },
      ...more,
    },
    { tokenNs: new Map(streams.map(({ record, tokenNs }) => [record.id, tokenNs])), lateMs },
  )

/** One that streams throughout the window, and one that begins in it. */
const well = () => [
  stream('a', every20(905, 60), Array(60).fill(0.5)),
  stream('b', every20(1005, 60), [3, ...Array(59).fill(1)]),
]

describe('a load is judged by the window alone', () => {
  it('and by how late a client is, not the server', () => {
    const { load, serverBusy } = judged(well())
    expect(load).toMatchObject({
      workers: 1,
      streams: 2,
      tokensPerSecond: 50,
      cpu: 0.5,
      serverLateMs: 1,
      trusted: true,
    })
    expect(load).not.toHaveProperty('why')
    // 50 of each between 1 and 2 s.
    expect(load.eventsPerSecond).toBe(100)
    // One first token lies in it: 3 ms late. After it one gap is 2 ms short, all others are right.
    expect(load.ttftErrorMs.p50).toBeCloseTo(3)
    expect(load.itlErrorMs.p50).toBeCloseTo(0)
    expect(load.itlErrorMs.p99).toBeGreaterThan(0)
    expect(load.itlErrorMs.p99).toBeLessThanOrEqual(2.001)
    expect(serverBusy).toBe(false)
  })

  it('but for first tokens, of which those before it are taken where it has none', () => {
    const before = [
      stream('a', every20(905, 60), [4, ...Array(59).fill(0)]),
      stream('b', every20(915, 60), Array(60).fill(2)),
    ]
    expect(judged(before).load.ttftErrorMs.p50).toBeCloseTo(3)
  })
})

describe('a load is not borne', () => {
  const why = (...args: Parameters<typeof judged>) => judged(...args).load.why

  it('where first tokens or gaps are told too far off', () => {
    expect(why([well()[0]!, stream('b', every20(1005, 60), Array(60).fill(11))])).toEqual([
      'first tokens were told too late',
    ])
    const jumping = every20(1005, 60).map((_, i) => (i % 2 === 0 ? 0 : 12))
    expect(why([well()[0]!, stream('b', every20(1005, 60), jumping)])).toEqual(['gaps were told wrong'])
  })

  it('where the client says so itself', () => {
    expect(why(well(), { generator: { saturated: true, why: ['it was busy'] } })).toEqual(['it was busy'])
    expect(why(well(), { generator: { saturated: false, why: ['it was late, as it had to be'] } })).toBeUndefined()
  })

  it('where requests failed, or answers are not what the server wrote', () => {
    const [one, two] = well() as [ReturnType<typeof stream>, ReturnType<typeof stream>]
    const { firstTokenS: _, ...silent } = one.record
    const failed = { ...silent, id: 'f', outcome: 'failed', error: { kind: 'reset', message: 'gone' } } as const
    expect(why(well(), { records: [one.record, two.record, failed] })).toEqual(['1 requests failed: gone'])
    const more = { ...one.record, gapsUs: [...one.record.gapsUs, 20_000] }
    expect(why(well(), { records: [more, two.record] })).toContain('1 answers are not what the server wrote')
  })

  it('where less came than was asked for, unless the server could write no more', () => {
    expect(why(well().slice(0, 1))).toEqual(['less came than was asked for'])
    const { load, serverBusy } = judged(well().slice(0, 1), {}, 11)
    expect({ trusted: load.trusted, serverBusy }).toEqual({ trusted: true, serverBusy: true })
    expect(load.eventsPerSecond).toBe(50)
    // It was late for a moment, and yet wrote everything.
    expect(judged(well(), {}, 11)).toMatchObject({ load: { trusted: true }, serverBusy: false })
  })

  it('where nothing came at all: then it was late by the whole window', () => {
    const { load } = judged([])
    expect(load).toMatchObject({ eventsPerSecond: 0, ttftErrorMs: { p50: 1000, p99: 1000 }, trusted: false })
  })
})
