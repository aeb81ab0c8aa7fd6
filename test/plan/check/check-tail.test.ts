import { describe, expect, it } from 'vitest'
import { createRandom, type Plan, type Product, type Random } from '../../../src/core/index.ts'
import type { ComingRequests } from '../../../src/plan/check/demand-of.ts'
import { checkTail, unitOfEvidence, withCheck } from '../../../src/plan/check/index.ts'
import { look, type Subject } from '../../../src/plan/check/look.ts'
import { shareOf } from '../../../src/plan/check/share-interval.ts'
import { type Demand, evidenceOfPoints, evidenceOfRows, plan } from '../../../src/plan/index.ts'
import { enginePolicy, lawStepTime } from '../../../src/sim/index.ts'

const lesson = evidenceOfRows(
  [20, 40, 60, 80].map((concurrency) => ({
    concurrency,
    outputTokensPerSecond: concurrency / (0.005 + 0.00025 * concurrency),
    ttftMs: 60 + concurrency,
  })),
  { gpus: 2 },
)
const product: Product = { name: 'own', goal: 'pace', tokensPerSecond: 50, ttftMs: 300 }
const lengths = { inputTokens: 500, outputTokens: 300 }
const unit = unitOfEvidence(lesson, { input: 500, output: 300 })
const planned = (demand: Demand, of: Product = product): Plan => plan(lesson, of, { ...lengths, ...demand })
const subject = (limits: Subject['limits']): Subject => ({
  unit: unit ?? { pools: [] },
  lengths: { input: { kind: 'fixed', tokens: 500 }, output: { kind: 'fixed', tokens: 300 } },
  limits,
})
const coming = (arrivalsPerSecond: number, stayS: number): ComingRequests => ({
  arrivalsPerSecond,
  stayS,
  inFlight: arrivalsPerSecond * stayS,
})

describe('a look at a fleet, against what is known of queues', () => {
  /** Steps of 10 ms whatever is in them. */
  const evenly = (places: number): Subject => ({
    unit: {
      pools: [
        {
          name: 'server',
          role: 'both',
          replicas: 1,
          dataParallel: 1,
          policy: enginePolicy({ maxNumSeqs: places }),
          stepTime: lawStepTime({ baseS: 0.01, perSequenceS: 0 }),
        },
      ],
    },
    lengths: { input: { kind: 'fixed', tokens: 1 }, output: { kind: 'fixed', tokens: 50 } },
    limits: { ttftMs: 310 },
  })

  it('one place is M/D/1: of its waits (1 − ρ)·e^(λt) are no longer than t < S', () => {
    // S = 0.5 s, λ = 1.4/s, so ρ = 0.7; 0.3 s of wait and a step of 10 ms.
    const { share, interval } = look(evenly(1), coming(1.4, 1.3), 1)
    const known = 0.3 * Math.exp(1.4 * 0.3)
    expect(interval.low).toBeLessThan(known)
    expect(interval.high).toBeGreaterThan(known)
    expect(Math.abs(share - known)).toBeLessThan(0.06)
  })

  it('places for all are M/G/∞: λ·S are in flight, whatever comes', () => {
    const { inFlight, residual, share } = look(evenly(1000), coming(20, 0.5), 1)
    // Who comes in the middle of a step waits for its end: half a step more.
    expect(inFlight).toBeGreaterThan(20 * 0.5 * 0.95)
    expect(inFlight).toBeLessThan(20 * 0.51 * 1.05)
    expect(Math.abs(residual)).toBeLessThan(0.02)
    expect(share).toBe(1)
  })

  it('more than it can answer is overload, and less is not', () => {
    expect(look(evenly(1), coming(3, 0.5), 1).overloaded).toBe(true)
    expect(look(evenly(1), coming(1, 0.5), 1).overloaded).toBe(false)
  })

  it('users who pause ask as often as U / (W + Z)', () => {
    const seen = look(evenly(1000), { ...coming(40 / 2.5, 0.5), users: 40, thinkS: 2 }, 1)
    expect(seen.arrivalsPerSecond / (40 / 2.505)).toBeCloseTo(1, 1)
    expect(seen.inFlight / ((40 * 0.505) / 2.505)).toBeCloseTo(1, 1)
  })
})

