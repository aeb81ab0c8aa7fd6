import { describe, expect, it } from 'vitest'
import { type ArrivalPlan, arrivalsOf, createPointMetrics, createRandom, type Point } from '../../../src/core/index.ts'
import type { Turn } from '../../../src/load/point/loop.ts'
import { createOpenLoop, type OpenLoopPlan } from '../../../src/load/point/open-loop.ts'
import { type Played, type Playing, play, recordOf, type Service } from '../virtual-server.ts'

const ALL = 65_000

function playRate(
  rate: number,
  service: Service,
  more: Partial<OpenLoopPlan> & { readonly process?: ArrivalPlan['process']; readonly seed?: number } = {},
  playing: Playing = {},
): Played {
  const { process = { kind: 'poisson' }, seed = 1, ...plan } = more
  const { rampS } = plan
  const arrivals = arrivalsOf({ process, rate, seed, ...(rampS !== undefined && { rampS }) })
  return play(createOpenLoop({ arrivals, rate, maxInFlight: ALL, ...plan }), service, playing)
}

function playTrace(times: readonly number[], service: Service, more: Partial<OpenLoopPlan> = {}): Played {
  const rate = times.length / Math.max(1, times.at(-1) ?? 0)
  const plan = { arrivals: times.values(), rate, requests: times.length, maxInFlight: ALL, isTrace: true, ...more }
  return play(createOpenLoop(plan), service)
}

const pointOf = ({ loop, records }: Played, kind: 'rate' | 'trace' = 'rate'): Point => {
  const metrics = createPointMetrics({ load: { kind, value: 1 }, window: loop.window() }, {})
  for (const record of records) metrics.add(record)
  return metrics.result()
}

/** Times in system about 1 s, each its own. */
function varied(seed: number): Service {
  const random = createRandom(`${seed}/service`)
  return () => ({ timeS: 0.5 + random.next() })
}

/** So many at once, one after the other where more come: each takes a second. */
function places(count: number): Service {
  const freeS = Array.from({ length: count }, () => 0)
  return (_, __, nowS) => {
    const first = freeS.indexOf(Math.min(...freeS))
    const endS = Math.max(nowS, freeS[first] ?? 0) + 1
    freeS[first] = endS
    return { timeS: endS - nowS }
  }
}

