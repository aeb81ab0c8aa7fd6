import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sourcesOf } from '../../../src/cli/planning/sources.ts'
import { writeRunOfCase } from '../../store/run-of-case.ts'
import { type Expectations, mismatches } from '../../support/cases.ts'
import { crossedRun } from '../../support/crossed-run.ts'
import { folderWith } from '../../support/planning-case.ts'
import { type Ended, runCli } from '../run-cli.ts'

const LESSON = 'concurrency,outputTokensPerSecond\n20,2000\n80,3200\n'
const TWICE = 'concurrency,outputTokensPerSecond\n20,4000\n80,6400\n'
const LAYOUT = ['--model', 'llama-3.1-8b', '--gpu', 'h100-sxm', '--input-tokens', '1024', '--output-tokens', '256']

const run = (...args: string[]): Ended => runCli(args, folderWith({ 'a.csv': LESSON, 'b.csv': TWICE }))
const answered = (...args: string[]): unknown => JSON.parse(run(...args, '--json').stdout)

describe('several ways to serve', () => {
  it('are each a candidate: files, and a model on GPUs beside them', () => {
    const answer = answered('choose', 'a.csv', 'b.csv', ...LAYOUT, '--tp', '1', '--floor', '100')
    const { choice, alternatives } = answer as {
      choice: { configuration: string; tokensPerSecondPerGpu: number }
      alternatives: { configuration: string; choice: { tokensPerSecondPerGpu: number } }[]
    }
    const all = [choice.configuration, ...alternatives.map(({ configuration }) => configuration)]
    expect(all.toSorted()).toEqual(['a.csv', 'b.csv', 'h100-sxm TP1'])
    for (const other of alternatives) {
      expect(other.choice.tokensPerSecondPerGpu).toBeLessThanOrEqual(choice.tokensPerSecondPerGpu)
    }
  })

  it('named alike are told apart', () => {
    const answer = answered('choose', 'a.csv', 'a.csv', '--floor', '50')
    const expected = {
      'choice.configuration': { value: 'a.csv' },
      'alternatives[0].configuration': { value: 'a.csv (2)' },
    }
    expect(mismatches(answer, expected)).toEqual([])
  })

  it('without an objective are no choice', () => {
    const { exit, stderr } = run('choose', 'a.csv', 'b.csv')
    expect(exit).toBe(2)
    expect(stderr).toContain('MISSING_VALUE: a choice among 2 ways to serve is made for a product')
  })

  it('of GPUs with other prices are judged by money', () => {
    const prices = ['--gpu-hour', 'h100-sxm=1,b200=100']
    const gpus = [...LAYOUT.slice(0, 3), 'h100-sxm,b200', ...LAYOUT.slice(4)]
    const cheap = answered('choose', ...gpus, ...prices, '--tp', '1', '--floor', '50')
    expect(mismatches(cheap, { 'choice.configuration': { value: 'h100-sxm TP1' } })).toEqual([])
    const plain = answered('choose', ...gpus, '--tp', '1', '--floor', '50')
    expect(mismatches(plain, { 'choice.configuration': { value: 'b200-sxm TP1' } })).toEqual([])
  })
})

describe('a share of requests that nobody counted', () => {
  const asked = (sharesForetold: boolean) => ({
    products: [{ name: 'own', goal: 'pace', tokensPerSecond: 50, share: 0.95 }] as const,
    lengths: {},
    sharesForetold,
  })

  it('is for the check of a plan, of points and of a law; a choice has none and is refused', async () => {
    const points = join(folderWith({ 'a.csv': LESSON }), 'a.csv')
    const ways = [
      [[points], { gpus: 1 }],
      [[], { points, gpus: 1 }],
      [[], { law: 'a=5ms,b=0.25ms', gpus: 1 }],
    ] as const
    for (const [paths, flags] of ways) {
      expect((await sourcesOf(paths, flags, asked(true))).candidates).toHaveLength(1)
      await expect(sourcesOf(paths, flags, asked(false))).rejects.toThrow('a share of requests needs a run folder')
    }
  })
})