describe('a slice of a large fleet', () => {
  it('has the figures of a whole one with as many in flight in each replica', () => {
    const whole = look(subject(product), coming(33.75, 5.4), 4)
    const slice = look(subject(product), coming(270, 5.4), 32)
    expect(whole.slice).toBeUndefined()
    expect(slice.slice?.of).toBe(32)
    expect(slice.inFlight / 32 / (whole.inFlight / 4)).toBeCloseTo(1, 1)
    // The larger has less of chance: nine in ten are no slower.
    expect(slice.p10TokensPerSecond).toBeGreaterThan((whole.p10TokensPerSecond ?? 0) * 0.98)
    expect(slice.p10TokensPerSecond).toBeLessThan((whole.p10TokensPerSecond ?? 0) * 1.1)
  })
})

describe('the interval of a share', () => {
  const drawn = (seed: number, stretch: number): Uint8Array => {
    const random = createRandom(seed)
    let good = 0
    return Uint8Array.from({ length: 4000 }, (_, i) => {
      if (i % stretch === 0) good = random.next() < 0.8 ? 1 : 0
      return good
    })
  }
  const judged = (good: Uint8Array, margin = 0) => ({ good, margins: new Float64Array(good.length).fill(margin) })

  it.each([1, 50])('holds the share nineteen times in twenty, also where %d in a row have one luck', (stretch) => {
    let held = 0
    for (let seed = 0; seed < 100; seed++) {
      const runs = [judged(drawn(2 * seed, stretch)), judged(drawn(2 * seed + 1, stretch))]
      const { interval } = shareOf(runs, 4 * stretch)
      if (interval.low <= 0.8 && 0.8 <= interval.high) held++
    }
    expect(held).toBeGreaterThanOrEqual(90)
  })

  /** Of a standard normal distribution. */
  const normal = (random: Random): number =>
    Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())

  /** Of deviation 1 too, and mostly a little above its mean 0, but now and then far below: no more than −x with probability e^−(x + 1). */
  const skewed = (random: Random): number => 1 + Math.log(1 - random.next())

  /** Margins of mean m and deviation 1, of which such a part is what all have in common who are in flight together, 50 of them. */
  const margined = (seed: number, m: number, common: number, draw = normal): ReturnType<typeof judged> => {
    const random = createRandom(seed)
    let level = 0
    const margins = Float64Array.from({ length: 400 }, (_, i) => {
      if (i % 50 === 0) level = Math.sqrt(common) * draw(random)
      return m + level + Math.sqrt(1 - common) * draw(random)
    })
    return { good: Uint8Array.from(margins, (margin) => (margin >= 0 ? 1 : 0)), margins }
  }

  it.each([
    { m: 2, draw: normal, truth: 0.97725 },
    { m: 3, draw: normal, truth: 0.99865 },
    { m: 1.5, draw: skewed, truth: 1 - Math.exp(-2.5) },
    { m: 3, draw: skewed, truth: 1 - Math.exp(-4) },
  ])('of runs in which none missed holds the truth too: margins $m deviations above 0', ({ m, draw, truth }) => {
    let [all, held] = [0, 0]
    for (let seed = 0; seed < 300; seed++) {
      const { share, interval } = shareOf([margined(2 * seed, m, 1, draw), margined(2 * seed + 1, m, 1, draw)], 50)
      if (share < 1) continue
      all++
      if (interval.low <= truth) held++
    }
    expect(all).toBeGreaterThan(50)
    expect(held / all).toBeGreaterThanOrEqual(0.95)
  })

  it('is narrow where all were good by far, and wide where they were so only just', () => {
    const lowOf = (m: number): number => {
      for (let seed = 0; ; seed++) {
        const { share, interval } = shareOf([margined(2 * seed, m, 0.95), margined(2 * seed + 1, m, 0.95)], 50)
        if (share === 1) return interval.low
      }
    }
    expect(lowOf(8)).toBeGreaterThan(0.95)
    expect(lowOf(2)).toBeLessThan(0.9)
    const good = new Uint8Array(1000).fill(1)
    expect(shareOf([judged(good, 0)], 100).interval.low).toBeLessThan(0.8)
    expect(shareOf([judged(good, 0)], 1).interval.low).toBeGreaterThan(0.99)
    for (const margin of [0.1, 0.2, 0.3, Math.LN2]) {
      for (const count of [997, 1000, 1200, 1201]) {
        const { low, high } = shareOf([judged(new Uint8Array(count).fill(1), margin)], 1e-8).interval
        expect(low).toBeGreaterThan(0.99)
        expect(high).toBe(1)
      }
    }
    // Never surer than as many requests apart.
    expect(shareOf([judged(good, 0.5)], 100).interval.low).toBeCloseTo(1 - 3 / 1000, 9)
  })

  it('holds its estimate, also of all and of none, where rounding would leave it out', () => {
    for (let count = 40; count < 400; count += 7) {
      for (const value of [0, 1]) {
        const { share, interval } = shareOf([judged(new Uint8Array(count).fill(value), value - 0.5)], count / 9)
        expect(share).toBe(value)
        expect(interval.low).toBeLessThanOrEqual(share)
        expect(interval.high).toBeGreaterThanOrEqual(share)
      }
    }
  })
})

