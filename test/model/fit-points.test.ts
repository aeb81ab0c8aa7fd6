import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fitPoints, type LoadPoint, pointsOfRows } from '../../src/model/index.ts'

/** 4 ms a step, 0.1 ms a stream, 0.02 ms for a thousand tokens of its context. */
const stepMs = (batch: number, contextTokens: number): number => 4 + 0.1 * batch + (0.02 * batch * contextTokens) / 1000

const sweep = (contextTokens: number, loads: readonly number[], first = 0): readonly LoadPoint[] =>
  loads.map((load, i) => {
    const stepS = stepMs(load, contextTokens) / 1000
    const outputTokensPerSecond = load / stepS
    return { members: [first + i], load, batch: load, stepS, outputTokensPerSecond, contextTokens, promptTokens: 4 }
  })

describe('points of several lengths', () => {
  const points = [...sweep(1000, [2, 8, 32]), ...sweep(8000, [2, 8, 32], 3)]
  const answer = fitPoints(points, { gpus: 2 }, [16])

  it('tell what context costs, which those of one length cannot', () => {
    expect(answer.fit.law).toBe('kv')
    expect(answer.fit.stepMs?.base).toBeCloseTo(4, 6)
    expect(answer.fit.stepMs?.perSequence).toBeCloseTo(0.1, 6)
    expect(answer.fit.stepMs?.perThousandKvTokens).toBeCloseTo(0.02, 6)
    const { fit, frontier } = fitPoints(sweep(8000, [2, 8, 32]))
    expect(fit.law).toBe('affine')
    expect(fit.stepMs?.perSequence).toBeCloseTo(0.26, 6)
    expect(frontier.every(({ contextTokens }) => contextTokens === undefined)).toBe(true)
  })

  it('have a frontier for each length, in which pace falls and the loads asked for are', () => {
    for (const contextTokens of [1000, 8000]) {
      const own = answer.frontier.filter((point) => point.contextTokens === contextTokens)
      const paces = own.map(({ tokensPerSecondPerUser }) => tokensPerSecondPerUser)
      expect(paces).toEqual([...paces].sort((a, b) => b - a))
      const asked = own.find(({ concurrency }) => concurrency === 16)
      expect(asked?.tokensPerSecondPerUser).toBeCloseTo(1000 / stepMs(16, contextTokens), 6)
      expect(asked?.tokensPerSecondPerGpu).toBeCloseTo(8000 / stepMs(16, contextTokens), 5)
    }
    expect(answer.frontier.length).toBeGreaterThan(8)
  })
})

describe('loads of which nothing is known', () => {
  const asked = (points: readonly LoadPoint[], at: readonly number[]) => fitPoints(points, {}, at)

  it('are too far, to four times the greatest of a law that is believed', () => {
    const { unknown, frontier } = asked(sweep(1000, [4, 16, 64]), [1, 256, 257])
    expect(unknown).toEqual([{ concurrency: 257, why: 'tooFar' }])
    expect(frontier.map(({ concurrency }) => concurrency)).toEqual(expect.arrayContaining([1, 256]))
  })

  it('are all outside the measured ones where no law fits', () => {
    const bent = pointsOfRows(
      [1, 2, 4, 8, 16].map((load) => ({
        concurrency: load,
        outputTokensPerSecond: 99 * load ** (load > 4 ? 0.2 : 0.9),
      })),
    )
    expect(asked(bent, [3, 20]).unknown).toEqual([{ concurrency: 20, why: 'betweenOnly' }])
  })

  it('are those where the terms of near loads are not told apart', () => {
    const stepS = (batch: number): number => 0.006 + 0.0001 * batch + 0.02 * (1 - 0.75 ** batch)
    const points = pointsOfRows(
      [8, 10, 12].map((load) => ({ concurrency: load, outputTokensPerSecond: load / stepS(load) })),
    )
    const experts = { active: 8, all: 32 }
    expect(fitPoints(points, { experts }, [9, 11, 48]).unknown).toEqual([{ concurrency: 48, why: 'tooLoose' }])
  })

  it('and a measured load is always known', () => {
    expect(asked(sweep(1000, [4, 16, 64]), [4, 64]).unknown).toBeUndefined()
  })
})

describe('what is set aside', () => {
  it('stands by its index and its word, and stays in the frontier', () => {
    const [, second, ...others] = sweep(1000, [1, 4, 16, 64])
    const slowed = { ...(second as LoadPoint), fault: 'failures' }
    const { setAside, frontier } = fitPoints([...sweep(1000, [1]), slowed, ...others])
    expect(setAside).toEqual([{ point: 1, why: 'failures' }])
    expect(frontier.filter(({ source }) => source === 'measured').map(({ concurrency }) => concurrency)).toEqual([
      1, 4, 16, 64,
    ])
  })

  it('is an empty list of points that all agree', () => {
    expect(fitPoints(sweep(1000, [1, 4, 16, 64])).setAside).toEqual([])
  })

  it('is nothing where there is no point', () => {
    const { fit, frontier, setAside } = fitPoints([])
    expect(fit.reliable).toBe(false)
    expect([...frontier, ...setAside]).toEqual([])
  })
})

describe('whatever is measured', () => {
  const amount = fc.double({ min: 1e-9, max: 1e12, noNaN: true })
  const row = fc.record(
    { concurrency: amount, outputTokensPerSecond: amount, tokensPerSecondPerUser: amount, ttftMs: amount },
    { requiredKeys: ['concurrency', 'outputTokensPerSecond'] },
  )
  const experts = fc.constantFrom(undefined, { active: 8, all: 256 }, { active: 1, all: 2 })

  it('no figure is NaN, infinite or below 0, and a fit without reasons is reliable', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 8 }), experts, fc.array(amount, { maxLength: 3 }), (rows, shape, at) => {
        const deployment = { gpus: 4, lengths: { input: 100, output: 50 }, kvTokens: 1e5 }
        const answer = fitPoints(pointsOfRows(rows), { ...deployment, ...(shape && { experts: shape }) }, at)
        const text = JSON.stringify(answer)
        expect(text).not.toContain('null')
        expect(text).not.toMatch(/:-\d/)
        expect(answer.fit.reliable).toBe(answer.fit.why.length === 0)
        for (const { low = 0, high = Number.POSITIVE_INFINITY } of answer.frontier)
          expect(low).toBeLessThanOrEqual(high)
      }),
      { seed: 4, numRuns: 200 },
    )
  })
})
