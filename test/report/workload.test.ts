import { describe, expect, it } from 'vitest'
import type { Load } from '../../src/core/index.ts'
import { workloadParts } from '../../src/report/workload.ts'

const told = (workload: Readonly<Record<string, unknown>>): string =>
  workloadParts({ workload, points: [] }).join(' · ')

describe('what was asked, in a line', () => {
  it.each([
    [{ loop: 'closed', inputTokens: 512, outputTokens: 128 }, '512 tokens in, 128 out · closed loop'],
    [
      { loop: 'closed', inputTokens: 'uniform:1-3', outputTokens: 20, meanInputTokens: 2, meanOutputTokens: 20 },
      'uniform:1-3 tokens in, 20 out (on average 2 in, 20 out) · closed loop',
    ],
    [
      { loop: 'closed', lengths: 'l.csv', pairs: 1000, meanInputTokens: 300, meanOutputTokens: 90 },
      '1,000 pairs of lengths of l.csv (on average 300 in, 90 out) · closed loop',
    ],
    [
      { loop: 'closed', prompts: 'p.jsonl', promptCount: 1 },
      '1 prompt of p.jsonl, answers as long as the model makes them · closed loop',
    ],
    [
      { loop: 'closed', prompts: 'p.jsonl', promptCount: 3, outputTokens: 64, turns: 4 },
      '3 prompts of p.jsonl, 64 out · conversations of 4 turns · closed loop',
    ],
    [
      { loop: 'trace', trace: { path: 't.jsonl', speedup: 2, requests: 40, meanInputTokens: 10, meanOutputTokens: 3 } },
      'trace t.jsonl: 40 requests, played 2 times as fast (on average 10 in, 3 out)',
    ],
    [
      { loop: 'open', inputTokens: 8, outputTokens: 4, arrivals: { kind: 'poisson' } },
      '8 tokens in, 4 out · open loop, Poisson arrivals',
    ],
    [
      { loop: 'open', inputTokens: 8, outputTokens: 4, arrivals: { kind: 'gamma', burstiness: 0.5 } },
      '8 tokens in, 4 out · open loop, Gamma arrivals of burstiness 0.5',
    ],
    [
      { loop: 'closed', inputTokens: 8, outputTokens: 4, think: { meanS: 2 }, prefixShare: 0.5, prefixes: 3 },
      '8 tokens in, 4 out · 50 % of a prompt is one of 3 texts that others share · closed loop, users think 2 s',
    ],
    [{}, ''],
  ])('%o', (workload, line) => {
    expect(told(workload)).toBe(line)
  })

  it('is taken from the loads where an older run does not name its loop', () => {
    const at = (load: Load) => workloadParts({ workload: {}, points: [{ load }] as never }).join()
    expect(at({ kind: 'concurrency', value: 4 })).toBe('closed loop')
    expect(at({ kind: 'rate', value: 4 })).toBe('open loop')
  })
})
