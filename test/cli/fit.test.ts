import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { FitAnswer } from '../../src/core/index.ts'
import { mismatches } from '../support/cases.ts'
import { describePlanningCases, folderWith } from '../support/planning-case.ts'
import { type SimulatedLoad, simulatedRun } from '../support/simulated-run.ts'
import { type Ended, runCli } from './run-cli.ts'

describePlanningCases('fit', 2)

const LESSON = 'concurrency,outputTokensPerSecond\n20,2000\n80,3200\n'

const fitOf = (args: readonly string[], csv: string = LESSON): Ended =>
  runCli(['fit', '--points', 'points.csv', ...args], folderWith({ 'points.csv': csv }))

function answered(ended: Ended): FitAnswer {
  expect(ended.stderr).toBe('')
  expect(ended.exit).toBe(0)
  expect(ended.stdout).not.toContain('null')
  return JSON.parse(ended.stdout) as FitAnswer
}

/** A points file of a server whose step of B streams takes so many ms. */
const pointsOf = (loads: readonly number[], stepMs: (batch: number) => number): string =>
  `concurrency,outputTokensPerSecond\n${loads.map((load) => `${load},${(1000 * load) / stepMs(load)}\n`).join('')}`

describe('the lesson', () => {
  it('gives the law, its limits and the speeds at the loads asked for', () => {
    const lengths = ['--input-tokens', '900', '--output-tokens', '200']
    const answer = answered(fitOf(['--at', '40,60', '--gpus', '4', '--kv-tokens', '100000', ...lengths, '--json']))
    // T(40) = 15 ms; a token in 0.25 ms at the most, of 200 each; 900 + 200 / 2 tokens of context.
    expect(
      mismatches(answer, {
        'fit.law': { value: 'affine' },
        'fit.stepMs.base': { value: 5, tol: 1e-6 },
        'fit.stepMs.perSequence': { value: 0.25, tol: 1e-6 },
        'fit.soloTokensPerSecond': { value: 1000 / 5.25, tol: 1e-3 },
        'fit.stability.tokensPerSecond': { value: 4000, tol: 1e-3 },
        'fit.stability.requestsPerSecond': { value: 20, tol: 1e-3 },
        'fit.priceOfSpeed.tokensPerSecond': { value: 20, tol: 1e-3 },
        'fit.priceOfSpeed.tokensPerSecondPerGpu': { value: 5, tol: 1e-3 },
        'fit.kvLimit.concurrency': { value: 100, tol: 1 },
      }),
    ).toEqual([])
    expect(answer.setAside).toEqual([])
    const asked = answer.frontier.filter(({ concurrency }) => concurrency === 40 || concurrency === 60)
    expect(asked.map(({ tokensPerSecondPerUser }) => tokensPerSecondPerUser)).toEqual([
      expect.closeTo(1000 / 15, 3),
      expect.closeTo(50, 3),
    ])
    for (const { low = 0, high = 0, tokensPerSecondPerUser: pace, source, tokensPerSecondPerGpu } of asked) {
      expect(source).toBe('fitted')
      expect(low).toBeLessThan(pace)
      expect(high).toBeGreaterThan(pace)
      expect(tokensPerSecondPerGpu).toBeGreaterThan(650)
    }
  })

  it('is told to a person, and as Markdown', () => {
    const lengths = ['--input-tokens', '900', '--output-tokens', '200']
    const { stdout } = fitOf(['--at', '40', '--kv-tokens', '100000', ...lengths])
    expect(stdout).toContain('The law of points.csv: 2 loads · 1 GPU · 900 tokens in, 200 out')
    expect(stdout).toMatch(/^ *40 +66\.7 .* fitted$/m)
    expect(stdout).toContain('T(B) = 5 ms + 0.25 ms × B')
    expect(stdout).toContain('One user alone: 190 tok/s.')
    expect(stdout).toContain('Price of speed: each tok/s more for a user costs 20 tok/s of the server.')
    expect(stdout).toContain('Stability limit: 4,000 tok/s, 20 requests/s of 200 tokens.')
    expect(stdout).toContain('Memory: 100,000 KV tokens hold 100 requests of 1,000 tokens each')
    expect(stdout).toContain('Not reliable: two loads')
    const markdown = fitOf(['--markdown']).stdout
    expect(markdown).toMatch(/^# The law of points\.csv/)
    expect(markdown).toContain('| in flight | tok/s/user |')
    expect(markdown).toContain('- Law: one decode step')
  })

  it('says of which loads nothing is known, and leaves them out', () => {
    const { stdout, stderr, exit } = fitOf(['--at', '40,100000', '--json'])
    expect(exit).toBe(0)
    expect(stderr).toContain('points.csv: nothing is known of 100,000 in flight')
    const loads = (JSON.parse(stdout) as FitAnswer).frontier.map(({ concurrency }) => concurrency)
    expect(loads).toContain(40)
    expect(loads).not.toContain(100000)
  })
})

describe('a mixture of experts', () => {
  const stepMs = (batch: number): number => 4 + 0.1 * batch + 20 * (1 - (1 - 8 / 128) ** batch)
  const csv = pointsOf([1, 4, 16, 64, 256], stepMs)

  it('takes the expert term where its shape is named, and no straight line fits it', () => {
    const named = answered(fitOf(['--experts', '8/128', '--at', '8,32', '--json'], csv))
    expect(
      mismatches(named, {
        'fit.law': { value: 'expert' },
        'fit.stepMs.experts.active': { value: 8 },
        'fit.stepMs.experts.all': { value: 128 },
        'fit.stepMs.experts.ms': { value: 20, tol: 0.2 },
        'fit.reliable': { value: true },
      }),
    ).toEqual([])
    const at = (answer: FitAnswer, load: number): number =>
      answer.frontier.find(({ concurrency }) => concurrency === load)?.tokensPerSecondPerUser ?? 0
    for (const load of [8, 32]) expect(at(named, load) * stepMs(load)).toBeCloseTo(1000, -1)
    const unnamed = answered(fitOf(['--json'], csv))
    expect(unnamed.fit.law).toBe('affine')
    expect(unnamed.fit.reliable).toBe(false)
  })

  it('is a law that choose takes from the file', () => {
    const dir = folderWith({ 'points.csv': csv })
    const { stdout: json } = runCli(['fit', 'points.csv', '--experts', '8/128', '--json'], dir)
    writeFileSync(join(dir, 'fit.json'), json)
    const chosen = runCli(['choose', '--points', 'points.csv', '--law', 'fit.json', '--floor', '50', '--json'], dir)
    // 20 ms: 4 + 0.1 B + 20 (1 − 0.9375^B) is 19.54 at 18 and 20.03 at 19.
    expect(mismatches(JSON.parse(chosen.stdout), { 'choice.concurrency': { value: 18 } })).toEqual([])
  })

  it('knows the shape of a model that is named', () => {
    const { fit: law } = answered(fitOf(['--model', 'Qwen3-235B-A22B', '--json'], csv))
    expect(law.stepMs?.experts).toMatchObject({ active: 8, all: 128 })
    const { stdout } = fitOf(['--model', 'Qwen3-235B-A22B'], csv)
    expect(stdout).toContain('× (1 − (1 − 8/128)^B)')
  })
})

describe('a table of sweeps', () => {
  const HEAD = 'model,system,isl,osl,concurrency,num_gpus,tp,tpot_ms,derived_out_tok_s_gpu_littles_law,flag'
  const row = (tp: number, load: number, tpotMs: number, flag = ''): string =>
    `meta-llama/Llama-3.1-70B,h200_sxm,1024,1024,${load},${tp},${tp},${tpotMs},${(1000 * load) / tpotMs / tp},${flag}`
  const rows = (tp: number, base: number): readonly string[] =>
    [4, 16, 64, 128].map((load) => row(tp, load, base + 0.2 * load))
  const table = [HEAD, ...rows(8, 6), row(8, 256, 100, 'ttft_over_half_of_decode_time'), ...rows(4, 9)].join('\n')
  const one = [HEAD, ...rows(8, 6)].join('\n')

  it('gets a fit for each, and what is flagged is set aside by its row', () => {
    const { stdout, stderr } = fitOf(['--at', '32', '--json'], table)
    expect(stderr).toBe('')
    expect(stdout).not.toContain('null')
    expect(
      mismatches(JSON.parse(stdout), {
        'fits[0].sweep.name': { value: 'Llama-3.1-70B on 8 × h200_sxm, TP 8, 1024 in, 1024 out' },
        'fits[0].sweep.tp': { value: 8 },
        'fits[0].fit.stepMs.base': { value: 6, tol: 0.01 },
        'fits[0].fit.ceilingTokensPerSecondPerGpu': { value: 5000 / 8, tol: 1 },
        'fits[0].fit.reliable': { value: true },
        'fits[0].setAside[0].point': { value: 4 },
        'fits[0].setAside[0].why': { value: 'ttft_over_half_of_decode_time' },
        'fits[0].setAside[1]': { absent: true },
        'fits[1].fit.stepMs.base': { value: 9, tol: 0.01 },
        'fits[1].sweep.gpus': { value: 4 },
        'fits[2]': { absent: true },
      }),
    ).toEqual([])
  })

  it('is one line each for a person, with the reasons of those that are not reliable', () => {
    const { stdout } = fitOf([], [table, row(2, 8, 20)].join('\n'))
    expect(stdout).toContain('The laws of 3 sweeps, of which 2 are reliable')
    expect(stdout).toMatch(/^1 .* yes +6 ms \+ 0\.2 ms × B +Llama-3\.1-70B on 8 × h200_sxm/m)
    expect(stdout).toMatch(/^Not reliable, one load does not make a line: #3\.$/m)
  })

  it('of one sweep says what it is, and the law as of a points file', () => {
    const { stdout } = runCli(['fit', 'sweep.csv', '--json'], folderWith({ 'sweep.csv': one }))
    const expected = { 'sweep.gpus': { value: 8 }, 'fit.stepMs.base': { value: 6, tol: 0.01 } }
    expect(mismatches(JSON.parse(stdout), expected)).toEqual([])
    expect(fitOf([], one).stdout).toContain('The law of Llama-3.1-70B on 8 × h200_sxm')
  })

  it('says its GPUs itself', () => {
    expect(fitOf(['--gpus', '8'], one).stderr).toContain('CONFLICTING_FLAGS: ')
  })
})

describe('runs', () => {
  const writeRun = (dir: string, load: SimulatedLoad): void => {
    mkdirSync(dir)
    const { header, records } = simulatedRun({ stepS: (batch) => 0.005 + 0.00025 * batch }, load)
    writeFileSync(join(dir, 'run.json'), JSON.stringify(header))
    writeFileSync(
      join(dir, 'requests.jsonl.gz'),
      gzipSync(records.map((record) => `${JSON.stringify(record)}\n`).join('')),
    )
  }
  const folder = (...loads: readonly SimulatedLoad[]): string => {
    const dir = folderWith({})
    for (const [i, load] of loads.entries()) writeRun(join(dir, `run${i}`), load)
    return dir
  }

  it('are fitted by what decoded, and several of one server together', () => {
    const dir = folder({ loads: [4, 16] }, { loads: [32, 64] })
    const one = answered(runCli(['fit', 'run0', '--gpus', '2', '--json'], dir))
    expect(one.fit.gpus).toBe(2)
    expect(one.fit.lengths).toEqual({ input: 64, output: 40 })
    const both = answered(runCli(['fit', 'run0/run.json', 'run1', '--json'], dir))
    const measured = both.frontier.filter(({ source }) => source === 'measured')
    expect(measured.map(({ concurrency }) => concurrency)).toEqual([4, 16, 32, 64])
    expect(
      mismatches(both, {
        'fit.stepMs.base': { value: 5, tol: 0.05 },
        // Of 40 tokens the first is no decode step, so that 39 in 40 of those in flight decode.
        'fit.stepMs.perSequence': { value: (0.25 * 40) / 39, tol: 0.002 },
        'fit.reliable': { value: true },
      }),
    ).toEqual([])
    expect(both.fit.gpus).toBeUndefined()
    expect(both.fit.ceilingTokensPerSecondPerGpu).toBeUndefined()
  })

  it('fit a slower pace for a share of the requests, and tell no ceiling by it', () => {
    const { stdout } = runCli(['fit', 'run0', '--share', '0.9'], folder({ loads: [4, 16, 32] }))
    expect(stdout).toContain('Law of the pace that 90 % of requests have at least')
    expect(stdout).not.toContain('Stability')
    const json = runCli(['fit', 'run0', '--share', '0.9', '--json'], folder({ loads: [4, 16, 32] }))
    expect(json.stderr).toBe('')
    const { fit } = answered(json)
    expect(fit.share).toBe(0.9)
    expect(fit.stepMs?.base).toBeGreaterThan(0)
    expect(fit).not.toHaveProperty('ceilingTokensPerSecond')
    expect(fit).not.toHaveProperty('stability')
  })

  it('of two servers are refused', () => {
    const dir = folder({ loads: [4, 16] }, { loads: [32, 64], hardware: { gpus: 4, replicas: 2 } })
    const { stderr, exit } = runCli(['fit', 'run0', 'run1'], dir)
    expect(stderr).toContain('GPUs: unknown in run0, 4 in run1; replicas: 1 in run0, 2 in run1')
    expect(exit).toBe(2)
  })
})

describe('points that contradict each other', () => {
  it.each([
    ['the aggregate falls', '8,800\n16,1200\n32,1400\n64,900\n128,500\n'],
    ['pace rises with load', '1,50\n4,400\n16,2000\n'],
    ['no order at all', '1,100\n2,900\n4,200\n8,4000\n16,300\n'],
    ['one row', '20,2000\n'],
    ['one load thrice', '20,2000\n20,2050\n20,1950\n'],
    ['loads that hardly differ', '20,2000\n21,2050\n'],
  ])('%s: the fit says why it is not reliable', (_, rows) => {
    const answer = answered(fitOf(['--json'], `concurrency,outputTokensPerSecond\n${rows}`))
    expect(answer.fit.reliable).toBe(false)
    expect(answer.fit.why.join()).not.toBe('')
    expect(fitOf([], `concurrency,outputTokensPerSecond\n${rows}`).stdout).toMatch(/Not reliable: |Law: none, for /)
  })
})

describe('wrong use', () => {
  it.each([
    [[], 'MISSING_VALUE', 'nothing to fit'],
    [['--points', 'none.csv'], 'FILE_NOT_READABLE', 'none.csv'],
    [['none'], 'FILE_NOT_READABLE', 'none'],
    [['points.csv', '--points', 'points.csv'], 'CONFLICTING_FLAGS', 'CSV'],
    [['none', '--points', 'points.csv'], 'CONFLICTING_FLAGS', 'CSV'],
    [['--points', 'points.csv', '--share', '0.9'], 'CONFLICTING_FLAGS', 'share'],
    [['--points', 'points.csv', '--experts', '8/256', '--model', 'gpt-oss-120b'], 'CONFLICTING_FLAGS', '--experts'],
    [['--points', 'points.csv', '--experts', '256/8'], 'INVALID_VALUE', '8/256'],
    [['--points', 'points.csv', '--experts', '0/8'], 'INVALID_VALUE', '8/256'],
    [['--points', 'points.csv', '--at', '8,0'], 'INVALID_VALUE', '--at'],
    [['--points', 'points.csv', '--gpus', '-1'], 'INVALID_VALUE', '--gpus'],
    [['--points', 'points.csv', '--kv-tokens', '1000'], 'MISSING_VALUE', '--kv-tokens'],
    [
      ['--points', 'points.csv', '--kv-tokens', '1', '--input-tokens', '64', '--output-tokens', '64'],
      'INVALID_VALUE',
      'a request holds 96 tokens, so that not one has room',
    ],
    [['--points', 'points.csv', '--output-tokens', '1000'], 'MISSING_VALUE', '--input-tokens'],
    [['--points', 'points.csv', '--model', 'no-such-model'], 'UNKNOWN_MODEL', 'no-such-model'],
    [['--points', 'points.csv', '--modle', 'x'], 'UNKNOWN_FLAG', '--modle'],
  ])('%j is refused as %s', (args, code, mentions) => {
    const { exit, stdout, stderr } = runCli(['fit', ...args], folderWith({ 'points.csv': LESSON }))
    expect(stderr).toContain(`${code}: `)
    expect(stderr).toContain(mentions)
    expect(stdout).toBe('')
    expect(exit).toBe(2)
    expect(stderr).not.toMatch(/\n\s+at /)
  })

  it('is told as JSON where JSON is asked for', () => {
    const { exit, stdout } = fitOf(['--json', '--markdown'])
    expect(mismatches(JSON.parse(stdout), { 'error.code': { value: 'CONFLICTING_FLAGS' } })).toEqual([])
    expect(exit).toBe(2)
  })
})
