import { describe, expect, it } from 'vitest'
import { type Deployment, fitPoints, type LoadPoint, pointsOfRows } from '../../src/model/index.ts'
import { type FitReport, fitMarkdown, fitText } from '../../src/report/index.ts'

const rows = (loads: readonly number[], stepMs: (load: number) => number): readonly LoadPoint[] =>
  pointsOfRows(loads.map((load) => ({ concurrency: load, outputTokensPerSecond: (1000 * load) / stepMs(load) })))

const reportOf = (
  name: string,
  points: readonly LoadPoint[],
  deployment: Deployment = {},
  at: readonly number[] = [],
): FitReport => ({
  name,
  answer: fitPoints(points, deployment, at),
  loadName: (index) => String(points[index]?.load),
})

describe('a fit in words', () => {
  it('says the limits per GPU where there are several', () => {
    const lengths = { input: 1000, output: 500 }
    const points = rows([1, 4, 16, 64], (load) => 5 + 0.25 * load)
    const text = fitText([reportOf('a.csv', points, { gpus: 8, replicas: 2, lengths, kvTokens: 50_000 })])
    expect(text).toContain('4 loads · 8 GPUs · 2 replicas · 1,000 tokens in, 500 out')
    expect(text).toContain('each tok/s more for a user costs 40 tok/s of the server (5 per GPU).')
    expect(text).toContain('Stability limit: 8,000 tok/s, 16 requests/s of 500 tokens.')
    expect(text).toContain('Memory: 50,000 KV tokens hold 40 requests of 1,250 tokens each')
    expect(text).toMatch(/Nine times in ten its terms lie within: base [\d.]+ to [\d.]+ ms, per stream [\d.]+ to/)
  })

  it('says the experts, and at which batch speed has its price', () => {
    const experts = { active: 8, all: 128 }
    const points = rows([1, 4, 16, 64, 256], (load) => 4 + 0.1 * load + 20 * (1 - (1 - 8 / 128) ** load))
    const text = fitText([reportOf('moe.csv', points, { experts })])
    expect(text).toContain('T(B) = 4 ms + 0.1 ms × B + 20 ms × (1 − (1 − 8/128)^B)')
    expect(text).toContain('Price of speed at a batch of 240:')
    expect(text).toMatch(/experts [\d.]+ to [\d.]+ ms/)
  })

  it('says the context of each load where there are several, and what K is', () => {
    const of = (contextTokens: number, first: number): readonly LoadPoint[] =>
      rows([2, 8, 32], (load) => 4 + 0.1 * load + (0.02 * load * contextTokens) / 1000).map((point, i) => ({
        ...point,
        members: [first + i],
        ...{ contextTokens, promptTokens: 4 },
      }))
    const text = fitText([reportOf('short + long', [...of(1000, 0), ...of(8000, 3)])])
    expect(text).toMatch(/^context +in flight +tok\/s\/user/m)
    expect(text).toMatch(/^ +8,000 +32 .* measured$/m)
    expect(text).toContain('+ 0.02 ms × K/1000, K the KV tokens that they hold together; a user gets 1/T')
    expect(text).toContain('The limits and the price are those of the first of these lengths.')
    const one = fitText([reportOf('short', of(1000, 0))])
    expect(one).not.toContain('first of these lengths')
    expect(one).not.toContain('context')
  })

  it('says what was left out, by its load', () => {
    const points = rows([1, 4, 16, 64], (load) => 5 + 0.25 * load).map((point) =>
      point.load === 16 ? { ...point, fault: 'failures' } : point,
    )
    expect(fitText([reportOf('a.csv', points)])).toContain('Left out of the law: load 16: too many requests failed.')
  })

  it('says where the server itself ends before its stability limit', () => {
    const loads = [1, 4, 16, 64, 128]
    const capped = (load: number): number => 5 + 0.25 * Math.min(load, 64)
    const points = pointsOfRows(
      loads.map((load) => ({
        concurrency: load,
        tokensPerSecondPerUser: 1000 / capped(load),
        outputTokensPerSecond: (1000 * Math.min(load, 64)) / capped(load),
        ttftMs: load > 64 ? 2000 : 50 + load / 4,
      })),
    )
    expect(fitText([reportOf('a.csv', points)])).toMatch(/Stability limit: 4,000 .* The server's own limit ends it/)
    const free = fitText([
      reportOf(
        'a.csv',
        rows(loads, (load) => 5 + 0.25 * load),
      ),
    ])
    expect(free).toContain('Stability limit: 4,000')
    expect(free).not.toContain("server's own limit")
  })

  it('of several is a line each', () => {
    const good = rows([1, 4, 16, 64], (load) => 5 + 0.25 * load)
    const reports = [
      reportOf('good', good, { gpus: 2 }),
      reportOf(
        'one',
        rows([4], () => 9),
      ),
      reportOf('two', good),
    ]
    const text = fitText(reports)
    expect(text).toContain('The laws of 3 sweeps, of which 2 are reliable')
    expect(text).toMatch(/^1 +4 +200 +2,000 +20 .* yes +5 ms \+ 0\.25 ms × B +good$/m)
    expect(text).toMatch(/^2 +1 +– +– +– +– +no +none +one$/m)
    expect(text).toContain('Not reliable, one load does not make a line: #2.')
  })
})

describe('as Markdown', () => {
  it('holds the same, and makes no markup of a name', () => {
    const points = rows([1, 4, 16, 64], (load) => 5 + 0.25 * load)
    const markdown = fitMarkdown([reportOf('a|b <script>', points)])
    expect(markdown).toMatch(/^# The law of a\\\|b \\<script\\>: 4 loads$/m)
    expect(markdown).toContain('| 16 | 111 |')
    expect(markdown).toContain('- Law: one decode step of B streams takes T(B) = 5 ms + 0.25 ms × B')
    const sweeps = fitMarkdown([reportOf('a|b <script>', points), reportOf('c', points)])
    expect(sweeps).toContain('| a\\|b \\<script\\> |')
    expect(sweeps.split('\n').filter((line) => line.startsWith('| '))).toHaveLength(4)
  })
})