describe('the open loop', () => {
  it('sends when the schedule says, whatever became of the requests before', () => {
    const slow = playRate(5, () => ({ timeS: 4 }), { durationS: 30 })
    const quick = playRate(5, () => ({ timeS: 0.1 }), { durationS: 30 })
    const both = Math.min(slow.sends.length, quick.sends.length)
    expect(both).toBeGreaterThan(150)
    expect(slow.sends.slice(0, both).map((s) => s.toFixed(4))).toEqual(
      quick.sends.slice(0, both).map((s) => s.toFixed(4)),
    )
    expect(slow.records.every(({ scheduledS, sentS }) => Math.abs(sentS - (scheduledS ?? 0)) < 1e-4)).toBe(true)
  })

  it('holds L = λW where L is the rate times the time in system, at any load and burstiness', () => {
    for (const [rate, burstiness] of [
      [0.5, 1],
      [2, 0.3],
      [2, 1],
      [20, 0.5],
      [20, 5],
    ] as const) {
      for (let seed = 0; seed < 8; seed++) {
        const played = playRate(rate, varied(seed), { process: { kind: 'gamma', burstiness }, seed })
        const { littlesLaw, window } = pointOf(played)
        expect(window.reasons).toEqual([])
        expect(Math.abs(littlesLaw.residual ?? 1)).toBeLessThan(0.045)
        expect(littlesLaw.timeInSystemS).toBeCloseTo(1, 0)
      }
    }
  })

  it('measures 30 s, or twenty times in system, or twenty arrivals where those take longer; and a quarter more at most', () => {
    const lengthOf = (played: Played): number => {
      const { startS, endS } = played.loop.window()
      return endS - startS
    }
    for (const [played, leastS] of [
      [playRate(10, () => ({ timeS: 0.5 })), 30],
      [playRate(10, () => ({ timeS: 5 })), 100],
      [playRate(0.2, () => ({ timeS: 0.5 })), 100],
    ] as const) {
      expect(lengthOf(played)).toBeGreaterThan(leastS - 0.001)
      expect(lengthOf(played)).toBeLessThan(1.25 * leastS + 15)
    }
    const short = playRate(10, () => ({ timeS: 0.5 }), { durationS: 5 }).loop.window()
    expect(short.reasons).toEqual(['windowTooShort'])
  })

  it('opens when as many are in flight as ever will be', () => {
    const played = playRate(10, () => ({ timeS: 6 }), { process: { kind: 'constant' } })
    const { startS } = played.loop.window()
    expect(startS).toBeGreaterThan(12)
    expect(startS).toBeLessThan(18.5)
    expect(pointOf(played).littlesLaw.inFlight).toBeCloseTo(60, 1)
  })

  it('holds the load until the last request begun inside has ended', () => {
    const played = playRate(10, (n) => ({ timeS: n % 40 === 0 ? 8 : 0.5 }), { process: { kind: 'constant' } })
    const { startS, endS } = played.loop.window()
    const inside = played.records.filter(({ sentS }) => sentS >= startS && sentS < endS)
    expect(inside.filter(({ outcome }) => outcome === 'cancelled')).toEqual([])
    const lastS = Math.max(...inside.map((record) => record.endS))
    expect(lastS).toBeGreaterThan(endS + 3.9)
    expect(played.sends.at(-1)).toBeGreaterThan(lastS - 0.2)
  })

  it('waits for the ramp, and what is sent before says nothing of the load', () => {
    const played = playRate(10, (_, __, nowS) => ({ timeS: nowS < 40 ? 3 : 1 }), { rampS: 40 })
    const sentBy = (s: number): number => played.sends.filter((sent) => sent < s).length
    expect(sentBy(20) / sentBy(40)).toBeCloseTo(0.25, 1)
    const { startS, reasons } = played.loop.window()
    expect(startS).toBeGreaterThan(41)
    expect(startS).toBeLessThan(55)
    expect(reasons).toEqual([])
  })

  it('stops when over half of the requests of a second fail, and keeps its records', () => {
    const played = playRate(100, (n) => ({ timeS: 0.1, failed: n > 1000 }), { durationS: 60 })
    expect(played.loop.window().reasons).toContain('errorShare')
    expect(played.records.filter(({ outcome }) => outcome === 'failed')).toHaveLength(51)
    const healthy = playRate(100, (n) => ({ timeS: 0.1, failed: n % 3 === 0 }), { durationS: 30 })
    expect(healthy.loop.window().reasons).not.toContain('errorShare')
  })

  it('keeps the window up to the last send when it is halted', () => {
    const interrupt = { atS: 25, why: 'interrupted' }
    const { loop, sends } = playRate(4, () => ({ timeS: 1 }), {}, { interrupt })
    const { startS, endS, reasons } = loop.window()
    expect(reasons).toEqual(expect.arrayContaining(['interrupted', 'windowTooShort']))
    expect(endS).toBeCloseTo(sends.at(-1)!, 4)
    expect(endS - startS).toBeGreaterThan(10)
  })
})

describe('a server that cannot serve the rate', () => {
  it('is said to be overloaded: in flight grows through the window', () => {
    for (const rate of [10, 16]) {
      const { reasons } = playRate(rate, places(8), { durationS: 40 }).loop.window()
      expect(reasons).toContain('overloaded')
    }
  })

  it('is not said to be where it can, however the number in flight goes up and down', () => {
    let wrong = 0
    for (let seed = 0; seed < 40; seed++) {
      for (const rate of [1, 4, 6]) {
        if (playRate(rate, places(8), { seed }).loop.window().reasons.includes('overloaded')) wrong++
      }
    }
    expect(wrong).toBe(0)
  })
})

