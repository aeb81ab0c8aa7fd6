import { describe, expect, it } from 'vitest'
import type { RequestRecord, RunHeader } from '../../src/core/index.ts'
import { summarizeRun } from '../../src/model/index.ts'

/** Eight users who ask again at once, of requests of 100 to 300 tokens in and 20 to 60 out in turn. */
function drawnRun(workload: RunHeader['workload']): { readonly header: RunHeader; readonly records: RequestRecord[] } {
  const stepS = 0.01
  const records: RequestRecord[] = []
  for (let user = 0; user < 8; user++) {
    let at = 0.001 * user
    for (let turn = 0; turn < 60; turn++) {
      const share = ((turn * 7 + user * 3) % 11) / 10
      const [inputTokens, outputTokens] = [100 + 200 * share, 20 + 40 * share]
      const firstTokenS = at + 0.02
      const lastTokenS = firstTokenS + (outputTokens - 1) * stepS
      records.push({
        id: `${user}-${turn}`,
        point: 0,
        sentS: at,
        firstTokenS,
        lastTokenS,
        endS: lastTokenS,
        outcome: 'ok',
        inputTokens,
        outputTokens,
        tokenSource: 'usage',
        gapsUs: Array.from({ length: outputTokens - 1 }, () => 1e6 * stepS),
      })
      at = lastTokenS
    }
  }
  const header: RunHeader = {
    schema: 'twospeed/run@1',
    createdAt: '2026-01-01T00:00:00.000Z',
    twospeed: '0.0.0',
    target: { url: 'http://127.0.0.1:8000/v1', model: 'test-model' },
    hardware: {},
    workload,
    points: [
      {
        load: { kind: 'concurrency', value: 8 },
        window: { startS: 1, endS: 21, steady: true, reasons: [] },
      },
    ],
  }
  return { header, records }
}

const lengthsOf = async (
  workload: RunHeader['workload'],
  cut: (record: RequestRecord) => RequestRecord = (one) => one,
) => {
  const { header, records } = drawnRun(workload)
  return (await summarizeRun(header, records.map(cut))).fit?.lengths
}

describe('the lengths of a run', () => {
  it('are the means that were measured where a distribution was asked for, or a file', async () => {
    for (const workload of [
      { inputTokens: 'uniform:100-300', outputTokens: 'uniform:20-60' },
      { prompts: 'p.jsonl' },
    ]) {
      const lengths = await lengthsOf(workload)
      expect(Math.abs((lengths?.input ?? 0) / 200 - 1)).toBeLessThan(0.03)
      expect(Math.abs((lengths?.output ?? 0) / 40 - 1)).toBeLessThan(0.03)
    }
  })

  it('are those that were asked for where they are plain numbers, each by itself', async () => {
    expect(await lengthsOf({ inputTokens: 256, outputTokens: 64 })).toEqual({ input: 256, output: 64 })
    const lengths = await lengthsOf({ prompts: 'p.jsonl', outputTokens: 64 })
    expect(lengths?.output).toBe(64)
    expect(Math.abs((lengths?.input ?? 0) / 200 - 1)).toBeLessThan(0.03)
  })

  it('are not known where prompts were not counted', async () => {
    expect(await lengthsOf({ prompts: 'p.jsonl' }, ({ inputTokens: _, ...record }) => record)).toBeUndefined()
  })
})