describe('the check of a plan', () => {
  it('finds the fewest that hold the share: they do, and one fewer does not', () => {
    const made = planned({ arrivalsPerSecond: 40 }, { ...product, share: 0.95, tokensPerSecond: 50 })
    const tight = { ...made, replicas: 1, replicasAtPeak: 1 }
    const check = checkTail(tight, { unit })
    if (check.kind !== 'tail' || check.replicas === undefined) throw new Error('nothing was found')
    expect(check.mean.holds).toBe(false)
    const at = (units: number): number => look(subject(product), coming(40, made.timeInSystemS ?? 0), units).share
    expect(at(check.replicas)).toBeGreaterThanOrEqual(0.95)
    expect(at(check.replicas - 1)).toBeLessThan(0.95)
    const merged = withCheck(tight, check)
    expect(merged.replicasAtPeak).toBe(check.replicas)
    expect(merged.arithmetic).toEqual([...tight.arithmetic, ...check.sentences])
  })

  it('more replicas never hold for fewer, a higher floor never takes fewer', () => {
    const shares = [4, 5, 6, 8].map((units) => look(subject(product), coming(40, 5.4), units).share)
    // Apart from the noise of what so few requests say.
    for (const [i, share] of shares.entries()) expect(share).toBeGreaterThan((shares[i - 1] ?? 0) - 0.01)
    expect(shares[0]).toBeLessThan(0.5)
    expect(shares.at(-1)).toBeGreaterThan(0.99)
    const found = [40, 60, 80].map((tokensPerSecond) => {
      const check = checkTail(planned({ arrivalsPerSecond: 40 }, { ...product, tokensPerSecond }), { unit })
      return check.kind === 'tail' ? (check.replicas ?? Number.POSITIVE_INFINITY) : 0
    })
    expect(found).toEqual(found.toSorted((a, b) => a - b))
  })

  it('a plan with enough keeps its peak, and its price', () => {
    const made = planned({ arrivalsPerSecond: 40, headroom: 1, gpuHour: 2 })
    const merged = withCheck(made, checkTail(made, { unit }))
    expect(merged.replicasAtPeak).toBe(made.replicasAtPeak)
    expect(merged.cost).toEqual(made.cost)
  })

  it('measured waits that the simulation knows nothing of are told, where a wait is asked for', () => {
    const made = planned({ arrivalsPerSecond: 40 })
    const check = checkTail(made, { unit })
    const simulatedMs = check.kind === 'tail' ? check.mean.ttftMs.p50 : 0
    expect(simulatedMs).toBeGreaterThan(0)
    const toldWith = (ttftMs: number, limits: Product = product): string =>
      checkTail({ ...made, product: limits, perReplica: { ...made.perReplica, ttftMs } }, { unit }).sentences.join(' ')
    expect(toldWith(20 * simulatedMs)).toContain('to the first token were measured, and here it takes')
    expect(toldWith(1.2 * simulatedMs)).not.toContain('were measured')
    const { ttftMs: _, ...ofPace } = product
    expect(toldWith(20 * simulatedMs, ofPace)).not.toContain('were measured')
  })

  it('a peak that is raised costs as much more', () => {
    const made = { ...planned({ arrivalsPerSecond: 40, gpuHour: 2 }), replicas: 1, replicasAtPeak: 1, gpusAtPeak: 2 }
    const merged = withCheck(made, checkTail(made, { unit }))
    const { replicasAtPeak = 0, gpusAtPeak, cost } = merged
    expect(replicasAtPeak).toBeGreaterThan(1)
    expect(gpusAtPeak).toBe(2 * replicasAtPeak)
    expect(cost?.perHourAtPeak).toBeCloseTo((made.cost?.perHourAtPeak ?? 0) * replicasAtPeak, 6)
  })

  it('says the same whenever it is asked', () => {
    const made = planned({ users: 1e6, thinkS: 30 })
    expect(checkTail(made, { unit })).toEqual(checkTail(made, { unit }))
  })

  it('of a batch is how long it takes', () => {
    const batch: Product = { name: 'night', goal: 'throughput' }
    const made = planned({ requests: 3000, deadlineS: 1000 }, batch)
    const check = checkTail(made, { unit })
    if (check.kind !== 'drain') throw new Error('no batch was simulated')
    expect(check.completionS / check.plannedS).toBeCloseTo(1, 1)
    expect(check.inTime).toBe(true)
    const late = checkTail({ ...made, deadlineS: check.completionS * 0.9 }, { unit })
    expect(late).toMatchObject({ inTime: false })
    // Longer than what is simulated of it, at the same rate.
    const long = checkTail(planned({ requests: 300_000 }, batch), { unit })
    if (long.kind !== 'drain') throw new Error('no batch was simulated')
    expect(long.requests).toBeLessThan(20_000)
    expect(long.completionS / long.plannedS).toBeCloseTo(1, 1)
  })

  it('of a batch that is late names only replicas that were simulated and are in time', () => {
    const batch: Product = { name: 'night', goal: 'throughput' }
    const made = planned({ requests: 3000, deadlineS: 1000 }, batch)
    const drained = (replicas: number, deadlineS: number) => {
      const check = checkTail({ ...made, replicas, deadlineS }, { unit })
      if (check.kind !== 'drain') throw new Error('no batch was simulated')
      return check
    }
    const { completionS } = drained(made.replicas, 1000)
    const deadlineS = completionS * 0.45
    const late = drained(made.replicas, deadlineS)
    const enough = late.replicasInTime ?? 0
    expect(enough).toBeGreaterThan(made.replicas)
    expect(drained(enough, deadlineS).inTime).toBe(true)
    expect(drained(enough - 1, deadlineS).inTime).toBe(false)
    expect(late.sentences.join(' ')).toContain('one fewer does not')
    // No fleet is quicker than one answer.
    const never = drained(made.replicas, 0.001)
    expect(never).not.toHaveProperty('replicasInTime')
    expect(never.sentences.join(' ')).toContain('no fleet that was tried makes it')
    expect(drained(made.replicas, completionS)).not.toHaveProperty('replicasInTime')
  })

  it('says why there is none', () => {
    const made = planned({ arrivalsPerSecond: 40 })
    expect(checkTail(made, { unit: undefined })).toMatchObject({ kind: 'none', sentences: [expect.any(String)] })
    expect(checkTail(made, { unit })).toMatchObject({ kind: 'tail' })
  })

  it('judges no wait that nothing holds, and says so', () => {
    const alone = evidenceOfPoints([], { law: { baseS: 0.005, perSequenceS: 0.00025 }, gpus: 1 })
    const made = plan(alone, { ...product, ttftMs: 0.001 }, { arrivalsPerSecond: 5, ...lengths })
    const check = checkTail(made, { unit: unitOfEvidence(alone, { input: 500, output: 300 }) })
    expect(check).toMatchObject({ kind: 'tail', mean: { holds: true } })
    expect(check.sentences.join(' ')).toContain('not judged')
  })
})
