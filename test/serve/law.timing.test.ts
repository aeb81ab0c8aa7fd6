import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { TruthRecord } from '../../src/serve/index.ts'
import { startServe } from '../cli/serve-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'twospeed-law-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Streams over real sockets from a server in a process of its own; what comes is thrown away, the server's own log is looked at. */
async function load(law: string, streams: number, tokens: number): Promise<TruthRecord[]> {
  const truth = join(folder, `${law}-${streams}.jsonl`)
  const { url, child, ended } = await startServe(['--law', law, '--truth', truth])
  const body = JSON.stringify({ prompt: 'x', stream: true, ignore_eos: true, max_tokens: tokens })
  await Promise.all(
    Array.from({ length: streams }, async () => {
      const response = await fetch(`${url}/completions`, { method: 'POST', body })
      await response.arrayBuffer()
    }),
  )
  child.kill()
  await ended
  return readFileSync(truth, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as TruthRecord)
}

describe('the mean step is that of the law, within 1 %', () => {
  test.each([
    ['a=5ms,b=0.234375ms', 64, 20, 500],
    ['a=5ms,b=0.25ms', 20, 10, 400],
    ['a=3ms,b=1ms', 1, 4, 500],
  ])('%s at %i streams: %i ms', async (law, streams, stepMs, tokens) => {
    const records = await load(law, streams, tokens)
    expect(records).toHaveLength(streams)
    // Where all of them are in the batch.
    const tpotsMs = records.map(({ tokenNs, batch }) => {
      const [from, to] = [batch.indexOf(streams), batch.lastIndexOf(streams)]
      expect(to - from).toBeGreaterThan(tokens * 0.8)
      return ((tokenNs[to] ?? 0) - (tokenNs[from] ?? 0)) / (to - from) / 1e6
    })
    const mean = tpotsMs.reduce((sum, tpot) => sum + tpot, 0) / streams
    expect(Math.abs(mean / stepMs - 1)).toBeLessThan(0.01)
    // And each step of its own, not only their mean: half of the gaps are within a tenth of the law.
    const gaps = records.flatMap(({ tokenNs }) =>
      tokenNs.slice(1).map((time, index) => (time - (tokenNs[index] ?? 0)) / 1e6),
    )
    const off = gaps.map((gap) => Math.abs(gap - stepMs)).sort((a, b) => a - b)
    expect(off[Math.floor(off.length / 2)]).toBeLessThan(stepMs / 10)
  })
})
