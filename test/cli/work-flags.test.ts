import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readRecords } from '../../src/store/index.ts'
import { type FakeTarget, startFakeTarget } from '../load/fake-target.ts'
import type { Ended } from './run-cli.ts'
import { startCli } from './started.ts'

let target: FakeTarget
let folder = ''
beforeEach(async () => {
  target = await startFakeTarget()
  folder = mkdtempSync(join(tmpdir(), 'twospeed-'))
})
afterEach(async () => {
  await target.close()
  rmSync(folder, { recursive: true, force: true })
})

const measure = (...args: readonly string[]): Promise<Ended> =>
  startCli(['measure', target.url, '--json', '--out', 'run', ...args], folder).ended

const path = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return name
}

const trace = ['{"atS":0,"inputTokens":30,"outputTokens":3}', '{"atS":4,"inputTokens":60,"outputTokens":5}'].join('\n')

describe('the work of measure', () => {
  it('is a trace, played faster', async () => {
    const { exit, stdout } = await measure('--trace', path('t.jsonl', trace), '--speedup', '20')
    expect(exit).toBe(0)
    expect(JSON.parse(stdout).workload.trace).toMatchObject({ path: 't.jsonl', speedup: 20, requests: 2 })
    const asked = []
    for await (const record of readRecords(join(folder, 'run'))) asked.push(record)
    expect(asked.map(({ askedInputTokens, inputTokens }) => [askedInputTokens, inputTokens])).toEqual([
      [30, 30],
      [60, 60],
    ])
    expect((asked[1]?.scheduledS ?? 0) - (asked[0]?.scheduledS ?? 0)).toBeCloseTo(0.2, 6)
  })

  it('takes extra fields from a file', async () => {
    const quick = ['--concurrency', '1', '--requests', '2', '--output-tokens', '2', '--input-tokens', 'uniform:20-40']
    const { exit } = await measure(...quick, '--temperature', '0', '--extra-body', `@${path('x.json', '{"top_k":5}')}`)
    expect(exit).toBe(0)
    for (const { body } of target.asked) expect(body).toMatchObject({ temperature: 0, top_k: 5 })
  })

  it.each<[string, string, readonly string[]]>([
    ['a speed-up without a trace', 'CONFLICTING_FLAGS', ['--speedup', '5']],
    ['an extra body that is no object', 'INVALID_VALUE', ['--extra-body', '[1]']],
    ['a length that is none', 'INVALID_VALUE', ['--input-tokens', 'poisson:5']],
    ['a negative temperature', 'INVALID_VALUE', ['--temperature=-1']],
    ['a trace that is not there', 'FILE_NOT_READABLE', ['--trace', 'nowhere.csv']],
  ])('is refused where it is %s', async (_, code, args) => {
    const { exit, stdout } = await measure(...args)
    expect([exit, JSON.parse(stdout).error.code]).toEqual([2, code])
    expect(target.asked).toEqual([])
  })
})
