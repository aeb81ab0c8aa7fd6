import { describe, expect, it } from 'vitest'
import { writeRunOfCase } from '../store/run-of-case.ts'
import { mismatches } from '../support/cases.ts'
import { crossedRun } from '../support/crossed-run.ts'
import { describePlanningCases, folderWith } from '../support/planning-case.ts'
import { type Ended, runCli } from './run-cli.ts'

const LESSON = 'concurrency,outputTokensPerSecond\n20,2000\n80,3200\n'

const choose = (args: readonly string[], csv: string = LESSON): Ended =>
  runCli(['choose', '--points', 'points.csv', ...args], folderWith({ 'points.csv': csv }))

describePlanningCases('choose', 9)

describe('the lesson, for a person', () => {
  it('says both speeds, what they gain and lose, and the law', () => {
    const { exit, stdout } = choose([])
    expect(exit).toBe(0)
    expect(stdout).toMatch(/^\s*20\s+100\s+2,000$/m)
    expect(stdout).toMatch(/^\s*80\s+40\s+3,200\s+-60 %\s+\+60 %$/m)
    expect(stdout).toContain('T(B) = 5 ms + 0.25 ms × B')
    expect(stdout).toContain('Solo limit: 200 tok/s/user · ceiling: 4,000 tok/s · half-batch: 20')
    expect(stdout).toContain('two loads make a line without showing its error')
  })

  it('says what a floor gives and costs', () => {
    const { stdout } = choose(['--floor', '50'])
    expect(stdout).toContain('Choice: 60 in flight, fitted: 50 tok/s/user')
    expect(stdout).toContain('with one more it is 49.4')
    expect(stdout).toContain('94 % of the highest measured (3,200 at 80)')
  })

  it('says what lies beyond the highest throughput', () => {
    const { stdout } = choose(['--product', 'batch'])
    expect(stdout).toContain('Nothing beyond it was measured. The law says 3,556 tok/s at 160 (+11 %)')
    expect(stdout).toContain('never more than 4,000')
  })

  it('says how near one can get to a floor that nothing holds', () => {
    const { exit, stdout, stderr } = choose(['--floor', '250'])
    expect(exit).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toContain(
      'NO_POINT_HOLDS: no load gives 250 tok/s/user: the fastest is 190 at 1 in flight (by the law)',
    )
  })

  it('advises both products where nothing is asked, as JSON too', () => {
    const { stdout } = choose(['--json'])
    const answer = JSON.parse(stdout) as { choices: { product: { name: string }; choice: { concurrency: number } }[] }
    expect(answer.choices.map(({ product, choice }) => [product.name, choice.concurrency])).toEqual([
      ['half pace', 60],
      ['batch', 80],
    ])
  })
})

