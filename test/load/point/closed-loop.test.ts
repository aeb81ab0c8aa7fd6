import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createPointMetrics, createRandom, type Point } from '../../../src/core/index.ts'
import { type ClosedLoopPlan, createClosedLoop } from '../../../src/load/point/closed-loop.ts'
import { backoffS } from '../../../src/load/point/error-guard.ts'
import { type Played, type Playing, play as playLoop, type Service } from '../virtual-server.ts'

const play = (plan: ClosedLoopPlan, service: Service, playing?: Playing): Played =>
  playLoop(createClosedLoop(plan), service, playing)

const pointOf = ({ loop, records }: Played, concurrency: number): Point => {
  const metrics = createPointMetrics({ load: { kind: 'concurrency', value: concurrency }, window: loop.window() }, {})
  for (const record of records) metrics.add(record)
  return metrics.result()
}

const steady = (timeS: number) => () => ({ timeS })

describe('the closed loop', () => {
  it('holds its load: never more in flight, and as many from the start of the window to its end', () => {
    const played = play({ concurrency: 8, staggerS: 1 }, steady(1))
    expect(played.peak).toBe(8)
    expect(pointOf(played, 8).littlesLaw.inFlight).toBeCloseTo(8, 3)
  })

  it('spreads the first sends over the stagger', () => {
    const { sends } = play({ concurrency: 4, staggerS: 2 }, steady(10))
    expect(sends.slice(0, 4)).toEqual([0, 0.5, 1, 1.5])
  })

  it('opens and closes at sends, so that Little’s law closes for a lone user, exactly', () => {
    const random = createRandom(1)
    const played = play({ concurrency: 1, staggerS: 1 }, () => ({ timeS: 1 + 0.4 * random.next() }))
    const { startS, endS } = played.loop.window()
    expect(played.sends.some((s) => Math.abs(s - startS) < 3e-6)).toBe(true)
    expect(played.records.some((r) => Math.abs(r.endS - endS) < 3e-5)).toBe(true)
    const { littlesLaw } = pointOf(played, 1)
    expect(littlesLaw.residual).toBeCloseTo(0, 5)
    expect(littlesLaw.inFlight).toBeCloseTo(1, 4)
  })

  it('closes Little’s law within 5 % for any times in system and any load', () => {
    const loads = fc.record({
      seed: fc.nat(),
      concurrency: fc.integer({ min: 1, max: 24 }),
      spread: fc.double({ min: 0, max: 0.6, noNaN: true }),
    })
    fc.assert(
      fc.property(loads, ({ seed, concurrency, spread }) => {
        const random = createRandom(seed)
        const played = play({ concurrency, staggerS: 1 }, () => ({ timeS: 1 + spread * (random.next() - 0.5) }))
        const point = pointOf(played, concurrency)
        expect(point.window.reasons).toEqual([])
        expect(Math.abs(point.littlesLaw.residual ?? 1)).toBeLessThan(0.05)
      }),
      { numRuns: 60 },
    )
  })

  it('measures 30 s, or twenty turns where those take longer', () => {
    const { startS, endS } = play({ concurrency: 2, staggerS: 1 }, steady(1)).loop.window()
    expect(endS - startS).toBeGreaterThan(29.99999)
    expect(endS - startS).toBeLessThan(32)
    const slow = play({ concurrency: 2, staggerS: 5 }, steady(5)).loop.window()
    expect(slow.endS - slow.startS).toBeGreaterThan(99.99999)
    expect(slow.endS - slow.startS).toBeLessThan(106)
  })

  it('says so when the asked duration is shorter than that', () => {
    expect(play({ concurrency: 2, staggerS: 1, durationS: 10 }, steady(1)).loop.window().reasons).toEqual([
      'windowTooShort',
    ])
    expect(play({ concurrency: 2, staggerS: 1, durationS: 40 }, steady(1)).loop.window().reasons).toEqual([])
    expect(play({ concurrency: 1, staggerS: 1, durationS: 40 }, steady(3)).loop.window().reasons).toEqual([
      'windowTooShort',
    ])
  })

  it('holds the load until the last request begun inside the window has ended, and cancels only what began later', () => {
    // One request in fifty takes ten times as long.
    const played = play({ concurrency: 6, staggerS: 1 }, (n) => ({ timeS: n % 50 === 0 ? 10 : 1 }))
    const { startS, endS } = played.loop.window()
    const inside = played.records.filter((r) => r.sentS >= startS && r.sentS < endS)
    expect(inside.filter((r) => r.outcome === 'cancelled')).toEqual([])
    const last = Math.max(...inside.map((r) => r.endS))
    expect(last).toBeGreaterThan(endS)
    const cancelled = played.records.filter((r) => r.outcome === 'cancelled')
    expect(cancelled).toHaveLength(5)
    // At every instant until then all six were busy.
    const busy = (at: number): number => played.records.filter((r) => r.sentS <= at && r.endS > at).length
    for (let at = startS + 0.01; at < last; at += 0.37) expect(busy(at)).toBe(6)
  })

  it('opens the window only after the first slow requests', () => {
    const played = play({ concurrency: 4, staggerS: 1 }, (n) => ({ timeS: n <= 4 ? 6 : 1 }))
    const { startS, steady: isSteady } = played.loop.window()
    const slow = played.records.filter((r) => r.endS - r.sentS > 5)
    expect(startS).toBeGreaterThan(Math.max(...slow.map((r) => r.endS)))
    expect(isSteady).toBe(true)
  })

  it('begins the window anew where the speed changed within it, at most twice, and not where its length was asked for', () => {
    const slower = (_: number, __: number, nowS: number) => ({ timeS: nowS < 20 ? 1 : 1.3 })
    const once = play({ concurrency: 4, staggerS: 1 }, slower)
    const { startS, endS } = once.loop.window()
    expect(startS).toBeGreaterThan(30)
    expect(endS - startS).toBeGreaterThan(29.99999)
    expect(pointOf(once, 4).window).toMatchObject({ steady: true, reasons: [] })
    expect(pointOf(once, 4).littlesLaw.inFlight).toBeCloseTo(4, 3)

    const asked = play({ concurrency: 4, staggerS: 1, durationS: 30 }, slower)
    expect(asked.loop.window().startS).toBeLessThan(15)
    expect(pointOf(asked, 4).window.reasons).toEqual(['trend'])

    const everSlower = play({ concurrency: 4, staggerS: 1 }, (_, __, nowS) => ({
      timeS: 1 + Math.max(0, nowS - 10) / 60,
    }))
    expect(everSlower.loop.window().startS).toBeGreaterThan(60)
    expect(everSlower.loop.window().endS).toBeLessThan(150)
    expect(pointOf(everSlower, 4).window.reasons).toEqual(['trend'])
  })

  it('goes back to the whole window before, where the one begun anew is stopped', () => {
    const slower = (_: number, __: number, nowS: number) => ({ timeS: nowS < 20 ? 1 : 1.3 })
    const interrupt = { atS: 45, why: 'interrupted' }
    const { startS, endS } = play({ concurrency: 4, staggerS: 1 }, slower, {
      interrupt: { ...interrupt, atS: 200 },
    }).loop.window()
    expect(startS).toBeGreaterThan(30)
    expect(endS).toBeLessThan(200)

    const stopped = play({ concurrency: 4, staggerS: 1 }, slower, { interrupt })
    const window = stopped.loop.window()
    expect(window.startS).toBeLessThan(15)
    expect(window.endS).toBeLessThan(startS)
    expect(window.endS - window.startS).toBeGreaterThan(29.99999)
    expect(window.reasons).toEqual(['interrupted'])
    expect(pointOf(stopped, 4).window.reasons).toEqual(['interrupted', 'trend'])
  })

  it('gives up on a warm-up that does not end, and says so', () => {
    const played = play({ concurrency: 4, staggerS: 1 }, (n) => ({ timeS: 1 + n / 20 }))
    expect(played.loop.window().reasons).toContain('warmUpUnclear')
  })
})