describe('a server whose step takes a + b·B', () => {
  /** Every request of 100 tokens, all that are in flight one token a step: the more come, the longer each stays. */
  function playBatch(rate: number, { a, b, seed }: { readonly a: number; readonly b: number; readonly seed: number }) {
    const plan = { arrivals: arrivalsOf({ process: { kind: 'poisson' }, rate, seed }), rate, maxInFlight: ALL }
    const loop = createOpenLoop(plan)
    const running: { readonly id: string; readonly turn: Turn; readonly sentS: number; readonly doneAt: number }[] = []
    let nowS = 0
    let steps = 0
    let sent = 0
    while (!loop.over()) {
      const dueS = loop.dueS() ?? Number.POSITIVE_INFINITY
      const stepS = a + b * running.length
      const [first] = running
      const endS = first === undefined ? Number.POSITIVE_INFINITY : nowS + (first.doneAt - steps) * stepS
      steps += (Math.min(endS, dueS) - nowS) / stepS
      nowS = Math.min(endS, dueS)
      if (first !== undefined && endS <= dueS) {
        running.shift()
        loop.ended(first.turn, recordOf(first.id, first.sentS, nowS), nowS)
      } else {
        const id = String(++sent)
        const turn = loop.take(id, nowS)
        if (turn !== undefined) running.push({ id, turn, sentS: nowS, doneAt: steps + 100 })
      }
    }
    return { window: loop.window(), meanS: loop.meanTimeInSystemS() ?? 0 }
  }

  it('settles where it has room, and the time in system is what the law says: W = N·a / (1 − rate·N·b)', () => {
    const played = Array.from({ length: 20 }, (_, seed) => playBatch(28, { a: 0.01, b: 0.00015625, seed }))
    for (const { window } of played) expect(window.reasons).toEqual([])
    const meanS = played.reduce((sum, one) => sum + one.meanS, 0) / played.length
    expect(Math.abs(meanS / (1 / (1 - 28 * 0.015625)) - 1)).toBeLessThan(0.05)
  })

  it('is overloaded where the rate times N·b is over 1', () => {
    for (let seed = 0; seed < 5; seed++) {
      expect(playBatch(12, { a: 0.01, b: 0.001, seed }).window.reasons).toContain('overloaded')
    }
  })
})

describe('a server that stalls for 5 s', () => {
  /** Nothing that comes in these 5 s is answered before they are over. */
  const stalling: Service = (_, __, nowS) => {
    const stallS = nowS >= 20 && nowS < 25 ? 25 - nowS : 0
    return { timeS: stallS + 0.2, firstS: stallS + 0.1 }
  }
  const due = { process: { kind: 'constant' }, durationS: 30 } as const

  it('shows it in full: one in six requests felt some of it, the first of them all', () => {
    const { latency, window } = pointOf(playRate(20, stalling, due))
    expect(latency.ttftFromScheduledMs?.max).toBeCloseTo(5100, -2)
    expect(latency.ttftFromScheduledMs?.p90).toBeGreaterThan(1500)
    expect(latency.ttftFromScheduledMs?.p50).toBeLessThan(150)
    expect(window.reasons).toEqual([])
  })

  it('shows it as much when only few may be in flight, from the moment they were due', () => {
    const free = playRate(20, stalling, due)
    const bound = playRate(20, stalling, { ...due, maxInFlight: 8 })
    expect(bound.peak).toBe(8)
    const felt = (played: Played) => pointOf(played).latency.ttftFromScheduledMs ?? {}
    // What waited is sent eight at a time when the stall is over: nobody waits less than with connections for all.
    for (const key of ['max', 'p99', 'p90'] as const) expect(felt(bound)[key]).toBeGreaterThanOrEqual(felt(free)[key]!)
    expect(felt(bound).p99).toBeGreaterThan(4000)
    // From sending it would look as if eight requests had met it.
    expect(bound.records.filter((record) => record.endS - record.sentS > 1)).toHaveLength(8)
    expect(pointOf(bound).latency.ttftMs.p95).toBeLessThan(200)
    expect(bound.loop.window().reasons).toContain('generatorLate')
    expect(bound.loop.scheduleFault()).toMatchObject({ saturated: false, why: expect.stringContaining('of the 8') })
    expect(free.loop.scheduleFault()).toBeUndefined()
  })
})

