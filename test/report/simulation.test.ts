import { describe, expect, it } from 'vitest'
import type { Run, SimulatedLink, SimulatedPool } from '../../src/core/index.ts'
import { summarizeRun } from '../../src/model/index.ts'
import { htmlReport, markdownReport, textReport } from '../../src/report/index.ts'
import { simulatedRun } from '../support/simulated-run.ts'

const POOL: SimulatedPool = {
  name: 'main',
  role: 'both',
  replicas: 1,
  busy: 0.83,
  tokensPerSecond: 500,
  meanBatch: 6.5,
  meanWaiting: 1.25,
  meanKvShare: 0.4,
  mostKvShare: 0.95,
  wastedShare: 0.07,
  preemptions: 12,
}

async function runWith(
  pools: readonly SimulatedPool[],
  link?: SimulatedLink,
  workload?: Run['workload'],
): Promise<Run> {
  const { header, records } = simulatedRun(
    { stepS: (batch) => 0.005 + 0.00025 * batch },
    { loads: [1, 4], engine: 'simulated' },
  )
  const points = header.points.map((point) => ({
    ...point,
    simulation: {
      pools,
      ...(link && { link }),
      series: [0, 1, 2].map((i) => ({ atS: point.window.startS + i, running: 4, waiting: i, kvShare: 0.5 })),
      preemptions: 12,
      recomputedTokens: 900,
      cachedTokens: 0,
      refused: { requests: 3, first: 'A prompt of 9 tokens is too long.' },
    },
  }))
  return summarizeRun({ ...header, points, ...(workload && { workload }) }, records)
}

const every = [textReport, markdownReport, htmlReport] as const

describe('a run of the simulator', async () => {
  const run = await runWith([POOL])

  it('keeps what its records do not tell', () => {
    expect(run.points[0]?.simulation?.pools).toEqual([POOL])
  })

  it.each(every.map((report) => [report.name, report] as const))('%s tells what went on inside', (_, report) => {
    const text = report(run)
    for (const words of ['SIMULATED', 'Inside the fleet', '83 %', '6.5', '1.25', '95 %', '3 requests refused'])
      expect(text).toContain(words)
  })

  it('says on its page that no server ran, and draws each load over time', () => {
    const page = htmlReport(run)
    expect(page).toContain('No server ran')
    expect(page).not.toContain('over a real network')
    expect(page.match(/class="ts-time"/g)).toHaveLength(2)
  })

  it('names its pools where there are several', async () => {
    const two = await runWith([
      { ...POOL, name: 'reads', role: 'prefill' },
      { ...POOL, name: 'writes', role: 'decode' },
    ])
    for (const report of every) expect(report(two)).toMatch(/reads[\s\S]*writes/)
    expect(textReport(run)).not.toMatch(/^ *4 +main/m)
  })
})

describe('a link between pools', () => {
  const pools = [
    { ...POOL, name: 'reads', role: 'prefill' },
    { ...POOL, name: 'writes', role: 'decode' },
  ] as const
  const full = { busy: 1, meanMoving: 1, meanWaiting: 239 }

  it.each(every.map((report) => [report.name, report] as const))('%s: has a row of its own', async (_, report) => {
    expect(report(await runWith(pools, full))).toMatch(/link\W[\s\S]*100 %[\s\S]*239/)
    expect(report(await runWith(pools))).not.toMatch(/\blink\b/)
  })

  it('is named where it is what binds, and only there', async () => {
    const says = async (link: SimulatedLink) => textReport(await runWith(pools, link)).includes('is what binds')
    expect(await says(full)).toBe(true)
    expect(await says({ ...full, busy: 0.9 })).toBe(false)
    expect(await says({ ...full, meanWaiting: 0.5 })).toBe(false)
    // More wait for the pools.
    expect(await says({ ...full, meanWaiting: 1.1 })).toBe(false)
  })
})

describe('what is little', () => {
  it('is told to two digits, and nothing as nothing', async () => {
    const text = textReport(await runWith([{ ...POOL, meanKvShare: 0.00058, mostKvShare: 0.00064, wastedShare: 0 }]))
    for (const words of ['0.058 %', '0.064 %', ' 0 %']) expect(text).toContain(words)
  })
})