describe('users who pause between an answer and the next request', () => {
  it('wait so long each time, and fewer are in flight: N·W/(W + think)', () => {
    const think = { meanS: 3, nextS: () => 3 }
    const played = play({ concurrency: 10, staggerS: 4, think }, steady(1))
    expect(played.peak).toBe(3)
    const { littlesLaw, window } = pointOf(played, 10)
    expect(littlesLaw.inFlight).toBeCloseTo(2.5, 2)
    expect(window.reasons).toEqual([])
  })

  it('are measured over twenty of their turns, pause included', () => {
    const think = { meanS: 9, nextS: () => 9 }
    const { startS, endS } = play({ concurrency: 5, staggerS: 10, think }, steady(1)).loop.window()
    expect(endS - startS).toBeGreaterThan(199.99)
  })

  it('leave L = λW closed where times and pauses vary', () => {
    for (let seed = 0; seed < 20; seed++) {
      const random = createRandom(seed)
      const think = { meanS: 2, nextS: () => -2 * Math.log(1 - random.next()) }
      const played = play({ concurrency: 4, staggerS: 3, think }, () => ({ timeS: 0.5 + random.next() }))
      expect(Math.abs(pointOf(played, 4).littlesLaw.residual ?? 1)).toBeLessThan(0.02)
    }
  })

  it('send so many requests and no more', () => {
    const think = { meanS: 1, nextS: () => 1 }
    const { sends, records, loop } = play({ concurrency: 3, requests: 60, staggerS: 1, think }, steady(1))
    expect(sends).toHaveLength(60)
    expect(records.every(({ outcome }) => outcome === 'ok')).toBe(true)
    expect(loop.window().endS).toBeGreaterThan(sends.at(-1)!)
  })
})

