import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createPointMetrics, type RequestRecord } from '../../../src/core/index.ts'
import type { Exchange } from '../../../src/load/http/client.ts'
import { type ClosedLoopPlan, createClosedLoop } from '../../../src/load/point/closed-loop.ts'
import { createOpenLoop } from '../../../src/load/point/open-loop.ts'
import { type PointProgress, type PointTask, runPoint } from '../../../src/load/point/point-runner.ts'
import { recordOf } from '../virtual-server.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
})
afterEach(() => {
  vi.useRealTimers()
})

const nowS = (): number => Date.now() / 1000

/** A client whose every request takes so long, in fake time. */
function fakeClient(timeOf: (n: number) => { readonly timeS: number; readonly failed?: boolean }) {
  const exchanges: Exchange[] = []
  let open = 0
  let most = 0
  return {
    exchanges,
    open: () => open,
    most: () => most,
    send(exchange: Exchange, onEnd: (record: RequestRecord, seen: { events: number }) => void): () => void {
      exchanges.push(exchange)
      const sentS = nowS()
      const { timeS, failed = false } = timeOf(exchanges.length)
      open++
      most = Math.max(most, open)
      const end = (outcome: RequestRecord['outcome']): void => {
        open--
        clearTimeout(timer)
        queueMicrotask(() => onEnd(recordOf(exchange.id, sentS, nowS(), outcome), { events: 12 }))
      }
      const timer = setTimeout(() => end(failed ? 'failed' : 'ok'), timeS * 1000)
      return () => end('cancelled')
    },
  }
}

function run(client: ReturnType<typeof fakeClient>, plan: ClosedLoopPlan, extra: Partial<PointTask> = {}) {
  const records: RequestRecord[] = []
  const progress: PointProgress[] = []
  let ids = 0
  const outcome = runPoint({
    loop: createClosedLoop(plan),
    point: 0,
    send: client.send,
    nowS,
    nextId: () => String(++ids),
    ask: () => ({ body: '{}' }),
    onRecord: (record) => records.push(record),
    onProgress: (now) => progress.push(now),
    signal: new AbortController().signal,
    haltedBy: () => undefined,
    ...extra,
  })
  return { outcome, records, progress }
}

