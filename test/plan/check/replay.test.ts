import { describe, expect, it } from 'vitest'
import { arrivalsOf, type Plan, type Product, type TailCheck, type Trace } from '../../../src/core/index.ts'
import { checkTail, unitOfEvidence } from '../../../src/plan/check/index.ts'
import { evidenceOfRows, plan } from '../../../src/plan/index.ts'
import { createSource, type Fleet, simulate } from '../../../src/sim/index.ts'

const lesson = evidenceOfRows(
  [20, 40, 60, 80].map((concurrency) => ({
    concurrency,
    outputTokensPerSecond: concurrency / (0.005 + 0.00025 * concurrency),
    ttftMs: 60 + concurrency,
  })),
  { gpus: 2 },
)
const product: Product = { name: 'own', goal: 'pace', tokensPerSecond: 50, ttftMs: 300 }
const unit = unitOfEvidence(lesson, { input: 500, output: 300 })

/** Requests at these instants, all alike. */
const traceAt = (instants: readonly number[]): Trace => ({
  rows: instants.map((atS) => ({ atS: atS - (instants[0] ?? 0), inputTokens: 500, outputTokens: 300 })),
  notes: [],
})

const every = (count: number, gapS: number, together = 1): Trace =>
  traceAt(Array.from({ length: count }, (_, i) => Math.floor(i / together) * together * gapS))

function byChance(count: number, rate: number): Trace {
  const times = arrivalsOf({ process: { kind: 'poisson' }, rate, seed: 'trace' })
  return traceAt(Array.from({ length: count }, () => times.next().value))
}

/** For the mean alone, so that chance has no other. */
const planned = (trace: Trace): Plan => plan(lesson, product, { day: { kind: 'trace', trace }, headroom: 0 })

function checkOf(made: Plan, trace?: Trace): TailCheck {
  const pairs = [{ inputTokens: 500, outputTokens: 300 }]
  const check = checkTail(made, { unit, lengths: { pairs }, ...(trace !== undefined && { trace }) })
  if (check.kind !== 'tail') throw new Error('nothing was simulated')
  return check
}

/** What the trace, played whole, gives its requests. */
function truth(trace: Trace, replicas: number): number {
  const pools = (unit?.pools ?? []).map((pool) => ({ ...pool, replicas }))
  const fleet: Fleet = { ...unit, pools, routing: 'leastInFlight' }
  const { goodput } = simulate({
    fleet,
    lanes: [{ name: 'all', priority: 0, source: createSource({ arrivals: { kind: 'trace', trace } }) }],
    load: { kind: 'trace', value: 1 },
    objectives: { tokensPerSecond: 50, ttftMs: 300 },
  })
  if (goodput === undefined) throw new Error('nobody was judged')
  return goodput.attainment
}

describe('a trace that is played as it was recorded', () => {
  it('gives of a small fleet just what the whole trace gives', () => {
    const trace = byChance(3000, 40)
    const made = { ...planned(trace), replicas: 3, replicasAtPeak: 4 }
    const { replay } = checkOf(made, trace)
    expect(replay).toMatchObject({ rows: 3000, of: 3000, fromS: 0, toS: trace.rows.at(-1)?.atS, replicas: 4 })
    const known = truth(trace, 4)
    expect(known).toBeGreaterThan(0.05)
    expect(known).toBeLessThan(0.999)
    expect(Math.abs((replay?.attainment ?? 0) - known)).toBeLessThan(0.002)
  })

  it('gives of a slice of a large one about what the whole gives', () => {
    const trace = byChance(12_000, 320)
    for (const replicas of [28, 34]) {
      const { replay } = checkOf({ ...planned(trace), replicas, replicasAtPeak: replicas }, trace)
      expect(replay).toMatchObject({ rows: 12_000, of: 12_000 })
      expect(replay?.requests).toBeLessThan(3000)
      expect(Math.abs((replay?.attainment ?? 0) - truth(trace, replicas))).toBeLessThan(0.03)
    }
  })

  it('decides where it is harder than chance, as bursts are, and takes more replicas', () => {
    const trace = every(6000, 1 / 40, 40)
    const tight = { ...planned(trace), replicas: 1, replicasAtPeak: 5 }
    const { judgedBy, replicas = 0, replay, sentences } = checkOf(tight, trace)
    const alone = checkOf(tight)
    expect(judgedBy).toBe('trace')
    expect(replicas).toBeGreaterThan(alone.replicas ?? Number.POSITIVE_INFINITY)
    expect(replay?.attainment).toBeLessThan(alone.peak.attainment)
    expect(truth(trace, replicas)).toBeGreaterThanOrEqual(0.9)
    expect(truth(trace, replicas - 1)).toBeLessThan(0.9)
    expect(sentences.join(' ')).toContain('The trace played as it was recorded, all 6,000 requests, with 5 replicas')
    expect(sentences.join(' ')).toContain('Of the two the trace is the harder to hold, and decides.')
  })

  it('and changes nothing where chance is harder, as of requests that come evenly', () => {
    const trace = every(6000, 1 / 40)
    const made = { ...planned(trace), replicas: 1 }
    const check = checkOf(made, trace)
    const { judgedBy, replay, sentences } = check
    const alone = checkOf(made)
    expect(judgedBy).toBe('chance')
    expect(replay?.attainment).toBe(1)
    expect({ ...alone, replay, judgedBy, sentences }).toEqual(check)
    expect(sentences.join(' ')).toContain('What comes by chance is no easier to hold, and decides.')
  })

  it('is its busiest stretch where it is long', () => {
    // An hour of 8 requests/s, ten minutes of 40/s, and an hour of 8/s.
    const instants = [
      ...Array.from({ length: 28_800 }, (_, i) => i / 8),
      ...Array.from({ length: 24_000 }, (_, i) => 3600 + i / 40),
      ...Array.from({ length: 28_800 }, (_, i) => 4200 + i / 8),
    ]
    const trace = traceAt(instants)
    const { replay, sentences } = checkOf(planned(trace), trace)
    expect(replay?.of).toBe(81_600)
    expect(replay?.rows).toBeLessThan(15_000)
    expect(replay?.fromS).toBeGreaterThanOrEqual(3600)
    expect(replay?.toS).toBeLessThanOrEqual(4200)
    expect(replay?.arrivalsPerSecond).toBeCloseTo(40, 6)
    // The load is there when the first comes.
    expect((replay?.inFlight ?? 0) / (40 * (planned(trace).timeInSystemS ?? 0))).toBeGreaterThan(0.6)
    expect(sentences.join(' ')).toMatch(/the [\d,]+ of its 81,600 requests with most in flight, 60 min to/)
  })
})
