import { describe, expect, it } from 'vitest'
import { summarizeRun } from '../../src/model/index.ts'
import { adviceOf, adviceOn, choose, evidenceOfRows, PRODUCTS, sentences } from '../../src/plan/index.ts'
import { simulatedRun } from '../support/simulated-run.ts'

const said = (stepMs: (load: number) => number, loads: readonly number[]): readonly string[] =>
  adviceOn(
    evidenceOfRows(
      loads.map((concurrency) => ({ concurrency, outputTokensPerSecond: (1000 * concurrency) / stepMs(concurrency) })),
    ),
  ).map(({ sentence }) => sentence)

describe('one sentence each', () => {
  it('for chat where its floor chooses: the load and what it costs', () => {
    const [chat, batch] = said((load) => 20 + 2 * load, [1, 4, 8, 16, 32])
    expect(chat).toContain('Chat, at 25 tok/s/user (MLPerf')
    expect(chat).toContain(
      'run 10 in flight, between measured loads: 25 tok/s each and 250 tok/s in all, which costs 34 % of the 381 tok/s that it makes at 32',
    )
    expect(batch).toContain('Overnight batch: run 32 in flight: 381 tok/s, 8.4 times what a lone user gets')
    expect(batch).toContain('each stream slows by 74 % to 11.9 tok/s')
  })

  it('for chat on a server that is fast at every load: half of the lone pace, and that it is so', () => {
    const [chat] = said((load) => 5 + 0.25 * load, [1, 4, 16, 64])
    expect(chat).toContain('every load measured holds 25 tok/s/user')
    expect(chat).toContain('to keep half of the pace of a lone user, run 22 in flight')
  })

  it('for chat where a lone stream is out of all proportion: half of the pace of two', () => {
    const [chat] = said((load) => (load === 1 ? 1 : 5 + 0.25 * load), [1, 2, 8, 32, 64])
    expect(chat).toContain('to keep half of the pace of 2 in flight, run 24 in flight')
  })

  it('for chat where more load hardly slows anyone', () => {
    const [chat] = said((load) => 10 + 0.01 * load, [1, 8, 32])
    expect(chat).toContain('even at 32 in flight a user keeps 97 % of the pace of a lone user, so run 32 in flight')
  })

  it('for chat where nothing holds it: how near one gets', () => {
    const [chat] = said((load) => 100 + load, [1, 4, 16])
    expect(chat).toContain('no load gives 25 tok/s/user: the fastest is 9.9 at 1 in flight (measured)')
  })

  it('for a batch whose throughput falls', () => {
    expect(said((load) => load * load, [1, 2, 4])[1]).toContain(
      'run 1 in flight: 1,000 tok/s, for more load only made less',
    )
  })

  it('for a batch whose streams are no slower for more load', () => {
    const [, batch] = said((load) => (load === 1 ? 12 : 10), [1, 8, 32])
    expect(batch).toContain('no stream is slower for it: 100 tok/s each')
    expect(batch).not.toContain('-')
  })

  it('half of a pace goes by its own name, and asking for that pace gives the same load', () => {
    const evidence = evidenceOfRows(
      [1, 4, 16, 64].map((load) => ({ concurrency: load, outputTokensPerSecond: load / (0.005 + 0.00025 * load) })),
    )
    const [half] = adviceOn(evidence)
    expect(half?.sentence).toContain('Chat: every load measured holds')
    expect(half?.product.name).toBe('half pace')
    if (half === undefined) throw new Error('no advice')
    expect(choose(evidence, half.product).choice).toEqual(half.choice?.choice)
    expect(choose(evidence, PRODUCTS.chat).choice.concurrency).not.toBe(half.choice?.choice.concurrency)
    // Where chat's own floor chooses, both ways say the same.
    const slow = evidenceOfRows(
      [1, 4, 16, 32].map((load) => ({ concurrency: load, outputTokensPerSecond: load / (0.02 + 0.002 * load) })),
    )
    expect(adviceOn(slow)[0]).toMatchObject({ product: PRODUCTS.chat, choice: choose(slow, PRODUCTS.chat) })
  })

  it('of a server that is full: not above its places, though noise made more there, and why', async () => {
    const { header, records } = simulatedRun(
      { stepS: (batch, prefill) => 0.005 + 0.00025 * batch + 2e-5 * prefill, slots: 8 },
      { loads: [1, 4, 8, 12] },
    )
    const run = await summarizeRun(header, records)
    const points = run.points.map((point, at) =>
      at < 3 ? point : { ...point, outputTokensPerSecond: 1.02 * (run.points[2]?.outputTokensPerSecond ?? 0) },
    )
    const [chat, batch] = adviceOf({ ...run, points })
    expect(chat?.choice?.choice.concurrency).toBeLessThanOrEqual(8)
    expect(chat?.sentence).not.toContain('at 12')
    expect(batch?.sentence).toContain('Overnight batch: run 8 in flight')
    expect(batch?.sentence).toMatch(/More in flight only wait: a replica decodes at most about [78](\.\d+)? at once/)
  })

  it('of a load whose point was not steady says so, of a steady one not', async () => {
    const { header, records } = simulatedRun({ stepS: (batch) => 0.005 + 0.00025 * batch }, { loads: [1, 8, 32] })
    const run = await summarizeRun(header, records)
    const batch = (steady: boolean): string | undefined =>
      sentences({
        ...run,
        points: run.points.map((point) => ({ ...point, window: { ...point.window, steady, reasons: [] } })),
      })[1]
    expect(batch(false)).toContain('The point measured there was not steady')
    expect(batch(true)).not.toContain('not steady')
  })

  it('of a run, and none of a run without a pace', async () => {
    const { header, records } = simulatedRun({ stepS: (batch) => 0.005 + 0.00025 * batch }, { loads: [1, 8, 64] })
    expect(sentences(await summarizeRun(header, records))).toHaveLength(2)
    expect(sentences(await summarizeRun(header, []))).toEqual([])
  })
})