describe('runs', () => {
  const withRun = (files: Readonly<Record<string, string>> = {}): string => {
    const dir = folderWith({ 'a.csv': LESSON, ...files })
    const { header, records } = crossedRun()
    const hardware = { gpus: 1, name: 'NVIDIA H100 80GB HBM3' }
    const path = join(dir, 'run')
    mkdirSync(path)
    writeRunOfCase({ id: 'run', title: '', hardware, points: header.points, requests: records, expect: {} }, path)
    const file = join(path, 'run.json')
    const workload = { name: 'run', inputTokens: 100, outputTokens: 100 }
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), workload }))
    return dir
  }

  it('are judged for each product by the share of requests that it asks for', () => {
    const products = { 'many.yaml': 'name: many\nfloor: 60\nshare: 0.95\n', 'usual.yaml': 'name: usual\nfloor: 60\n' }
    const dir = withRun(products)
    const loadOf = (...asked: string[]): unknown =>
      JSON.parse(runCli(['choose', 'run', ...asked, '--json'], dir).stdout)
    const both = loadOf('--product', 'many.yaml,usual.yaml') as { products: { answer: { choice: object } }[] }
    const [many, usual] = both.products.map(({ answer }) => answer.choice)
    expect(many).toEqual((loadOf('--product', 'many.yaml') as { choice: object }).choice)
    expect(usual).toEqual((loadOf('--product', 'usual.yaml') as { choice: object }).choice)
    expect(many).not.toEqual(usual)
  })

  it('stand beside points, by the folder or its own file, and their GPU is known by its name', () => {
    const dir = withRun()
    const asked = ['run/run.json', 'a.csv', '--floor', '60', '--gpu-hour', '2', '--json']
    const { choice, alternatives } = JSON.parse(runCli(['choose', ...asked], dir).stdout)
    expect([choice.configuration, alternatives[0].configuration].toSorted()).toEqual(['a.csv', 'run'])
    const priced = runCli(['choose', 'run', '--floor', '60', '--gpu-hour', 'h100=2', '--json'], dir)
    expect(JSON.parse(priced.stdout).choice.perMillionOutputTokens).toBeGreaterThan(0)
  })

  it('with other lengths are a new shape, told and refused by --strict', () => {
    const dir = withRun()
    const asked = ['choose', 'run', '--floor', '85', '--input-tokens', '9000', '--output-tokens', '100']
    const { confidence } = JSON.parse(runCli([...asked, '--json'], dir).stdout)
    expect(confidence.class).toBe('newShape')
    expect(confidence.high / confidence.low).toBeGreaterThan(1.5)
    expect(runCli([...asked, '--strict'], dir).exit).toBe(1)
    expect(runCli(['choose', 'run', '--floor', '85', '--strict'], dir).exit).toBe(0)
  })
})

describe('what predict prints', () => {
  it('is chosen from as its flags are, at the loads that it tells', () => {
    const printed = run('predict', ...LAYOUT, '--json').stdout
    const search = run('predict', ...LAYOUT, '--search', '--gpus', '2', '--json').stdout
    const files = folderWith({ 'p.json': printed, 's.json': search })
    const ofFile = JSON.parse(runCli(['choose', 'p.json', '--floor', '50', '--json'], files).stdout)
    const ofFlags = answered('choose', ...LAYOUT, '--tp', '1', '--floor', '50') as { choice: { concurrency: number } }
    const near = ofFlags.choice.concurrency
    const expected = {
      'choice.concurrency': { min: 0.9 * near, max: 1.1 * near },
      'choice.source': { value: 'extrapolated' },
      'confidence.class': { value: 'uncalibrated' },
      'fit.reliable': { value: false },
    }
    expect(mismatches(ofFile, expected)).toEqual([])
    const ofSearch = runCli(['choose', 's.json', '--floor', '50', '--json'], files)
    expect(mismatches(JSON.parse(ofSearch.stdout), { 'choice.configuration': { matches: '^s.json ' } })).toEqual([])
  })

  it('is refused by --strict, as its flags are; what was measured is not', () => {
    const { exit, stderr } = run('choose', ...LAYOUT, '--floor', '50', '--strict')
    expect(exit).toBe(1)
    expect(stderr).toContain('NO_POINT_HOLDS')
    expect(run('choose', 'a.csv', '--floor', '100', '--strict').exit).toBe(0)
  })
})

