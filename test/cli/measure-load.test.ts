import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RequestRecord, Run } from '../../src/core/index.ts'
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
  rmSync(folder, { recursive: true })
})

const SHORT = ['--json', '--out', 'run']
const LENGTHS = ['--input-tokens', '20', '--output-tokens', '4']

const measure = (...args: readonly string[]): Promise<Ended> =>
  startCli(['measure', target.url, ...SHORT, ...(args.includes('--trace') ? [] : LENGTHS), ...args], folder).ended

const runOf = ({ stdout }: Ended): Run => JSON.parse(stdout) as Run

async function recordsOf(): Promise<readonly RequestRecord[]> {
  const records: RequestRecord[] = []
  for await (const record of readRecords(join(folder, 'run'))) records.push(record)
  return records
}

describe('measure at a rate', () => {
  it('sends so many requests when its schedule says, at each rate, and the seed repeats the schedule', async () => {
    const run = runOf(await measure('--rate', '100/s,3000/min', '--requests', '60', '--seed', '7'))
    expect(run.points.map(({ load }) => load)).toEqual([
      { kind: 'rate', value: 100 },
      { kind: 'rate', value: 50 },
    ])
    expect(run.workload).toMatchObject({ loop: 'open', rates: [100, 50], arrivals: { kind: 'poisson' }, requests: 60 })
    expect(run.points[0]!.latency.ttftFromScheduledMs?.p50).toBeGreaterThan(run.points[0]!.latency.ttftMs.p50!)
    const gaps = scheduleOf(await recordsOf())
    expect(gaps).toHaveLength(59)
    rmSync(join(folder, 'run'), { recursive: true })
    await measure('--rate', '100/s', '--requests', '60', '--seed', '7')
    for (const [i, gap] of scheduleOf(await recordsOf()).entries()) expect(gap).toBeCloseTo(gaps[i]!, 4)
  })

  /** From each time at which a request of the first point was due to the next. */
  function scheduleOf(records: readonly RequestRecord[]): readonly number[] {
    const times = records.filter(({ point }) => point === 0).map(({ scheduledS }) => scheduledS!)
    const sorted = times.sort((a, b) => a - b)
    return sorted.slice(1).map((time, i) => time - sorted[i]!)
  }

  it('takes the place of the users that a config file asks for, and all its keys stand in one', async () => {
    writeFileSync(join(folder, 'users.yaml'), 'concurrency: 4\nrequests: 30\n')
    const flags = await measure('--rate', '100/s', '--config', 'users.yaml')
    expect(runOf(flags).points.map(({ load }) => load)).toEqual([{ kind: 'rate', value: 100 }])
    rmSync(join(folder, 'run'), { recursive: true })
    writeFileSync(
      join(folder, 'rate.yaml'),
      'rate: [100/s]\nburstiness: 0.5\nmaxInFlight: 50\nramp: 200ms\nrequests: 30\n',
    )
    const file = await measure('--config', 'rate.yaml')
    expect(runOf(file).workload).toMatchObject({
      arrivals: { kind: 'gamma', burstiness: 0.5 },
      maxInFlight: 50,
      rampS: 0.2,
    })
    writeFileSync(join(folder, 'wrong.yaml'), 'rate: 5\nthink: 2\n')
    const { exit, stdout } = await measure('--config', 'wrong.yaml')
    expect(exit).toBe(2)
    expect(stdout).toMatch(/line 1: rate: .*such as 5\/s.*line 2: think: .*such as 2s/s)
  })
})

describe('a load by flag over that of a config file', () => {
  const asked = async (file: string, ...flags: readonly string[]): Promise<Run> => {
    rmSync(join(folder, 'run'), { recursive: true, force: true })
    writeFileSync(join(folder, 'load.yaml'), `${file}\nrequests: 30\n`)
    return runOf(await measure('--config', 'load.yaml', ...flags))
  }

  it('replaces all that belongs to it, whichever load it was', async () => {
    for (const file of [
      'trace: gone.csv\nspeedup: 2\nmaxInFlight: 9',
      'rate: [9/s]\nburstiness: 0.5\nmaxInFlight: 9',
      'rate: [9/s]\narrivalProcess: constant',
    ])
      expect((await asked(file, '--concurrency', '2')).workload).toMatchObject({ loop: 'closed', concurrency: [2] })
    const { workload } = await asked('concurrency: 4\nthink: 2s', '--rate', '100/s')
    expect(workload).toMatchObject({ loop: 'open', rates: [100] })
    expect(workload).not.toHaveProperty('think')
  })

  it('keeps what belongs to both', async () => {
    const file = 'rate: [9/s]\nburstiness: 0.5\nmaxInFlight: 9\nramp: 100ms'
    const rate = await asked(file, '--rate', '100/s')
    expect(rate.workload).toMatchObject({ rates: [100], arrivals: { burstiness: 0.5 }, maxInFlight: 9, rampS: 0.1 })
    expect((await asked(file, '--concurrency', '2')).workload).toMatchObject({ concurrency: [2], rampS: 0.1 })
  })
})

describe('measure with users who think', () => {
  it('says that fewer were in flight than users', async () => {
    const run = runOf(await measure('--concurrency', '6', '--think', 'exponential:100ms', '--requests', '120'))
    const point = run.points[0]!
    expect(point.load).toEqual({ kind: 'concurrency', value: 6, thinkS: 0.1 })
    expect(point.littlesLaw.inFlight).toBeLessThan(4)
    expect(run.workload).toMatchObject({ loop: 'closed', think: { meanS: 0.1, distribution: 'exponential' } })
  })
})

describe('measure of a trace', () => {
  it('sends each row when it came, so many times as fast, and measures all of them', async () => {
    const rows = [0, 0.5, 0.5, 2, 3]
    writeFileSync(
      join(folder, 'trace.jsonl'),
      rows.map((atS) => JSON.stringify({ atS, inputTokens: 20, outputTokens: 4 })).join('\n'),
    )
    const run = runOf(await measure('--trace', 'trace.jsonl', '--speedup', '2'))
    expect(run.points.map(({ load, requests }) => [load, requests.ok])).toEqual([[{ kind: 'trace', value: 2 }, 5]])
    const [first, ...others] = (await recordsOf()).map(({ scheduledS }) => scheduledS!).sort((a, b) => a - b)
    expect(others.map((time) => Number((time - first!).toFixed(4)))).toEqual([0.25, 0.25, 1, 1.5])
  })
})