describe('laws and products', () => {
  it('believes a law that is given, as text or as a fit in a file', () => {
    const text = choose(['--law', 'a=5ms,b=0.5ms', '--floor', '50', '--json'])
    expect(mismatches(JSON.parse(text.stdout), { 'choice.concurrency': { value: 30 } })).toEqual([])
    const dir = folderWith({ 'points.csv': LESSON, 'fit.json': '{"fit": {"stepMs": {"base": 5, "perSequence": 0.5}}}' })
    const file = runCli(['choose', '--points', 'points.csv', '--law', 'fit.json', '--floor', '50', '--json'], dir)
    expect(JSON.parse(file.stdout)).toEqual(JSON.parse(text.stdout))
  })

  it('chooses from a fit as from its points: the GPUs, the error, the waits, the limit', () => {
    const csv =
      'concurrency,outputTokensPerSecond,tokensPerSecondPerUser,ttftMs\n1,150,160,90\n4,560,150,110\n16,1900,125,140\n32,3050,100,170\n'
    const dir = folderWith({ 'p.csv': csv })
    const fit = runCli(['fit', '--points', 'p.csv', '--gpus', '2', '--json'], dir)
    const again = folderWith({ 'p.csv': csv, 'fit.json': fit.stdout })
    for (const asks of [
      ['--floor', '110'],
      ['--ttft', '150ms'],
      ['--product', 'batch'],
      ['--floor', '60'],
    ]) {
      const ofPoints = runCli(['choose', '--points', 'p.csv', '--gpus', '2', ...asks, '--json'], again)
      const ofFit = runCli(['choose', '--law', 'fit.json', ...asks, '--json'], again)
      expect(ofPoints.exit).toBe(0)
      expect(JSON.parse(ofFit.stdout)).toEqual(JSON.parse(ofPoints.stdout))
      expect(ofFit.stdout).toContain('"gpus": 2')
    }
  })

  it('says of a law that was given that its error is of points it was not fitted to', () => {
    const own = choose(['--floor', '50', '--law', 'a=5ms,b=0.25ms']).stdout
    expect(own).toContain('Its error: under 0.1 % at the points given, which it was not fitted to.')
    expect(own).not.toMatch(/0\.000|whose error/)
    const other = choose(['--floor', '50', '--law', 'a=5ms,b=0.26ms']).stdout
    expect(other).toMatch(/by the law, whose error is 2\.\d+ %/)
    // Two points tell no error of their own line.
    expect(choose(['--floor', '50']).stdout).not.toMatch(/whose error|Its error/)
  })

  it('writes what misses a limit in digits that tell it from the limit', () => {
    const csv = 'concurrency,outputTokensPerSecond,ttftMs\n10,1000,14\n60,3000,15.012\n'
    expect(choose(['--ttft', '15ms'], csv).stdout).toMatch(/within 15 ms \(15 ms\): one more takes 15\.0\d ms/)
    expect(choose(['--floor', '50']).stdout).toContain('with one more it is 49.4')
  })

  it('takes GPUs, replicas and the error of a fit that holds no points', () => {
    const fit = {
      gpus: 4,
      replicas: 2,
      stepMs: { base: 5, perSequence: 0.5 },
      errorPct: 3,
      errorFrom: 'leaveOneOut',
      reliable: true,
      why: [],
    }
    const dir = folderWith({ 'fit.json': JSON.stringify({ fit }) })
    const { stdout } = runCli(['choose', '--law', 'fit.json', '--floor', '50', '--json'], dir)
    const expected = {
      // Two replicas of 30 each.
      'choice.concurrency': { value: 60 },
      'choice.tokensPerSecondPerGpu': { value: 750 },
      'fit.errorPct': { value: 3 },
      'fit.reliable': { value: true },
    }
    expect(mismatches(JSON.parse(stdout), expected)).toEqual([])
  })

  it('chooses among the sweeps of a table, each by its name', () => {
    const head = 'model,system,isl,osl,concurrency,num_gpus,ttft_ms,tpot_ms\n'
    const rows = [1, 8, 64].map((load) => `m,h100,1024,256,${load},2,100,${5 + load / 8}\n`)
    const faster = [1, 8, 64].map((load) => `m,h200,1024,256,${load},2,100,${4 + load / 10}\n`)
    const dir = folderWith({ 'one.csv': head + rows.join(''), 'two.csv': head + rows.join('') + faster.join('') })
    const one = runCli(['choose', '--points', 'one.csv', '--floor', '100', '--json'], dir)
    const expected = { 'choice.concurrency': { value: 40 }, 'fit.gpus': { value: 2 } }
    expect(mismatches(JSON.parse(one.stdout), expected)).toEqual([])
    const two = runCli(['choose', 'two.csv', '--floor', '100', '--json'], dir)
    const answer = {
      'choice.concurrency': { min: 59, max: 60 },
      'choice.configuration': { matches: 'm on 2 × h200' },
      'alternatives[0].configuration': { matches: 'm on 2 × h100' },
      'alternatives[0].choice.concurrency': { value: 40 },
    }
    expect(mismatches(JSON.parse(two.stdout), answer)).toEqual([])
    const fits = folderWith({ 'fits.json': runCli(['fit', 'two.csv', '--json'], dir).stdout })
    const many = runCli(['choose', '--law', 'fits.json', '--floor', '100'], fits)
    expect(many.stderr).toContain('INVALID_VALUE: --law: the file holds 2 fits')
  })

  it('tells the pace of points by their waits and the length of answers', () => {
    // 100 tokens: 500 ms to the first and 99 steps of 10 ms, 1.49 s in all.
    const csv = `concurrency,outputTokensPerSecond,ttftMs\n10,${1000 / 1.49},500\n40,${4000 / 2.49},510\n`
    const { stdout } = choose(['--output-tokens', '100'], csv)
    expect(stdout).toMatch(/^\s*10\s+100\s+671\s+500$/m)
    const dir = folderWith({ 'points.csv': csv })
    const fit = runCli(['fit', '--points', 'points.csv', '--output-tokens', '100', '--json'], dir)
    expect(mismatches(JSON.parse(fit.stdout), { 'loads.0.tokensPerSecondPerUser': { value: 100 } })).toEqual([])
    const short = choose(['--output-tokens', '20'], csv)
    expect(short.exit).toBe(2)
    expect(short.stderr).toContain('INVALID_POINTS: at 10 in flight 20 tokens take 298 ms in all')
    // Points that tell their pace need no length.
    const apart = runCli(
      ['fit', '--points', 'points.csv', '--output-tokens', '100'],
      folderWith({ 'points.csv': LESSON }),
    )
    expect(apart.stderr).toContain('MISSING_VALUE')
  })

  it('chooses by a law alone', () => {
    const { stdout } = runCli(['choose', '--law', 'a=5ms,b=0.25ms', '--floor', '50', '--json'], folderWith({}))
    const expected = { 'choice.concurrency': { value: 60 }, 'choice.source': { value: 'extrapolated' } }
    expect(mismatches(JSON.parse(stdout), expected)).toEqual([])
    expect(stdout).not.toContain('null')
  })

  it('reads a product from a file, and lets a flag go before it', () => {
    const dir = folderWith({ 'points.csv': LESSON, 'voice.yaml': 'name: voice\nfloor: 100\n' })
    const args = ['choose', '--points', 'points.csv', '--product', 'voice.yaml', '--json']
    expect(mismatches(JSON.parse(runCli(args, dir).stdout), { 'choice.concurrency': { value: 20 } })).toEqual([])
    const laid = runCli([...args, '--floor', '50'], dir)
    const expected = { 'choice.concurrency': { value: 60 }, 'product.name': { value: 'voice' } }
    expect(mismatches(JSON.parse(laid.stdout), expected)).toEqual([])
  })

  it('names everything that is wrong with a product file', () => {
    const dir = folderWith({ 'points.csv': LESSON, 'bad.yaml': 'floor: -1\nttft: 500\nspeed: 3\ngoal: money\n' })
    const { exit, stderr } = runCli(['choose', '--points', 'points.csv', '--product', 'bad.yaml'], dir)
    expect(exit).toBe(2)
    for (const word of ['INVALID_CONFIG', 'floor:', 'ttft:', 'unknown key "speed"', 'goal:'])
      expect(stderr).toContain(word)
  })
})