describe('a schedule that is not kept', () => {
  it('is made up for at once when the client wakes, and the point says that it was late', () => {
    const asleep = { fromS: 20, untilS: 23 }
    const played = playRate(10, () => ({ timeS: 0.5 }), { process: { kind: 'constant' }, durationS: 30 }, { asleep })
    expect(played.sends.filter((s) => s > 20 && s < 23)).toEqual([])
    expect(played.sends.filter((s) => s >= 23 && s < 23.001).length).toBeGreaterThan(28)
    expect(played.loop.window().reasons).toContain('generatorLate')
    expect(played.loop.scheduleFault()).toMatchObject({ saturated: true })
    expect(pointOf(played).generator.lateMs?.max).toBeGreaterThan(2800)
    // And none after is late: the schedule is absolute.
    expect(played.records.filter(({ scheduledS = 0, sentS }) => sentS > 23.2 && sentS - scheduledS > 1e-3)).toEqual([])
  })

  it('gives up what is over 10 s late, and counts it', () => {
    const asleep = { fromS: 20, untilS: 35.05 }
    const played = playRate(10, () => ({ timeS: 0.5 }), { process: { kind: 'constant' }, durationS: 60 }, { asleep })
    const dropped = played.records.filter(({ outcome }) => outcome === 'dropped')
    expect(dropped).toHaveLength(51)
    expect(dropped.every(({ scheduledS = 0, sentS }) => sentS - scheduledS > 10)).toBe(true)
    expect(pointOf(played).requests.dropped).toBe(51)
  })

  it('ends the point once the client is hopelessly behind, and only then', () => {
    // 8 000 and 24 000 requests are due meanwhile.
    const asleep = { fromS: 3, untilS: 5 }
    const short = { requests: 20_000, process: { kind: 'constant' } } as const
    const behind = playRate(4_000, () => ({ timeS: 0.01 }), short, { asleep })
    expect(behind.records).toHaveLength(20_000)
    expect(behind.loop.window().reasons).toContain('generatorLate')
    const lost = playRate(12_000, () => ({ timeS: 0.01 }), { ...short, requests: 60_000 }, { asleep })
    expect(lost.sends.at(-1)).toBeLessThanOrEqual(3)
    expect(lost.loop.window().reasons).toContain('generatorLate')
    expect(lost.loop.scheduleFault()).toMatchObject({
      saturated: true,
      why: expect.stringMatching(/^about 2\d{4} requests/),
    })
  })

  it('is lost just so by a thread that sends late what was handed to it, and not by slow connections', () => {
    const loopOf = (connectMs: number) => {
      const loop = createOpenLoop({
        arrivals: arrivalsOf({ process: { kind: 'constant' }, rate: 12_000, seed: 1 }),
        rate: 12_000,
        maxInFlight: ALL,
      })
      const turn = loop.take('a', 0.001)
      loop.ended(turn!, { ...recordOf('a', 2.001, 2.1), connectMs }, 2.1)
      return loop
    }
    expect(loopOf(3).over()).toBe(true)
    expect(loopOf(3).window().reasons).toContain('generatorLate')
    expect(loopOf(1900).over()).toBe(false)
  })

  it('is not the fault of the client where all connections are taken', () => {
    const stalled: Service = (_, __, nowS) => ({ timeS: nowS < 1 ? 9 : 0.001 })
    const played = playRate(4_000, stalled, { process: { kind: 'constant' }, requests: 40_000, maxInFlight: 100 })
    expect(played.records).toHaveLength(40_000)
    expect(played.loop.scheduleFault()).toMatchObject({ saturated: false })
  })

  it('gives up what finds no connection for 10 s', () => {
    const played = playRate(10, () => ({ timeS: 1 }), { process: { kind: 'constant' }, durationS: 300, maxInFlight: 5 })
    const { requests, window } = pointOf(played)
    expect(played.peak).toBe(5)
    // Half of what is due is served.
    expect(requests.dropped / (requests.dropped + requests.sent)).toBeCloseTo(0.5, 1)
    expect(window.reasons).toContain('generatorLate')
  })
})