describe('users in step', () => {
  const warns = async (workload: Run['workload']) =>
    textReport(await runWith([POOL], undefined, workload)).includes('keep the users of a closed loop in step')
  const alike = { inputTokens: 512, outputTokens: 128 }
  const lane = { ...alike, load: { kind: 'concurrency', value: 4 } }

  it.each([
    ['all alike', alike],
    ['who think for a fixed time', { ...alike, think: { meanS: 1, distribution: 'constant' } }],
    ['of two lanes alike', { lanes: [lane, lane] }],
  ])('are told of: %s', async (_, workload) => {
    expect(await warns(workload)).toBe(true)
  })

  it.each([
    ['answers that differ', { ...alike, outputTokens: { kind: 'uniform' } }],
    ['who think as they like', { ...alike, think: { meanS: 1, distribution: 'exponential' } }],
    ['who talk on', { ...alike, turns: 3 }],
    ['of lanes that differ', { lanes: [lane, { ...lane, outputTokens: 20 }] }],
    ['of a lane at a rate', { lanes: [lane, { ...lane, load: { kind: 'rate', value: 4 } }] }],
    ['who are not told of', {}],
  ])('are not: %s', async (_, workload) => {
    expect(await warns(workload)).toBe(false)
  })
})

describe('a run of a server', async () => {
  const { header, records } = simulatedRun({ stepS: () => 0.005 }, { loads: [1, 4], engine: 'simulated' })
  const run = await summarizeRun(header, records)

  it('has no inside to tell, and a network', () => {
    for (const report of every) expect(report(run)).not.toContain('Inside the fleet')
    expect(htmlReport(run)).toContain('over a real network')
  })
})

describe.each(every.map((report) => [report.name, report] as const))('what was put in, in %s', (_, report) => {
  const law = { baseS: 0.005, perSequenceS: 0.00025 }
  const policy = { prefixCache: false }
  const told = async (pools: readonly unknown[], more: Partial<Run> = {}, workload: Run['workload'] = {}) => {
    const run = await runWith([POOL], undefined, { ...workload, fleet: { pools } })
    return report({ ...run, ...more }).replaceAll('\\', '')
  }
  const free = 'no term for prompts'
  const loud = 'do not trust that it is held'

  it('a law that reads prompts for free is told of, loudly where a wait is asked for', async () => {
    const pool = { name: 'main', role: 'both', law, policy }
    expect(await told([pool])).toContain(`This law has ${free}`)
    expect(await told([pool])).not.toContain(loud)
    expect(await told([pool], { objectives: { ttftMs: 500 } })).toContain(loud)
    expect(await told([pool], { objectives: { tokensPerSecond: 50 } })).not.toContain(loud)
    expect(await told([{ ...pool, law: { ...law, perPrefillTokenS: 1e-5 } }])).not.toContain(free)
  })

  it('the law of a pool that reads nothing needs no such term', async () => {
    const pools = [
      { name: 'reads', role: 'prefill', law, policy },
      { name: 'writes', role: 'decode', law, policy },
    ]
    expect(await told(pools)).toContain(`The law of reads has ${free}`)
    expect(await told(pools.slice(1))).not.toContain(free)
  })

  it('step times from datasheets are trusted as those of predict are', async () => {
    const confidence = { class: 'uncalibrated', low: 0.81, high: 1.23, ttft: { low: 0.91, high: 6.7 } } as const
    const surer = { ...confidence, low: 0.95, high: 1.05 }
    const text = await told([
      { role: 'both', confidence: surer },
      { role: 'both', confidence },
    ])
    expect(text).toMatch(/How far to trust it: .*uncalibrated.* 0\.81 to 1\.23 times the pace .*0\.91 to 6\.7 times/)
    expect(await told([{ role: 'both', law, policy }])).not.toContain('How far to trust it')
  })

  it('a prefix cache is said to have nothing to share only where that is so', async () => {
    const pools = [{ role: 'both', law, policy: { prefixCache: true } }]
    const nothing = 'has nothing to share'
    const trace = (hasBlocks: boolean) => ({ trace: { hasBlocks } })
    expect(await told(pools)).toContain(nothing)
    expect(await told(pools, {}, trace(false))).toContain(`${nothing}: the trace has no block ids`)
    for (const shared of [trace(true), { turns: 3 }, { prefixShare: 0.5 }, { lanes: [{}, { turns: 3 }] }])
      expect(await told(pools, {}, shared)).not.toContain(nothing)
    expect(await told([{ role: 'both', law, policy }])).not.toContain(nothing)
  })
})
