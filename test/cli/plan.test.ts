import { describe, expect, it } from 'vitest'
import { PRODUCTS } from '../../src/plan/index.ts'
import { writeRunOfCase } from '../store/run-of-case.ts'
import { mismatches } from '../support/cases.ts'
import { crossedRun } from '../support/crossed-run.ts'
import { describePlanningCases, folderWith } from '../support/planning-case.ts'
import { type Ended, runCli } from './run-cli.ts'

const LESSON = 'concurrency,outputTokensPerSecond\n20,2000\n80,3200\n'

const plan = (args: readonly string[], files: Readonly<Record<string, string>> = {}): Ended =>
  runCli(['plan', ...args], folderWith({ 'points.csv': LESSON, ...files }))

const asked = ['--arrivals', '10/s', '--output-tokens', '300']

describePlanningCases('plan', 7)

describe('the lesson, for a person', () => {
  it('is arithmetic that can be followed', () => {
    const { exit, stdout } = plan(['points.csv', '--floor', '100', ...asked, '--gpu-hour', '2.5'])
    expect(exit).toBe(0)
    expect(stdout).toContain('Plan: 2 replicas (2 GPUs) for 10 requests/s in the mean; 3 replicas (3 GPUs)')
    expect(stdout).toContain('Load: 20 in flight, measured: 100 tok/s/user, 2,000 tok/s.')
    expect(stdout).toContain('W = 300 tokens ÷ 100 tok/s = 3 s: the wait for the first token is not known')
    expect(stdout).toContain('L = λ·W = 10 requests/s × 3 s = 30 in flight.')
    expect(stdout).toContain('30 ÷ 20 in flight each = 1.5, so 2: 2 replicas × 1 = 2 GPUs.')
    expect(stdout).toContain('Each then has 12 in flight at 125 tok/s/user, and a request takes 2.4 s.')
    expect(stdout).toContain('10.8 million an hour: 0.46 a million output tokens.')
    expect(stdout).toContain(
      '2 replicas hold up to 13.3 requests/s; beyond that the floor of 100 tok/s/user breaks first.',
    )
    expect(stdout).toContain('Extrapolated: what each replica will really have, 12 in flight.')
  })

  it('counts users as those who ask, and their cache', () => {
    const users = ['--users', '5000', '--think', '30s', '--output-tokens', '500', '--input-tokens', '1000']
    const { stdout } = plan(['points.csv', '--floor', '50', ...users, '--kv-bytes', '131072'])
    expect(stdout).toContain('λ = 5,000 users ÷ (10 s + 30 s of thinking) = 125 requests/s.')
    expect(stdout).toContain('1,250 tokens a request, × 1,250 in flight = 1,562,500 tokens, 205 GB')
  })

  it('is a time for a batch', () => {
    const batch = ['--product', 'batch', '--requests', '10000', '--output-tokens', '500']
    expect(plan(['points.csv', ...batch]).stdout).toContain('Plan: 1 replica (1 GPU), done in 1,563 s (26 min 3 s).')
    const { stdout } = plan(['points.csv', ...batch, '--deadline', '10m'])
    expect(stdout).toContain('Plan: 3 replicas (3 GPUs), done in 521 s')
    expect(stdout).toContain('Deadline: 10 min; 2 would take 13 min.')
    const late = plan(['points.csv', ...batch, '--deadline', '2s', '--json'])
    expect(late.exit).toBe(1)
    expect(late.stdout).toContain('one answer alone takes 2.63 s')
  })
})

describe('what a plan is made from', () => {
  const floor = ['--floor', '50', ...asked, '--json']

  it('is a points file, a law, or a fit, said in either way', () => {
    const fit = '{"fit": {"stepMs": {"base": 5, "perSequence": 0.25}, "gpus": 4}}'
    const expected = { 'choice.concurrency': { value: 60 }, replicas: { value: 1 } }
    for (const source of [['points.csv'], ['--points', 'points.csv'], ['--law', 'a=5ms,b=0.25ms'], ['fit.json']]) {
      const { stdout } = plan([...source, ...floor], { 'fit.json': fit })
      expect(mismatches(JSON.parse(stdout), expected)).toEqual([])
    }
    expect(JSON.parse(plan(['fit.json', ...floor], { 'fit.json': fit }).stdout)).toMatchObject({ gpus: 4 })
  })

  it('is a run, and its lengths where none are asked for', () => {
    const dir = folderWith({})
    const { header, records } = crossedRun()
    writeRunOfCase(
      { id: 'crossed', title: '', hardware: { gpus: 2 }, points: header.points, requests: records, expect: {} },
      dir,
    )
    const args = ['plan', dir, '--floor', '60', '--arrivals', '10/s', '--output-tokens', '300']
    const typical = runCli([...args, '--json'], dir)
    expect(typical.exit).toBe(0)
    const answer = JSON.parse(typical.stdout) as { gpus: number; replicas: number; inFlight: number }
    expect(answer.gpus).toBe(2 * answer.replicas)
    const shared = runCli([...args, '--share', '0.9', '--ttft', '100ms', '--json'], dir)
    expect(shared.exit).toBe(0)
    expect(JSON.parse(shared.stdout)).toMatchObject({ product: { share: 0.9, ttftMs: 100 } })
    expect(runCli(args, dir).stdout).toContain('to the first token (median)')
  })

  it('is refused beyond what was measured, where it is to be strict', () => {
    const beyond = ['points.csv', '--floor', '30', ...asked]
    expect(plan(beyond).stdout).toContain('Extrapolated: the chosen load, 113 in flight (measured: 20 to 80)')
    const strict = plan([...beyond, '--strict'])
    expect(strict.exit).toBe(1)
    expect(strict.stderr).toContain('NO_POINT_HOLDS: --strict')
  })
})