describe('so many requests of a rate', () => {
  it('are sent and no more, and the window closes when the next would have been due', () => {
    const played = playRate(10, () => ({ timeS: 1 }), { process: { kind: 'constant' }, requests: 500 })
    expect(played.sends).toHaveLength(500)
    expect(played.records.every(({ outcome }) => outcome === 'ok')).toBe(true)
    expect(played.loop.window().endS).toBeCloseTo(50.1, 5)
    expect(played.loop.window().reasons).toEqual([])
  })
})

describe('a trace', () => {
  const times = Array.from({ length: 400 }, (_, i) => i / 10 + (i % 7) / 100)

  it('is measured whole: every request of it, from the first to the last', () => {
    const played = playTrace(times, varied(1))
    const point = pointOf(played, 'trace')
    expect(point.requests).toMatchObject({ sent: 400, ok: 400 })
    expect(point.window.startS).toBeCloseTo(0, 4)
    expect(point.window.endS).toBeCloseTo(times.at(-1)!, 4)
    expect(point.window.reasons).toEqual([])
    expect(point.intervals?.outputTokensPerSecond).toBeDefined()
    expect(played.records.map(({ scheduledS }) => scheduledS).sort((a, b) => a! - b!)).toEqual(
      times.map((time) => Math.floor(time * 1e6) / 1e6),
    )
  })

  it('that ends before 20 times in system have passed is too short', () => {
    expect(playTrace(times, () => ({ timeS: 4 })).loop.window().reasons).toContain('windowTooShort')
  })

  it('shorter than a few times in system says that and nothing of the server', () => {
    const burst = Array.from({ length: 200 }, (_, i) => i * 0.0035)
    const point = pointOf(
      playTrace(burst, () => ({ timeS: 5.4 })),
      'trace',
    )
    expect(point.window.reasons).toEqual(['windowTooShort'])
    expect(point.intervals).toBeUndefined()
    // The same trace, where requests are soon done: not a burst to this server.
    const quick = playTrace(burst, () => ({ timeS: 0.01 }))
    expect(quick.loop.window().reasons).toEqual(['windowTooShort'])
  })

  it('that brings more than is served is overloaded, though its requests stay as long as it lasts', () => {
    const reasons = (count: number) => playTrace(times, places(count)).loop.window().reasons
    expect(reasons(4)).toContain('overloaded')
    expect(reasons(1)).toContain('overloaded')
    expect(reasons(14)).toEqual([])
  })

  it('reaches to its last request, however long that took to find a connection', () => {
    const loop = createOpenLoop({ arrivals: [0, 40].values(), rate: 1, requests: 2, maxInFlight: ALL, isTrace: true })
    const turns = [loop.take('a', 0), loop.take('b', 40)]
    expect(loop.phase()).toBe('hold')
    loop.ended(turns[1]!, recordOf('b', 40.25, 41), 41)
    expect(loop.window().endS).toBeCloseTo(40.250001, 7)
    loop.ended(turns[0]!, recordOf('a', 0.5, 42), 42)
    expect(loop.window().endS).toBeCloseTo(40.250001, 7)
    expect(loop.over()).toBe(true)
  })

  it('of one request has a window too', () => {
    const point = pointOf(
      playTrace([0], () => ({ timeS: 1 })),
      'trace',
    )
    expect(point.requests).toMatchObject({ sent: 1, ok: 1 })
  })
})