describe('the runner of a point', () => {
  it('keeps the load, hands on every record, and leaves nothing running', async () => {
    const client = fakeClient(() => ({ timeS: 1 }))
    const { outcome, records } = run(client, { concurrency: 4, staggerS: 1 })
    await vi.advanceTimersByTimeAsync(60_000)
    const { window, outputTokensPerSecond, answered } = await outcome
    expect(client.most()).toBe(4)
    expect(client.open()).toBe(0)
    expect(records).toHaveLength(client.exchanges.length)
    expect(answered).toBe(records.length)
    expect(window).toMatchObject({ steady: true, reasons: [] })
    expect(outputTokensPerSecond).toBeCloseTo(48, 0)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('tells when the window opens and closes, in that order and once', async () => {
    const edges: [string, number][] = []
    const client = fakeClient(() => ({ timeS: 1 }))
    const { outcome } = run(client, { concurrency: 2, staggerS: 1 }, { onWindow: (edge) => edges.push([edge, nowS()]) })
    await vi.advanceTimersByTimeAsync(60_000)
    const { window } = await outcome
    expect(edges).toEqual([
      ['open', window.startS],
      ['close', window.endS],
    ])
  })

  it('tells when the window is begun anew, and counts the tokens of the last one', async () => {
    const edges: [string, number][] = []
    const client = fakeClient(() => ({ timeS: nowS() < 20 ? 1 : 1.5 }))
    const { outcome } = run(client, { concurrency: 2, staggerS: 1 }, { onWindow: (edge) => edges.push([edge, nowS()]) })
    await vi.advanceTimersByTimeAsync(100_000)
    const { window, outputTokensPerSecond } = await outcome
    expect(edges.map(([edge]) => edge)).toEqual(['open', 'close', 'anew', 'close'])
    expect(edges.slice(2).map(([, atS]) => atS)).toEqual([window.startS, window.endS])
    expect(outputTokensPerSecond).toBeCloseTo((2 * 12) / 1.5, 0)
  })

  it('counts the tokens of the window before, where the one begun anew is stopped', async () => {
    const halt = new AbortController()
    const client = fakeClient(() => ({ timeS: nowS() < 20 ? 1 : 1.5 }))
    const stop = { signal: halt.signal, haltedBy: () => 'interrupted' }
    const { outcome } = run(client, { concurrency: 2, staggerS: 1 }, stop)
    await vi.advanceTimersByTimeAsync(45_000)
    halt.abort()
    await vi.advanceTimersByTimeAsync(10_000)
    const { window, outputTokensPerSecond } = await outcome
    expect(window.startS).toBeLessThan(10)
    expect(outputTokensPerSecond).toBeGreaterThan((2 * 12) / 1.5)
    expect(outputTokensPerSecond).toBeLessThan(2 * 12)
  })

  it('tells how far it is four times a second', async () => {
    const client = fakeClient(() => ({ timeS: 1 }))
    const { outcome, progress } = run(client, { concurrency: 2, staggerS: 1 })
    await vi.advanceTimersByTimeAsync(60_000)
    await outcome
    expect(new Set(progress.map(({ phase }) => phase))).toEqual(new Set(['warmUp', 'window', 'hold']))
    expect(progress.every(({ inFlight, ofS }) => inFlight <= 2 && ofS === 30)).toBe(true)
    expect(progress.length).toBeGreaterThan(4 * 30)
  })

  it('waits after a failure, and reports the last one', async () => {
    const client = fakeClient(() => ({ timeS: 0.001, failed: true }))
    const { outcome, records } = run(client, { concurrency: 1, staggerS: 0 })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await outcome).toMatchObject({ answered: 0, fault: { kind: 'http', status: 500 } })
    expect((await outcome).window.reasons).toContain('errorShare')
    expect(records).toHaveLength(11)
    expect(vi.getTimerCount()).toBe(0)
  })

  it.each([0.3, 5, 20])('ends at once when it is halted after %d s, with every record', async (atS) => {
    const abort = new AbortController()
    const client = fakeClient(() => ({ timeS: 2 }))
    const { outcome, records } = run(
      client,
      { concurrency: 3, staggerS: 2 },
      { signal: abort.signal, haltedBy: () => 'interrupted' },
    )
    await vi.advanceTimersByTimeAsync(atS * 1000)
    abort.abort()
    await vi.advanceTimersByTimeAsync(0)
    expect((await outcome).window.reasons).toContain('interrupted')
    expect(client.open()).toBe(0)
    expect(records).toHaveLength(client.exchanges.length)
    expect(vi.getTimerCount()).toBe(0)
  })

  it.each([1.7, 5.3, 20.9, 60])('tells the tok/s of its records, halted after %d s or not at all', async (atS) => {
    const abort = new AbortController()
    const client = fakeClient((n) => ({ timeS: 1 + (n % 5) / 7 }))
    // No whole number of microseconds, as of a real clock.
    const laterS = (): number => nowS() + 4e-7
    const more = { signal: abort.signal, haltedBy: () => 'timeLimit', nowS: laterS }
    const { outcome, records } = run(client, { concurrency: 3, staggerS: 1 }, more)
    await vi.advanceTimersByTimeAsync(atS * 1000)
    abort.abort()
    await vi.advanceTimersByTimeAsync(60_000)
    const { window, outputTokensPerSecond } = await outcome
    const metrics = createPointMetrics({ load: { kind: 'concurrency', value: 3 }, window }, {})
    for (const record of records) metrics.add(record)
    const told = metrics.result().outputTokensPerSecond
    expect(told).toBeGreaterThan(0)
    expect(outputTokensPerSecond).toBeCloseTo(told, 6)
  })

  it('sends nothing when it is halted before it begins', async () => {
    const client = fakeClient(() => ({ timeS: 2 }))
    const { outcome } = run(
      client,
      { concurrency: 3, staggerS: 2 },
      { signal: AbortSignal.abort(), haltedBy: () => 'timeLimit' },
    )
    await outcome
    expect(client.exchanges).toHaveLength(0)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('sends so many requests and no more', async () => {
    const client = fakeClient((n) => ({ timeS: n % 7 === 0 ? 3 : 1 }))
    const { outcome, records } = run(client, { concurrency: 4, requests: 50, staggerS: 1 })
    await vi.advanceTimersByTimeAsync(60_000)
    await outcome
    expect(client.exchanges).toHaveLength(50)
    expect(records.every((record) => record.outcome === 'ok')).toBe(true)
  })
})

describe('the runner of an open loop', () => {
  const open = (client: ReturnType<typeof fakeClient>, times: readonly number[], maxInFlight = 100) => {
    const plan = { arrivals: times.values(), rate: 1, requests: times.length, maxInFlight, isTrace: true }
    return run(client, { concurrency: 1, staggerS: 0 }, { loop: createOpenLoop(plan) })
  }

  it('sends each request when it is due, with the time it was due at', async () => {
    const times = [0, 0.25, 0.25, 0.4, 7.5]
    const client = fakeClient(() => ({ timeS: 1 }))
    const { outcome, records } = open(client, times)
    await vi.advanceTimersByTimeAsync(20_000)
    await outcome
    expect(client.exchanges.map(({ scheduledS }) => scheduledS)).toEqual(times)
    expect(records.map(({ sentS }) => sentS)).toEqual(times)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is not late for one because it was for another', async () => {
    const times = Array.from({ length: 1000 }, (_, i) => i / 300)
    const client = fakeClient(() => ({ timeS: 0.01 }))
    const { outcome, records } = open(client, times)
    await vi.advanceTimersByTimeAsync(20_000)
    await outcome
    const late = records.map(({ sentS }, i) => sentS - times[i]!)
    expect(Math.max(...late)).toBeLessThan(0.0011)
    expect(Math.min(...late)).toBeGreaterThan(-1e-6)
  })

  it('sends no longer than 10 ms in a turn of the event loop, whatever ends meanwhile', async () => {
    const client = fakeClient(() => ({ timeS: 0.001 }))
    let workedS = 0
    const clock = (): number => nowS() + workedS
    const send: PointTask['send'] = (exchange, onEnd) => {
      workedS += 0.001
      return client.send(exchange, onEnd)
    }
    const times = Array.from({ length: 500 }, () => 0)
    const plan = { arrivals: times.values(), rate: 1, requests: 500, maxInFlight: 500, isTrace: true }
    const { outcome } = run(client, { concurrency: 1, staggerS: 0 }, { loop: createOpenLoop(plan), nowS: clock, send })
    let most = 0
    // The first turn is sent before time goes on.
    await vi.advanceTimersByTimeAsync(1)
    for (let sent = client.exchanges.length; client.exchanges.length < 500; sent = client.exchanges.length) {
      await vi.advanceTimersByTimeAsync(1)
      most = Math.max(most, client.exchanges.length - sent)
    }
    expect(most).toBeGreaterThan(8)
    expect(most).toBeLessThan(13)
    await vi.advanceTimersByTimeAsync(1000)
    await outcome
    expect(vi.getTimerCount()).toBe(0)
  })

  it('records what it gave up, and tells how many', async () => {
    const client = fakeClient(() => ({ timeS: 15 }))
    const { outcome, records, progress } = open(client, [0, 1, 2], 1)
    await vi.advanceTimersByTimeAsync(60_000)
    const { window } = await outcome
    expect(records.map(({ outcome, scheduledS, sentS }) => [outcome, scheduledS, sentS])).toEqual([
      ['dropped', 1, 11],
      ['dropped', 2, 12],
      ['ok', undefined, 0],
    ])
    expect(progress.at(-1)?.dropped).toBe(2)
    expect(window.reasons).toContain('generatorLate')
  })
})