describe('products', () => {
  it.each(Object.entries(PRODUCTS).filter(([, { goal }]) => goal === 'pace'))(
    '%s tells where its limits come from',
    (name, product) => {
      const { stdout } = plan(['--law', 'a=5ms,b=0.25ms', '--product', name, ...asked])
      expect(product.source).toBeDefined()
      expect(stdout).toContain(`(${product.source})`)
      const own = plan(['--law', 'a=5ms,b=0.25ms', '--product', name, '--floor', '20', ...asked])
      expect(own.stdout).toContain(`(${product.source}, but for the floor)`)
    },
  )

  it('of a file may say what requests they bring', () => {
    const kiosk = 'name: kiosk\nfloor: 100\ninputTokens: 200\noutputTokens: uniform:200-400\n'
    const { stdout } = plan(['points.csv', '--product', 'kiosk.yaml', '--arrivals', '10/s', '--json'], {
      'kiosk.yaml': kiosk,
    })
    const expected = { inFlight: { value: 30 }, replicas: { value: 2 }, 'kv.tokensPerRequest': { value: 350 } }
    expect(mismatches(JSON.parse(stdout), expected)).toEqual([])
    const night = 'name: night\nrequests: 10000\noutputTokens: 500\ndeadline: 10m\n'
    const batch = plan(['points.csv', '--product', 'night.yaml', '--json'], { 'night.yaml': night })
    expect(JSON.parse(batch.stdout)).toMatchObject({ replicas: 3, product: { name: 'night', goal: 'throughput' } })
  })

  it.each([
    ['floor: 50\nrequests: 5\n', ['throughput has no floor']],
    ['goal: pace\nfloor: 50\ndeadline: 5m\n', ['wants a pace has no deadline']],
    ['goal: throughput\nttft: 1s\nfloor: 3\n', ['has no floor or ttft']],
    ['floor: 50\nfloor: 60\n', ['unique']],
    ['floor: -1\nspeed: 3\ninputTokens: 0\n', ['floor:', 'unknown key "speed"', 'inputTokens:']],
    ['name: x\n', ['needs a floor']],
    ['- 1\n', ['no keys']],
  ])('%j is refused, with every problem', (yaml, problems) => {
    const { exit, stderr } = plan(['points.csv', '--product', 'bad.yaml', ...asked], { 'bad.yaml': yaml })
    expect(exit).toBe(2)
    for (const problem of ['INVALID_CONFIG', ...problems]) expect(stderr).toContain(problem)
  })
})

describe('wrong use', () => {
  it.each([
    [['points.csv', ...asked], 'MISSING_VALUE', '--product chat, or --floor'],
    [['points.csv', '--floor', '50', '--arrivals', '10/s'], 'MISSING_VALUE', '--output-tokens'],
    [['points.csv', '--floor', '50', '--output-tokens', '9'], 'MISSING_VALUE', '--arrivals'],
    [['points.csv', '--points', 'points.csv', '--floor', '50', ...asked], 'CONFLICTING_FLAGS', '--points'],
    [['points.csv', '--floor', '50', '--ttft', '1s', ...asked], 'CONFLICTING_FLAGS', '--ttft'],
    [['points.csv', '--floor', '50', '--users', '0', '--output-tokens', '9'], 'INVALID_VALUE', 'users'],
    [['points.csv', '--floor', '50', '--share', '1.5', ...asked], 'INVALID_VALUE', 'share'],
    [['points.csv', '--floor', '50', '--think', '9s', ...asked], 'CONFLICTING_FLAGS', '--think'],
    [['points.csv', '--floor', '50', '--gpu-hour', 'x', ...asked], 'INVALID_VALUE', 'gpu-hour'],
    [['none', '--floor', '50', ...asked], 'FILE_NOT_READABLE', 'none'],
    [['--floor', '50', ...asked], 'MISSING_VALUE', 'nothing to choose from'],
  ])('%j is refused as %s', (args, code, mentions) => {
    const { exit, stdout, stderr } = plan(args)
    expect(stderr).toContain(`${code}: `)
    expect(stderr).toContain(mentions)
    expect(stdout).toBe('')
    expect(exit).toBe(2)
    expect(stderr).not.toMatch(/\n\s+at /)
  })

  it('a floor that no load gives is no plan', () => {
    const { exit, stderr } = plan(['points.csv', '--floor', '250', ...asked])
    expect(exit).toBe(1)
    expect(stderr).toContain('the fastest is 190')
  })
})