describe('a ramp', () => {
  it('brings the users one by one, and the window opens when all have been there for a while', () => {
    // Until all have come requests take long; a warm-up that listened to them would find no end.
    const played = play({ concurrency: 10, staggerS: 1, rampS: 60 }, (_, __, nowS) => ({
      timeS: nowS < 60 ? 3 - nowS / 30 : 1,
    }))
    const began = (user: number): number => played.sends.filter((s) => s <= user * 6).length
    expect(began(0)).toBe(1)
    const { startS, steady: isSteady } = played.loop.window()
    expect(startS).toBeGreaterThan(60)
    expect(startS).toBeLessThan(66)
    expect(isSteady).toBe(true)
  })
})

describe('a point of so many requests', () => {
  it('sends exactly those, warm-up included', () => {
    for (const [concurrency, requests] of [
      [1, 1],
      [1, 7],
      [4, 4],
      [4, 100],
    ] as const) {
      const { sends, records } = play({ concurrency, requests, staggerS: 0.5 }, steady(1))
      expect(sends).toHaveLength(requests)
      expect(records.every(({ outcome }) => outcome === 'ok')).toBe(true)
    }
  })

  it('closes the window when in flight falls below the load, that end inside', () => {
    const played = play({ concurrency: 4, requests: 100, staggerS: 1 }, steady(1))
    const { endS } = played.loop.window()
    const lastSend = Math.max(...played.sends)
    const firstAfter = Math.min(...played.records.map((r) => r.endS).filter((end) => end > lastSend + 1e-9))
    expect(endS).toBeCloseTo(firstAfter, 5)
    expect(endS).toBeGreaterThan(firstAfter)
  })

  it('has a window even where no warm-up could be found', () => {
    const one = play({ concurrency: 1, requests: 1, staggerS: 1 }, steady(1))
    const point = pointOf(one, 1)
    expect(point.requests).toMatchObject({ sent: 1, ok: 1 })
    expect(point.window.reasons).toEqual(expect.arrayContaining(['warmUpUnclear', 'windowTooShort']))
    // From the second round on, where there is one.
    const two = play({ concurrency: 2, requests: 6, staggerS: 1 }, steady(1))
    expect(two.loop.window().startS).toBeCloseTo(1.5, 3)
  })
})

