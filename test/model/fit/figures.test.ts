import { describe, expect, it } from 'vitest'
import {
  fitLaw,
  fitPoints,
  givenLaw,
  type LoadPoint,
  pointsOfRows,
  serverOfFit,
  stepSeconds,
} from '../../../src/model/index.ts'

const pointsOf = (loads: readonly number[], stepS: (batch: number) => number): readonly LoadPoint[] =>
  pointsOfRows(loads.map((concurrency) => ({ concurrency, outputTokensPerSecond: concurrency / stepS(concurrency) })))

describe('what the lesson’s law says of its server', () => {
  const points = pointsOf([1, 5, 20, 80], (batch) => 0.005 + 0.00025 * batch)
  const { fit } = fitLaw(points, { gpus: 4, lengths: { input: 1000, output: 500 }, kvTokens: 100_000 })

  it('one user alone, the limit of stability, the price of speed', () => {
    expect(fit.soloTokensPerSecond).toBeCloseTo(1 / 0.00525, 6)
    // λ·OSL = 1/b: 4 000 tok/s are 8 requests/s of 500 tokens.
    expect(fit.stability?.tokensPerSecond).toBeCloseTo(4000, 6)
    expect(fit.stability?.requestsPerSecond).toBeCloseTo(8, 6)
    // dy/du = −a/b = −20 tok/s of the server for one of a user, −5 per GPU.
    expect(fit.priceOfSpeed?.tokensPerSecond).toBeCloseTo(20, 6)
    expect(fit.priceOfSpeed?.tokensPerSecondPerGpu).toBeCloseTo(5, 6)
    expect(fit.priceOfSpeed?.batch).toBeUndefined()
  })

  it('how many requests the KV cache holds, each with half its answer', () => {
    expect(fit.kvLimit).toEqual({ tokens: 100_000, tokensPerRequest: 1250, concurrency: 80 })
    expect(fitLaw(points, { kvTokens: 100_000 }).fit.kvLimit).toBeUndefined()
    expect(fitLaw(points, { lengths: { input: 1000, output: 500 } }).fit.kvLimit).toBeUndefined()
  })

  it('of the slow requests’ pace no ceiling, nor what follows from one: the server makes its output for all of them', () => {
    const slow = points.map((point) => ({ ...point, stepS: 1.25 * point.stepS }))
    const { fit: told } = fitLaw(slow, { gpus: 4, share: 0.9 })
    const { fit: mistaken } = fitLaw(slow, { gpus: 4 })
    expect(mistaken.ceilingTokensPerSecond).toBeCloseTo(3200, 6)
    const ofServer = [
      'ceilingTokensPerSecond',
      'ceilingTokensPerSecondPerGpu',
      'stability',
      'halfBatch',
      'priceOfSpeed',
    ]
    for (const key of ofServer) expect(mistaken).toHaveProperty(key)
    for (const key of ofServer) expect(told).not.toHaveProperty(key)
    expect(told.stepMs).toEqual(mistaken.stepMs)
    // What is chosen from its JSON is still of a share.
    expect(serverOfFit(fitPoints(slow, { gpus: 4, share: 0.9 })).deployment.share).toBe(0.9)
    expect(told.soloTokensPerSecond).toBe(mistaken.soloTokensPerSecond)
  })

  it('replicas multiply what the server makes, and not what a user gets', () => {
    const two = fitLaw(points, { replicas: 2 }).fit
    expect(two.ceilingTokensPerSecond).toBeCloseTo(8000, 6)
    expect(two.priceOfSpeed?.tokensPerSecond).toBeCloseTo(40, 6)
    expect(two.soloTokensPerSecond).toBeCloseTo(fit.soloTokensPerSecond ?? 0, 9)
  })
})

describe('what a law with experts says', () => {
  const law = { baseS: 0.004, perSequenceS: 0.0001, experts: { active: 1, all: 32, seconds: 0.02 } }
  const time = (batch: number): number => stepSeconds(law, { batch })
  const { fit } = givenLaw(law, [])

  it('at the half-batch the server makes half of its ceiling', () => {
    const half = fit.halfBatch ?? 0
    expect(fit.ceilingTokensPerSecond).toBeCloseTo(10_000, 6)
    expect(half / time(half)).toBeCloseTo(5000, 6)
  })

  it('its price of speed is the slope of the frontier there', () => {
    const batch = fit.priceOfSpeed?.batch ?? 0
    expect(batch).toBeCloseTo(fit.halfBatch ?? 0, 9)
    const [below, above] = [batch * 0.9999, batch * 1.0001]
    const slope = (above / time(above) - below / time(below)) / (1 / time(above) - 1 / time(below))
    expect(fit.priceOfSpeed?.tokensPerSecond).toBeCloseTo(-slope, 2)
  })

  it('is named, with its terms as they were given', () => {
    expect(fit.law).toBe('expert')
    expect(fit.stepMs).toEqual({ base: 4, perSequence: 0.1, experts: { active: 1, all: 32, ms: 20 } })
    expect(givenLaw({ baseS: 0.005, perSequenceS: 0.00025 }, []).fit.law).toBe('affine')
  })

  it('has no ceiling where points leave b hardly told from 0, and has one where they do tell it', () => {
    const fitOf = (perSequenceS: number) =>
      fitLaw(
        pointsOf([4, 32, 256], (batch) => stepSeconds({ ...law, perSequenceS }, { batch })),
        { experts: { active: 1, all: 32 }, gpus: 2 },
      ).fit
    expect(fitOf(1e-4).ceilingTokensPerSecond).toBeCloseTo(10_000, 3)
    const slight = fitOf(1e-6)
    expect(slight.stepMs?.perSequence).toBeCloseTo(0.001, 6)
    expect(slight).not.toHaveProperty('ceilingTokensPerSecond')
    expect(slight).not.toHaveProperty('stability')
    expect(slight.soloLimitTokensPerSecond).toBeCloseTo(250, 3)
  })

  it('a law without b has no ceiling and no price, and no number that is none', () => {
    const flat = givenLaw({ ...law, perSequenceS: 0 }, [], { gpus: 2, lengths: { input: 1, output: 1 } }).fit
    expect(flat.ceilingTokensPerSecond).toBeUndefined()
    expect(flat.priceOfSpeed).toBeUndefined()
    expect(JSON.stringify(flat)).not.toContain('null')
  })
})