describe('a run, with a share of its requests', () => {
  const runFolder = (): string => {
    const dir = folderWith({})
    const { header, records } = crossedRun()
    writeRunOfCase(
      { id: 'crossed', title: '', hardware: {}, points: header.points, requests: records, expect: {} },
      dir,
    )
    return dir
  }
  const chosen = (...asked: readonly string[]): string => {
    const dir = runFolder()
    return runCli(['choose', dir, '--floor', '60', ...asked], dir).stdout
  }

  it('counts those that met both in the records, and says so', () => {
    expect(chosen('--share', '0.8', '--ttft', '100ms')).toMatch(
      /Of the requests measured there 8[0-4](\.\d)? % had both/,
    )
    expect(chosen('--share', '0.9', '--ttft', '100ms')).toMatch(/Choice: (1[6-9]|2[0-5]) in flight/)
  })

  it('names what its figures are of', () => {
    const stdout = chosen('--share', '0.8', '--ttft', '100ms')
    expect(stdout).toContain('80 % ≥')
    expect(stdout).toContain('80 % ≤')
    expect(stdout).toContain('Law of the pace that 80 % of requests have at least')
    expect(stdout).toContain('Choice: 32 in flight, measured: 80 % of requests have at least')
    expect(stdout).not.toContain('ceiling')
    const typical = chosen()
    expect(typical).toContain('p50')
    expect(typical).toContain('ceiling')
    expect(typical).not.toContain('≥')
  })
})

describe('wrong use', () => {
  it.each([
    [['--points', 'points.csv', '--floor', '0'], 'INVALID_VALUE', 'floor'],
    [['--points', 'points.csv', '--floor', '50', '--floor', '60'], 'DUPLICATE_FLAG', 'floor'],
    [['--points', 'points.csv', '--flor', '50'], 'UNKNOWN_FLAG', 'flor'],
    [['--points', 'points.csv', '--ttft', '500'], 'INVALID_VALUE', 'ttft'],
    [['--points', 'points.csv', '--ttft', '500ms'], 'CONFLICTING_FLAGS', 'ttft'],
    [['--points', 'points.csv', '--product', 'batch', '--floor', '50'], 'CONFLICTING_FLAGS', 'floor'],
    [['--points', 'points.csv', '--floor', '50', '--share', '0.9'], 'CONFLICTING_FLAGS', 'share'],
    [['--points', 'points.csv', '--share', '0.9'], 'MISSING_VALUE', 'share'],
    [['--points', 'points.csv', '--product', 'speech'], 'FILE_NOT_READABLE', 'speech'],
    [['--points', 'points.csv', '--law', 'a=5ms'], 'INVALID_VALUE', 'b is missing'],
    [['--points', 'points.csv', '--law', 'a=5ms,b=1ms,c=1ms', '--floor', '50'], 'INVALID_VALUE', 'c and d'],
    [['--points', 'none.csv', '--floor', '50'], 'FILE_NOT_READABLE', 'none.csv'],
    [['run', '--points', 'points.csv', '--floor', '50'], 'CONFLICTING_FLAGS', 'points'],
    [['none', '--floor', '50'], 'FILE_NOT_READABLE', 'none'],
    [['--floor', '50'], 'MISSING_VALUE', 'nothing to choose from'],
    [['--law', 'a=5ms,b=0.25ms', '--product', 'batch'], 'NO_POINTS', 'measured'],
  ])('%j is refused as %s', (args, code, mentions) => {
    const { exit, stdout, stderr } = runCli(['choose', ...args], folderWith({ 'points.csv': LESSON }))
    expect(stderr).toContain(`${code}: `)
    expect(stderr).toContain(mentions)
    expect(stdout).toBe('')
    expect(exit).toBe(2)
    expect(stderr).not.toMatch(/\n\s+at /)
  })
})