describe('a target that fails', () => {
  it('is asked less and less: 0.1 s, doubling to 5 s', () => {
    expect([0, 1, 2, 3, 6, 7, 20].map(backoffS)).toEqual([0, 0.1, 0.2, 0.4, 3.2, 5, 5])
    const { sends } = play({ concurrency: 1, requests: 5, staggerS: 0 }, () => ({ timeS: 0, failed: true }))
    const gaps = sends.slice(1).map((s, i) => s - (sends[i] ?? 0))
    expect(gaps.map((gap) => Number(gap.toFixed(3)))).toEqual([0.1, 0.2, 0.4, 0.8])
  })

  it('stops the point when over half of the last twenty failed', () => {
    const played = play({ concurrency: 1, staggerS: 0, durationS: 100 }, (n) => ({ timeS: 0.1, failed: n > 100 }))
    expect(played.loop.window().reasons).toContain('errorShare')
    expect(played.records.filter((r) => r.outcome === 'failed')).toHaveLength(11)
  })

  it('stops a higher load when over half of as many as its users failed', () => {
    const played = play({ concurrency: 64, staggerS: 0.1 }, () => ({ timeS: 0.1, failed: true }))
    expect(played.records.filter((r) => r.outcome === 'failed')).toHaveLength(33)
  })

  it('goes on while half or fewer fail, and never sends a failed request again', () => {
    const played = play({ concurrency: 4, requests: 400, staggerS: 0.1 }, (n) => ({ timeS: 0.1, failed: n % 3 === 0 }))
    expect(played.loop.window().reasons).not.toContain('errorShare')
    expect(played.sends).toHaveLength(400)
    expect(new Set(played.records.map((r) => r.id)).size).toBe(400)
  })
})

describe('a run that is halted', () => {
  it('keeps the window up to the last send', () => {
    const played = play({ concurrency: 2, staggerS: 1 }, steady(1), { interrupt: { atS: 20.25, why: 'interrupted' } })
    const { startS, endS, reasons } = played.loop.window()
    expect(reasons).toEqual(expect.arrayContaining(['interrupted', 'windowTooShort']))
    expect(endS).toBeCloseTo(20, 2)
    expect(endS - startS).toBeGreaterThan(10)
    expect(Math.abs(pointOf(played, 2).littlesLaw.residual ?? 1)).toBeLessThan(0.06)
  })

  it('keeps what there is of a warm-up, and of a single request', () => {
    const early = play({ concurrency: 2, staggerS: 1 }, steady(1), { interrupt: { atS: 2.25, why: 'timeLimit' } })
    expect(early.loop.window().reasons).toEqual(expect.arrayContaining(['timeLimit', 'warmUpUnclear']))
    const first = play({ concurrency: 1, staggerS: 1 }, steady(60), { interrupt: { atS: 5, why: 'interrupted' } })
    expect(first.loop.window()).toMatchObject({ startS: 0, endS: 5 })
    expect(pointOf(first, 1).requests).toMatchObject({ sent: 1, cancelled: 1 })
  })

  it('has a window with length at whatever moment it is halted', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.001, max: 60, noNaN: true }),
        fc.integer({ min: 1, max: 8 }),
        (atS, concurrency) => {
          const played = play({ concurrency, staggerS: 1 }, steady(1), { interrupt: { atS, why: 'interrupted' } })
          const { startS, endS } = played.loop.window()
          expect(endS).toBeGreaterThan(startS)
          expect(endS).toBeLessThanOrEqual(Math.max(atS, startS) + 2e-6)
          pointOf(played, concurrency)
        },
      ),
    )
  })
})
