import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createClock } from '../../../src/load/clock.ts'
import { createMeter, LATE_STEP_US } from '../../../src/load/http/meter.ts'
import { createHealth } from '../../../src/load/point/health.ts'

function spin(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

/** A client of which a test says how it read. */
function fakeClient() {
  let counters = { events: 0, tokenReads: 0, sharedReads: 0, active: 0 }
  const late = new Float64Array(2_000)
  return {
    counters: () => counters,
    lateReads: () => late.slice(),
    read(count: number, lateMs: number, isShared = false): void {
      const step = (lateMs * 1e3) / LATE_STEP_US
      late[step] = (late[step] ?? 0) + count
      const shared = isShared ? count : 0
      const { events, tokenReads, sharedReads } = counters
      counters = {
        events: events + count,
        tokenReads: tokenReads + count,
        sharedReads: sharedReads + shared,
        active: 0,
      }
    },
  }
}

describe('the generator', () => {
  it('finds itself well when it is', async () => {
    const client = fakeClient()
    client.read(1_000, 150, true) // before the window
    const health = createHealth(createClock(), client)
    health.begin()
    client.read(90, 0)
    client.read(10, 9, true)
    await sleep(300)
    const { saturated, why, sharedReads, cpu = 1, eventLoopLagMs = {} } = health.end()
    expect({ saturated, why, sharedReads }).toEqual({ saturated: false, why: undefined, sharedReads: 0.1 })
    expect(cpu).toBeLessThan(0.5)
    expect(eventLoopLagMs.p50).toBeLessThan(5)
  })

  it('knows that it has no time to spare', async () => {
    const health = createHealth(createClock(), fakeClient())
    health.begin()
    for (let i = 0; i < 60; i++) {
      spin(5)
      await nextTurn()
    }
    const { saturated, why, cpu } = health.end()
    expect(saturated).toBe(true)
    expect(why?.[0]).toMatch(/busy (9\d|100) %/)
    expect(cpu).toBeGreaterThan(0.5)
  })

  it('knows that it paused, though it was idle on average', async () => {
    const health = createHealth(createClock(), fakeClient())
    health.begin()
    for (let i = 0; i < 4; i++) {
      await sleep(150)
      spin(100)
    }
    await sleep(150)
    const { saturated, why, eventLoopLagMs } = health.end()
    expect(saturated).toBe(true)
    expect(why?.join()).toMatch(/^its event loop lagged \d+ ms/)
    expect(eventLoopLagMs?.max).toBeGreaterThan(80)
    expect(eventLoopLagMs?.max).toBeLessThan(300)
  })

  it('knows that its reads waited for each other', async () => {
    for (const [count, lateMs, words] of [
      [2, 60, 'one read in a hundred may be 60 ms late'],
      [60, 20, 'half of its reads may be 20 ms late'],
    ] as const) {
      const client = fakeClient()
      const health = createHealth(createClock(), client)
      health.begin()
      client.read(100 - count, 0)
      client.read(count, lateMs)
      await sleep(50)
      expect(health.end().why?.join()).toContain(words)
    }
  })
})

describe('a read', () => {
  const lateOf = (meter: ReturnType<typeof createMeter>): readonly number[] =>
    [...meter.lateReads()].flatMap((count, step) => Array<number>(count).fill((step * LATE_STEP_US) / 1e3))

  it('is late by what was read before it in its turn of the loop', async () => {
    const meter = createMeter(createClock())
    const read = (ms: number): void => {
      meter.onRead()
      meter.onTokens(1)
      spin(ms)
    }
    read(5)
    read(10)
    read(0)
    await sleep(20)
    read(0)
    const [first = 9, fourth = 9, second = 0, third = 0] = lateOf(meter)
    expect([first, fourth]).toEqual([0, 0])
    expect(second).toBeGreaterThanOrEqual(4.9)
    expect(second).toBeLessThan(8)
    expect(third).toBeGreaterThanOrEqual(14.9)
    expect(third).toBeLessThan(20)
  })

  it('is late by the turn before too, where nothing was waited for in between', async () => {
    const meter = createMeter(createClock())
    meter.onRead()
    meter.onTokens(1)
    spin(10)
    await nextTurn() // the first turn has ended
    meter.onRead()
    meter.onTokens(1)
    const [first, second] = lateOf(meter)
    expect(first).toBe(0)
    expect(second).toBeGreaterThanOrEqual(9.9)
    expect(second).toBeLessThan(14)
  })

  it('is late by no more than the turn before, however long nothing was waited for', async () => {
    const meter = createMeter(createClock())
    for (let turn = 0; turn < 5; turn++) {
      meter.onRead()
      meter.onTokens(1)
      spin(10)
      await nextTurn()
    }
    const [first, ...others] = lateOf(meter)
    expect(first).toBe(0)
    expect(others).toHaveLength(4)
    expect(Math.min(...others)).toBeGreaterThanOrEqual(9.9)
    // Where the first turns end is not looked for: one read may be taken for late by both.
    expect(others.filter((ms) => ms > 14).length).toBeLessThanOrEqual(1)
    expect(Math.max(...others)).toBeLessThan(28)
  })

  it('brings tokens or not, one or several', () => {
    const meter = createMeter(createClock())
    meter.onRead()
    meter.onRead()
    meter.onTokens(1)
    meter.onTokens(1)
    meter.onRead()
    meter.onTokens(3)
    meter.onRead()
    meter.onTokens(1)
    expect(meter.counters()).toEqual({ events: 6, tokenReads: 3, sharedReads: 2, active: 0 })
  })
})

describe('a client that has others read for it', () => {
  const thread = (name: string, busy: number, lateMs: number, lagMs: number) => {
    const reads = new Float64Array(2_000)
    return {
      name,
      loop: (since?: object) => ({ idle: 0, active: 0, utilization: since === undefined ? 1 : busy }),
      lateReads: () => reads.slice(),
      beginLag: () => reads.set([100], (lateMs * 1e3) / LATE_STEP_US),
      lag: () => ({ p50: 0, p90: 0, p95: 0, p99: lagMs, max: lagMs }),
    }
  }
  const judged = async (...threads: ReturnType<typeof thread>[]) => {
    const health = createHealth(createClock(), { ...fakeClient(), threads: () => threads })
    health.begin()
    await sleep(50)
    return health.end()
  }

  it('is well when they are', async () => {
    const { saturated, workers, eventLoopLagMs } = await judged(
      thread('worker 1', 0.5, 1, 2),
      thread('worker 2', 0.4, 1, 3),
    )
    expect(saturated).toBe(false)
    expect(workers?.map(({ busy }) => busy)).toEqual([0.5, 0.4])
    expect(eventLoopLagMs?.p99).toBeGreaterThanOrEqual(3)
  })

  it('is saturated when one of them is, and says which', async () => {
    const well = thread('worker 1', 0.5, 1, 2)
    const { saturated, why } = await judged(well, thread('worker 2', 0.95, 1, 60))
    expect(saturated).toBe(true)
    expect(why).toEqual([
      'the event loop of worker 2 was busy 95 % of the time',
      'the event loop of worker 2 lagged 60 ms (p99)',
    ])
  })
})
