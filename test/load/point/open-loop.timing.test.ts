import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { measure } from '../../../src/load/index.ts'
import type { MeasureOptions } from '../../../src/load/options.ts'
import { readRecords } from '../../../src/store/index.ts'
import { type FakeTarget, startFakeTarget, streamed } from '../fake-target.ts'

const STALL_MS = 5_000
const RATE = 40

/** Answers at once, but for the 5 s that begin with its so-manyth request: what comes then waits until they are over. */
async function startStallingTarget(at: number): Promise<FakeTarget> {
  let overMs = 0
  const target = await startFakeTarget({
    answer: async (asked, response, request) => {
      if (target.asked.length === at) overMs = Date.now() + STALL_MS
      await sleep(Math.max(0, overMs - Date.now()))
      await streamed({ gapMs: 5 })(asked, response, request)
    },
  })
  return target
}

let target: FakeTarget
let folder = ''
beforeEach(async () => {
  target = await startStallingTarget(6 * RATE)
  folder = mkdtempSync(join(tmpdir(), 'twospeed-'))
})
afterEach(async () => {
  await target.close()
  rmSync(folder, { recursive: true })
})

const out = (): string => join(folder, 'run')
const run = (more: Partial<MeasureOptions>) =>
  measure({
    url: target.url,
    rates: [RATE],
    arrivalProcess: 'constant',
    durationS: 14,
    inputTokens: 20,
    outputTokens: 4,
    preflight: false,
    model: 'tiny',
    out: out(),
    ...more,
  })

describe('a server that stalls for 5 s, measured at a rate', () => {
  it('shows it in full, and its neighbours in time as well', async () => {
    const point = (await run({})).points[0]!
    expect(point.latency.ttftFromScheduledMs?.max).toBeGreaterThan(STALL_MS - 100)
    // 200 of about 560 requests met it, each a little less than the one before.
    expect(point.latency.ttftFromScheduledMs?.p99).toBeGreaterThan(STALL_MS - 500)
    expect(point.latency.ttftFromScheduledMs?.p90).toBeGreaterThan(STALL_MS - 2_500)
    expect(point.requests).toMatchObject({ failed: 0, dropped: 0 })
    expect(point.generator.why?.join() ?? '').not.toContain('may be in flight')
  }, 40_000)

  it('shows it as much when ten may be in flight, though few requests met it once sent', async () => {
    const { points, workload } = await run({ maxInFlight: 10 })
    const point = points[0]!
    expect(workload).toMatchObject({ loop: 'open', rates: [RATE], arrivals: { kind: 'constant' }, maxInFlight: 10 })
    expect(point.load).toEqual({ kind: 'rate', value: RATE })
    expect(point.latency.ttftFromScheduledMs?.max).toBeGreaterThan(STALL_MS - 100)
    expect(point.latency.ttftFromScheduledMs?.p99).toBeGreaterThan(STALL_MS - 500)
    expect(point.latency.ttftMs.p95).toBeLessThan(1_000)
    expect(point.window.reasons).toContain('generatorLate')
    expect(point.generator.why?.join()).toContain('one of the 10')
    let sent = 0
    for await (const { scheduledS, sentS } of readRecords(out())) {
      expect(sentS).toBeGreaterThanOrEqual(scheduledS!)
      sent++
    }
    expect(sent).toBeGreaterThan(14 * RATE)
  }, 40_000)
})

describe('a rate', () => {
  it('is kept, and what a timer is late by is a few milliseconds and does not add up', async () => {
    const quick = await startFakeTarget()
    try {
      const { points } = await run({ url: quick.url, rates: [200], durationS: 8 })
      const { requests, window, generator } = points[0]!
      const perSecond = requests.sent / (window.endS - window.startS)
      expect(Math.abs(perSecond / 200 - 1)).toBeLessThan(0.01)
      expect(generator.lateMs?.p50).toBeLessThan(5)
    } finally {
      await quick.close()
    }
  }, 40_000)
})