describe('a plan', () => {
  it('takes a model on GPUs in place of a file, split pools beside its layouts', () => {
    const answer = answered('plan', ...LAYOUT, '--product', 'chat', '--arrivals', '40/s', '--gpu-hour', '2.5')
    const expected = {
      'energy.kilowatts': { min: 0.7, max: 100 },
      'cost.perHour': { min: 2.5, max: 100 },
      'confidence.class': { value: 'uncalibrated' },
      alternatives: { nonEmpty: true },
    } as const
    expect(mismatches(answer, expected)).toEqual([])
  })

  it('knows the power of GPUs that are named, or that a flag tells, and guesses none', () => {
    const asked = ['plan', 'a.csv', '--floor', '50', '--arrivals', '10/s', '--output-tokens', '300']
    const energy = (watts: number) => ({ 'energy.kilowatts': { value: watts / 1000, tol: 1e-9 } })
    expect(mismatches(answered(...asked), { energy: { absent: true } })).toEqual([])
    expect(mismatches(answered(...asked, '--gpu', 'h100-sxm'), energy(700))).toEqual([])
    expect(mismatches(answered(...asked, '--gpu-watts', '500'), energy(500))).toEqual([])
  })

  it('of a curve is for its mean, and for its top', () => {
    const answer = answered(
      'plan',
      'a.csv',
      '--floor',
      '50',
      '--curve',
      '0h:2/s,12h:10/s,24h:2/s',
      '--output-tokens',
      '300',
    )
    const expected = {
      arrivalsPerSecond: { value: 6, tol: 1e-9 },
      'peak.by': { value: 'day' },
      'day.sentence': { matches: '.' },
    }
    expect(mismatches(answer, expected)).toEqual([])
  })

  it('of several products tells those of each', () => {
    const files = folderWith({
      'a.csv': LESSON,
      'kiosk.yaml': 'name: kiosk\nfloor: 100\narrivals: 10/s\noutputTokens: 300\n',
      'slow.yaml': 'name: slow\nfloor: 50\nusers: 100\nthink: 10s\noutputTokens: 300\n',
      'fast.yaml': 'name: fast\nfloor: 900\narrivals: 1/s\noutputTokens: 300\n',
    })
    const two = runCli(['plan', 'a.csv', '--product', 'kiosk.yaml,slow.yaml', '--json'], files)
    expect(two.exit).toBe(0)
    const expected: Expectations = {
      'plans[0].inFlight': { value: 30 },
      'plans[1].users': { value: 100 },
      'refused[0]': { absent: true },
    }
    expect(mismatches(JSON.parse(two.stdout), expected)).toEqual([])
    const three = runCli(['plan', 'a.csv', '--product', 'kiosk.yaml', '--product', 'fast.yaml', '--json'], files)
    expect(three.exit).toBe(1)
    expect(mismatches(JSON.parse(three.stdout), { 'refused[0].product.name': { value: 'fast' } })).toEqual([])
  })

  it('is shown beside itself with one thing changed', () => {
    const asked = ['plan', 'a.csv', '--floor', '100', '--arrivals', '10/s', '--output-tokens', '300']
    const answer = answered(...asked, '--what-if', 'arrivals=20/s', '--what-if', 'floor=900')
    const expected = {
      replicas: { value: 2 },
      'whatIf[0].answer.replicas': { value: 3 },
      'whatIf[0].change': { value: 'arrivals=20/s' },
      'whatIf[1].error.code': { value: 'NO_POINT_HOLDS' },
    }
    expect(mismatches(answer, expected)).toEqual([])
    const { differences } = (answer as { whatIf: [{ differences: unknown[] }] }).whatIf[0]
    expect(differences).toContainEqual({ key: 'replicas', from: 2, to: 3 })
    const text = run(...asked, '--what-if', 'arrivals=20/s', '--markdown').stdout
    expect(text).toContain('arrivals=20/s')
  })
})

describe('wrong use of what there is to choose from', () => {
  const asked = ['--floor', '50']
  it.each([
    [['a.csv', '--tp', '2', '--precision', 'fp8'], 'CONFLICTING_FLAGS', '--tp, --precision: of a model'],
    [['a.csv', '--gpu', 'h100-sxm,b200'], 'CONFLICTING_FLAGS', '--gpu names several'],
    [['a.csv', 'b.csv', '--law', 'a=5ms,b=1ms'], 'CONFLICTING_FLAGS', '--law is in place'],
    [['--model', 'llama-3.1-8b'], 'MISSING_VALUE', '--gpu, --input-tokens, --output-tokens'],
    [[...LAYOUT, '--prefill', '1x1'], 'CONFLICTING_FLAGS', '--prefill and --decode go together'],
    [[...LAYOUT, '--prefill', '1x1', '--decode', '1x1', '--tp', '2'], 'CONFLICTING_FLAGS', '--tp: a pool says its own'],
    [[...LAYOUT, '--share', '0.9'], 'CONFLICTING_FLAGS', 'needs a run folder'],
    [
      [...LAYOUT, '--gpu-hour', 'b200=3'],
      'CONFLICTING_FLAGS',
      'which nothing runs on; --gpu-hour has no price of h100-sxm',
    ],
    [['a.csv', '--product', 'chat,chat'], 'CONFLICTING_FLAGS', 'two products are called chat'],
    [['a.csv', '--what-if', 'flor=3'], 'INVALID_VALUE', '--what-if "flor=3"'],
  ])('%j is refused as %s', (args, code, mentions) => {
    const { exit, stdout, stderr } = run('choose', ...args, ...asked)
    expect(stderr).toContain(`${code}: `)
    expect(stderr).toContain(mentions)
    expect([exit, stdout]).toEqual([2, ''])
  })

  it('of what to print is an error as JSON', () => {
    const { exit, stdout } = run('choose', 'a.csv', '--json', '--markdown', ...asked)
    expect(exit).toBe(2)
    expect(mismatches(JSON.parse(stdout), { 'error.code': { value: 'CONFLICTING_FLAGS' } })).toEqual([])
  })
})
