import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ofLane } from '../../src/cli/lane.ts'
import type { Objectives, Run } from '../../src/core/index.ts'
import { mismatches } from '../support/cases.ts'
import { type Ended, runCli } from './run-cli.ts'

const LANES = `
pools: {all: {law: "a=5ms,b=0.25ms", gpus: 2}}
lanes:
  chat: {outputTokens: 100, inputTokens: 50, floor: 30}
  batch: {concurrency: 8, priority: 1, outputTokens: 300, inputTokens: 50}
`
const dir = mkdtempSync(join(tmpdir(), 'twospeed-lane-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))
writeFileSync(join(dir, 'lanes.yaml'), LANES)
writeFileSync(join(dir, 'points.csv'), 'concurrency,outputTokensPerSecond\n20,2000\n80,3200\n')
const simulated = runCli(
  ['simulate', '--lanes', 'lanes.yaml', '--rate', '5/s,10/s,20/s', '--requests', '300', '--out', 'run', '--json'],
  dir,
)
const run = JSON.parse(simulated.stdout) as Run
const of = (...args: readonly string[]): Ended => runCli(args, dir)

describe('a lane of a run', () => {
  it('has its own figures, lengths and nothing of what was asked of all', () => {
    const { run: chat } = ofLane({ ...run, objectives: { ttftMs: 1 } }, 'run', 'chat')
    expect(chat.points).toHaveLength(3)
    for (const [i, point] of chat.points.entries()) {
      const told = run.points[i]?.simulation?.lanes?.find(({ name }) => name === 'chat')
      expect(point).toMatchObject({ littlesLaw: told?.littlesLaw, latency: told?.latency, tokens: told?.tokens })
      expect(point.simulation).toBeUndefined()
    }
    expect(chat.workload).toMatchObject({ inputTokens: 50, outputTokens: 100 })
    expect(chat.objectives).toEqual({ tokensPerSecond: 30 })
  })

  it('has counted its own objective, and no other', () => {
    const attained = (objectives: Objectives): readonly (number | undefined)[] =>
      ofLane({ ...run, objectives }, 'run', 'chat').run.points.map(({ goodput }) => goodput?.attainment)
    expect(attained({ tokensPerSecond: 30 })).toEqual([1, 1, 1])
    expect(attained({ tokensPerSecond: 100 })).toEqual([undefined, undefined, undefined])
    const neighbour = (floor: string): { readonly attainment?: number } =>
      JSON.parse(of('choose', 'run', '--lane', 'chat', '--floor', floor, '--share', '0.9', '--json').stdout)
        .neighbours[0]
    expect(neighbour('30').attainment).toBe(1)
    expect(neighbour('100')).not.toHaveProperty('attainment')
  })

  it('is chosen from, planned with and fitted, and each says which it is of', () => {
    const chosen = JSON.parse(of('choose', 'run', '--lane', 'chat', '--floor', '20', '--json').stdout)
    const most = run.points.at(-1)?.simulation?.lanes?.find(({ name }) => name === 'chat')
    expect(
      mismatches(chosen, {
        'warnings[0]': { matches: '^Of run only lane chat is looked at: .* beside batch' },
        'fit.lengths.output': { value: 100 },
      }),
    ).toEqual([])
    const loads = chosen.frontier.flatMap((point: { source: string; concurrency: number }) =>
      point.source === 'measured' ? point.concurrency : [],
    )
    expect(loads.at(-1)).toBeCloseTo(most?.littlesLaw.inFlight ?? 0, 6)
    const planned = of('plan', 'run', '--lane', 'chat', '--floor', '20', '--arrivals', '50/s')
    expect(planned.stdout).toContain('Of run only lane chat is looked at')
    const { stderr, stdout } = of('fit', 'run', '--lane', 'chat', '--json')
    expect(stderr).toContain('Of run only lane chat')
    expect(JSON.parse(stdout).fit.lengths).toEqual({ input: 50, output: 100 })
  })

  it('is of the replicas and GPUs of the pools that it is kept to, unless GPUs are said', () => {
    const pool = { role: 'both', gpusPerReplica: 2 }
    const pools = [
      { ...pool, name: 'fast', replicas: 1 },
      { ...pool, name: 'slow', replicas: 3 },
    ]
    const lanes = [{ name: 'chat', pools: ['fast'] }, { name: 'batch' }]
    const points = run.points.map((point) => {
      const perGpu = { outputTokensPerSecond: 10, totalTokensPerSecond: 30 }
      const told = point.simulation?.lanes?.map((lane) => ({ ...lane, perGpu }))
      return { ...point, ...(point.simulation && told && { simulation: { ...point.simulation, lanes: told } }) }
    })
    const fleet = { ...run, points, hardware: { gpus: 8, replicas: 4 }, workload: { fleet: { pools }, lanes } }
    const of = (name: string, more: Partial<Run> = {}): Run => ofLane({ ...fleet, ...more }, 'run', name).run
    const shared = 'The same servers also have batch'
    expect(ofLane(fleet, 'run', 'chat').warning).toContain(shared)
    const apart = { fleet: { pools }, lanes: [lanes[0], { name: 'batch', pools: ['slow'] }] }
    expect(ofLane({ ...fleet, workload: apart }, 'run', 'chat').warning).not.toContain(shared)
    expect(of('chat').hardware).toEqual({ gpus: 2, replicas: 1 })
    expect(of('chat').points[0]?.perGpu).toEqual({ outputTokensPerSecond: 40, totalTokensPerSecond: 120 })
    expect(of('batch').hardware).toEqual({ gpus: 8, replicas: 4 })
    expect(of('batch').points[0]?.perGpu).toEqual({ outputTokensPerSecond: 10, totalTokensPerSecond: 30 })
    expect(of('chat', { hardware: { gpus: 3, replicas: 4, name: 'H100' } }).hardware).toEqual({
      gpus: 3,
      replicas: 1,
      name: 'H100',
    })
  })

  it('is asked for where none is named: the figures are of their mix', () => {
    const { warnings } = JSON.parse(of('choose', 'run', '--floor', '20', '--json').stdout)
    const mix = 'run is of several lanes (chat, batch), and its figures are of their mix: --lane takes one of them.'
    expect(warnings).toEqual([mix])
    expect(of('choose', 'run').stdout).toContain(mix)
    expect(of('fit', 'run').stderr).toBe(`${mix}\n`)
  })

  it.each([
    [['choose', 'run', '--lane', 'chats', '--floor', '20'], 'INVALID_VALUE: --lane chats: run has no such lane'],
    [['fit', 'run', '--lane', 'chats'], 'It has chat, batch.'],
    [['choose', 'points.csv', '--lane', 'chat', '--floor', '20'], 'CONFLICTING_FLAGS: --lane chat: nothing'],
    [['fit', 'points.csv', '--lane', 'chat'], 'CONFLICTING_FLAGS: --lane chat: nothing'],
    [
      [
        ...'predict --model llama-3.1-8b --gpu h100-sxm --input-tokens 50 --output-tokens 100 --calibrate run'.split(
          ' ',
        ),
      ],
      'CONFLICTING_FLAGS: --calibrate run: it is of several lanes (chat, batch)',
    ],
    [
      [...'plan points.csv --floor 50 --output-tokens 300 --curve 0h:2/s,24h:2/s --peak 1/s'.split(' ')],
      'CONFLICTING_FLAGS: --peak is less than the mean of --curve',
    ],
  ] as const)('%j is refused', (args, words) => {
    const { exit, stderr } = of(...args)
    expect(stderr).toContain(words)
    expect(exit).toBe(2)
  })
})
