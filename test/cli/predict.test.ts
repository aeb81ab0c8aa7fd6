import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createConfiguration, findAccelerator, findModel, predict as foretold } from '../../src/model/index.ts'
import { writeRunOfCase } from '../store/run-of-case.ts'
import { crossedRun } from '../support/crossed-run.ts'
import { describePlanningCases, folderWith } from '../support/planning-case.ts'
import { type Ended, runCli } from './run-cli.ts'

const LLAMA = ['--model', 'Llama-3.1-8B', '--gpu', 'h100-sxm', '--precision', 'bf16']
const LENGTHS = ['--input-tokens', '1024', '--output-tokens', '256']

function predict(args: readonly string[], files: Readonly<Record<string, string>> = {}): Ended {
  return runCli(['predict', ...args], folderWith(files))
}

interface Answer {
  readonly frontier: readonly {
    readonly tokensPerSecondPerUser: number
    readonly cost?: { readonly perMillionOutputTokens: number }
  }[]
  readonly confidence: { readonly class: string; readonly low: number; readonly high: number }
  readonly lengths: { readonly input: number; readonly output: number }
  readonly calibratedBy?: number
}

function answerOf(args: readonly string[], files: Readonly<Record<string, string>> = {}): Answer {
  const { stdout, exit } = predict([...args, '--json'], files)
  expect(exit).toBe(0)
  return JSON.parse(stdout) as Answer
}

describePlanningCases('predict', 18)

describe('for a person', () => {
  it('tells both speeds, what binds, the memory, and how far to trust it', () => {
    const { exit, stdout } = predict([...LLAMA, ...LENGTHS])
    expect(exit).toBe(0)
    expect(stdout).toMatch(
      /^meta-llama\/Llama-3\.1-8B in bf16, KV cache in bf16, 1,024 tokens in and 256 out, on 1 × h100-sxm/m,
    )
    expect(stdout).toMatch(/Memory: 16\.1 GB of weights a GPU; KV 131,072 bytes a token/)
    expect(stdout).toMatch(/^\s*in flight\s+tok\/s\/user\s+8 in 10/m)
    expect(stdout).toMatch(/^\s*8\s+\d+\s+[\d.]+ to \d+\s+\d+/m)
    expect(stdout).toContain('no user can get more than 223 tok/s')
    expect(stdout).toContain('How far to trust it: uncalibrated')
    expect(stdout).toContain('at their rated power')
    expect(stdout).not.toContain('per M out')
  })

  it('explains one step as a table whose shares make a whole', () => {
    const { stdout } = predict([...LLAMA, ...LENGTHS, '--concurrency', '64', '--explain'])
    expect(stdout).toMatch(/A step at 64 in flight: [\d.]+ streams of 1,152 tokens of context/)
    for (const part of ['feed-forward layers', 'attention over the cache', 'launches and host', 'step'])
      expect(stdout).toMatch(new RegExp(`^${part} `, 'm'))
    const shares = [...stdout.slice(stdout.indexOf('\npart ')).matchAll(/^\S.* (\d+(?:\.\d+)?) % .*$/gm)].map(
      ([, share]) => Number(share),
    )
    const parts = shares.reduce((sum, share) => sum + share, 0)
    expect(parts).toBeGreaterThan(97)
    expect(parts).toBeLessThan(103)
  })

  it('tells the cost at the price that is given', () => {
    const { stdout } = predict([...LLAMA, ...LENGTHS, '--concurrency', '64', '--gpu-hour', '2.5'])
    expect(stdout).toContain('per M out')
    expect(stdout).toContain('at the price given')
  })

  it('tells of split pools who reads and who answers, and what the floor gives either way', () => {
    const pools = ['--prefill', '1x2', '--decode', '1x2', '--floor', '60']
    const { exit, stdout } = predict([...LLAMA, ...LENGTHS, ...pools])
    expect(exit).toBe(0)
    expect(stdout).toContain('on 4 × h100-sxm (1 × TP2 read, 1 × TP2 answer)')
    expect(stdout).toMatch(/prefill\s+decode/)
    expect(stdout).toContain('At 60 tok/s/user the split gives')
  })

  it('explains a step of either pool', () => {
    const { exit, stdout } = predict([...LLAMA, ...LENGTHS, '--prefill', '1x2', '--decode', '1x1', '--explain'])
    expect(exit).toBe(0)
    expect(stdout).toMatch(/^A step of one of 1 × TP2, which read: 1,024 tokens of prompt\.\npart /m)
    expect(stdout).toMatch(/^A step of one of 1 × TP1, which answer/m)
  })

  it.each([
    [['--prefill', '1x2', '--decode', '1x2', '--tp', '2', '--dp', '1'], '--tp, --dp: a pool says its own TP'],
    [['--search', '--gpus', '4', '--ep', '2'], '--search looks for TP, PP, EP and DP itself, and --ep gives one'],
  ])('names the flag that says it twice: %j', (more, words) => {
    const { exit, stderr } = predict([...LLAMA, ...LENGTHS, ...more])
    expect(exit).toBe(2)
    expect(stderr).toContain(`CONFLICTING_FLAGS: ${words}`)
  })

  it('tells in its help what the engine is taken to hold at once', () => {
    const { maxNumSeqs, maxBatchedTokens } = createConfiguration({
      model: findModel('Llama-3.1-8B'),
      gpu: findAccelerator('h100-sxm'),
    })
    const help = predict(['--help']).stdout.replace(/\s+/g, ' ')
    expect(help).toContain(`decodes at once; default ${maxNumSeqs}, times --dp`)
    expect(help).toContain(`tokens of one step; default ${maxBatchedTokens}`)
  })

  it('answers a search that nothing holds with what is nearest, and ends with 1', () => {
    const asked = [...LLAMA, ...LENGTHS, '--search', '--gpus', '3']
    const held = predict([...asked, '--floor', '100', '--ttft', '10s', '--json'])
    expect(held.exit).toBe(0)
    for (const { gpus, budgetGpus, tokensPerSecondPerGpu, outputTokensPerSecond } of JSON.parse(held.stdout).frontier) {
      expect(budgetGpus).toBe(3)
      expect(gpus).toBeLessThanOrEqual(3)
      expect(tokensPerSecondPerGpu).toBeCloseTo(outputTokensPerSecond / budgetGpus, 9)
    }
    const slow = predict([...asked, '--floor', '100000'])
    expect(slow.exit).toBe(1)
    expect(slow.stdout).toMatch(/None gives 100,?000 tok\/s\/user: the fastest gives/)
    const late = predict([...asked, '--ttft', '1us', '--json'])
    expect(late.exit).toBe(1)
    expect(JSON.parse(late.stdout).search.leastTtftMs).toBeGreaterThan(1)
  })

  it('tells of a search the configuration of each line', () => {
    const { exit, stdout } = predict([...LLAMA, ...LENGTHS, '--search', '--gpus', '4', '--floor', '100'])
    expect(exit).toBe(0)
    expect(stdout).toMatch(/^configuration\s+(GPUs\s+)?in flight/m)
    expect(stdout).toMatch(/^4 × TP1 /m)
    expect(stdout).toContain('At 100 tok/s/user or more,')
  })
})

describe('lengths', () => {
  it('of a distribution are its means', () => {
    const { lengths } = answerOf([...LLAMA, '--input-tokens', 'uniform:1000-2000', '--output-tokens', 'normal:400,50'])
    expect(lengths).toEqual({ input: 1500, output: 400 })
  })

  it('say which mean stands for a distribution, and nothing of a number', () => {
    const { stdout } = predict([...LLAMA, '--input-tokens', 'uniform:1000-2000', '--output-tokens', '400'])
    expect(stdout).toContain('--input-tokens uniform:1000-2000 is taken as its mean, 1,500 tokens.')
    expect(stdout).not.toContain('--output-tokens')
  })

  it.each([[[]], [['--prefill', '1x1', '--decode', '1x1']], [['--search', '--gpus', '2']]])(
    'beyond what the model was made for are told with %j, and others are not',
    (more) => {
      const gemma = ['--model', 'gemma-2-9b', '--gpu', 'h100-sxm', '--output-tokens', '256', ...more]
      const words = 'more than the context of 8,192 that the model was made for'
      expect(predict([...gemma, '--input-tokens', '9000']).stdout).toContain(words)
      expect(predict([...gemma, '--input-tokens', '7000']).stdout).not.toContain('the model was made for')
    },
  )
})

describe('a catalogue of one’s own', () => {
  it('adds a GPU', () => {
    const gpu = {
      id: 'Shed-1',
      vendor: 'Shed',
      memoryBytes: 64e9,
      memoryBytesPerSecond: 1e12,
      flopsPerSecond: { bf16: 2e14 },
      link: { name: 'rope', bytesPerSecond: 1e10 },
      domain: 2,
      source: 'a sheet of paper',
    }
    const files = { 'own.json': JSON.stringify({ accelerators: [gpu] }) }
    const args = ['--model', 'Llama-3.1-8B', '--gpu', 'shed-1', '--catalogue', 'own.json', ...LENGTHS]
    const { frontier } = answerOf([...args, '--concurrency', '1'], files)
    // 15.01 GB a token at 1 TB/s.
    expect(frontier[0]?.tokensPerSecondPerUser).toBeLessThan(1e12 / 15.01e9)
    expect(frontier[0]?.tokensPerSecondPerUser).toBeGreaterThan(0.5 * (1e12 / 15.01e9))
  })

  it('is refused with its problems', () => {
    const { exit, stderr } = predict(
      ['--model', 'Llama-3.1-8B', '--gpu', 'shed-1', '--catalogue', 'own.json', ...LENGTHS],
      { 'own.json': '{"accelerators": [{"id": "Shed-1", "speed": 3}]}' },
    )
    expect(exit).toBe(2)
    expect(stderr).toContain('INVALID_CATALOGUE')
    expect(stderr).toContain('speed')
  })
})

describe('--calibrate', () => {
  const asked = [...LLAMA, ...LENGTHS, '--concurrency', '8']
  const configuration = createConfiguration({
    model: findModel('Llama-3.1-8B'),
    gpu: findAccelerator('h100-sxm'),
    precision: 'bf16',
  })
  const { frontier } = foretold(configuration, {
    lengths: { inputTokens: 1024, outputTokens: 256 },
    loads: [1, 8, 64],
  })
  const pace = frontier[1]?.tokensPerSecondPerUser ?? 0

  /** Measured so many times slower than specifications have it. */
  const points = (slower: number): string => {
    const rows = frontier.map((point) =>
      [point.concurrency, point.outputTokensPerSecond / slower, point.tokensPerSecondPerUser / slower].join(),
    )
    return `concurrency,outputTokensPerSecond,tokensPerSecondPerUser\n${rows.join('\n')}\n`
  }

  it('by points of the same configuration gives what was measured', () => {
    const answer = answerOf([...asked, '--calibrate', 'points.csv'], { 'points.csv': points(1.5) })
    expect(answer.confidence.class).toBe('interpolated')
    expect(answer.calibratedBy).toBe(3)
    const slower = pace / (answer.frontier[0]?.tokensPerSecondPerUser ?? 0)
    expect(slower).toBeGreaterThan(1.4)
    expect(slower).toBeLessThan(1.6)
  })

  it('by points of another configuration, told behind the @, is a new shape', () => {
    const source = 'points.csv@tp=2,input-tokens=2048'
    const answer = answerOf([...asked, '--calibrate', source], { 'points.csv': points(1.5) })
    expect(answer.confidence.class).toBe('newShape')
  })

  it('by a run takes its lengths, and asks how it was laid out where its GPUs say otherwise', () => {
    const dir = folderWith({})
    const { header, records } = crossedRun()
    const points = header.points.map(({ load, window }) => ({ load, window }))
    writeRunOfCase({ id: 'c', title: '', hardware: { gpus: 2 }, points, requests: records, expect: {} }, dir)
    const one = runCli(['predict', ...asked, '--calibrate', dir, '--json'], dir)
    expect(one.exit).toBe(2)
    expect(one.stdout).toMatch(/made on 2 GPUs.*@tp=2/s)
    const two = runCli(['predict', ...asked, '--calibrate', `${dir}@tp=2`, '--json'], dir)
    expect(two.exit).toBe(0)
    expect((JSON.parse(two.stdout) as Answer).confidence.class).toBe('newShape')
  })

  it('says of a neighbour that could not run that it must have been laid out otherwise', () => {
    const large = ['--model', 'Llama-3.1-70B', '--gpu', 'h100-sxm', '--precision', 'bf16', '--tp', '4', ...LENGTHS]
    const { exit, stderr } = predict([...large, '--calibrate', 'points.csv@tp=1'], { 'points.csv': points(1) })
    expect(exit).toBe(2)
    expect(stderr).toContain('DOES_NOT_FIT: --calibrate points.csv@tp=1')
  })

  it('by a table of sweeps takes those of the same model on the same GPU', () => {
    const header =
      'model,system,precision,isl,osl,concurrency,num_gpus,tp,pp,attn_dp,moe_tp,moe_ep,ttft_ms,tpot_ms,flag'
    const row = (model: string, tp: number, load: number, tpotMs: number): string =>
      [model, 'h100_sxm', 'bf16', 1024, 1024, load, tp, tp, 1, 1, 1, 1, 60, tpotMs, ''].join(',')
    const rows = [
      row('meta-llama/Llama-3.1-8B', 2, 4, 9),
      row('meta-llama/Llama-3.1-8B', 2, 64, 14),
      row('meta-llama/Llama-3.1-70B', 8, 4, 1),
    ]
    const answer = answerOf([...asked, '--calibrate', 'sweeps.csv'], { 'sweeps.csv': [header, ...rows].join('\n') })
    expect(answer.calibratedBy).toBe(2)
    expect(answer.confidence.class).toBe('newShape')
    expect(answer.frontier[0]?.tokensPerSecondPerUser).toBeLessThan(pace)
  })

  it('is refused where nothing in the file is of that model and GPU, or a key is none', () => {
    const header = 'model,system,precision,isl,osl,concurrency,num_gpus,tp,ttft_ms,tpot_ms'
    const dir = folderWith({ 'sweeps.csv': `${header}\nmeta-llama/Llama-3.1-70B,h100_sxm,bf16,1024,1024,4,8,8,60,9\n` })
    const none = runCli(['predict', ...asked, '--calibrate', 'sweeps.csv'], dir)
    expect(none.exit).toBe(2)
    expect(none.stderr).toMatch(/INVALID_POINTS: .*Llama-3\.1-8B/)
    writeFileSync(join(dir, 'points.csv'), points(1.5))
    const key = runCli(['predict', ...asked, '--calibrate', 'points.csv@tp=0,layers=3'], dir)
    expect(key.exit).toBe(2)
    expect(key.stderr).toMatch(/INVALID_VALUE: .*tp: .*layers=3/)
  })
})

describe('wrong use', () => {
  it.each([
    [['--gpu', 'h100-sxm'], 'MISSING_VALUE', '--model, --input-tokens, --output-tokens'],
    [[...LLAMA, ...LENGTHS, '--tp', '-1'], 'INVALID_VALUE', 'tp'],
    [[...LLAMA, ...LENGTHS, '--concurrency', '0'], 'INVALID_VALUE', 'concurrency'],
    [
      ['--model', 'Llama-3.1-8B', '--gpu', 'h100-sxm', ...LENGTHS, '--precision', 'fp7'],
      'IMPOSSIBLE_CONFIGURATION',
      'fp7',
    ],
    [[...LLAMA, ...LENGTHS, '--kv-precision', 'fp7'], 'IMPOSSIBLE_CONFIGURATION', 'fp7'],
    [[...LLAMA, ...LENGTHS, '--search'], 'CONFLICTING_FLAGS', '--gpus'],
    [[...LLAMA, ...LENGTHS, '--search', '--gpus', '4', '--tp', '2', '--explain'], 'CONFLICTING_FLAGS', '--explain'],
    [[...LLAMA, ...LENGTHS, '--gpus', '4'], 'CONFLICTING_FLAGS', '--gpus'],
    [[...LLAMA, ...LENGTHS, '--prefill', '1x2'], 'CONFLICTING_FLAGS', '--decode'],
    [[...LLAMA, ...LENGTHS, '--prefill', '1x2', '--decode', 'two'], 'INVALID_VALUE', '--decode'],
    [[...LLAMA, ...LENGTHS, '--prefill', '1x2', '--decode', '1x2', '--link', 'string'], 'INVALID_VALUE', '--link'],
    [[...LLAMA, ...LENGTHS, '--ttft', '500ms'], 'CONFLICTING_FLAGS', '--ttft'],
    [[...LLAMA, ...LENGTHS, '--link', '400g'], 'CONFLICTING_FLAGS', '--link'],
    [[...LLAMA, ...LENGTHS, '--concurrency', '4', '--sweep'], 'CONFLICTING_FLAGS', '--sweep'],
    [['--model', 'none.json', '--gpu', 'h100', ...LENGTHS], 'FILE_NOT_READABLE', 'none.json'],
    [[...LLAMA, ...LENGTHS, '--catalogue', 'none.json'], 'FILE_NOT_READABLE', 'none.json'],
    [[...LLAMA, ...LENGTHS, '--calibrate', 'none.csv'], 'FILE_NOT_READABLE', 'none.csv'],
  ])('%j is refused as %s', (args, code, mentions) => {
    const { exit, stdout, stderr } = predict(args)
    expect(stderr).toContain(`${code}: `)
    expect(stderr).toContain(mentions)
    expect(stdout).toBe('')
    expect(exit).toBe(2)
    expect(stderr).not.toMatch(/\n\s+at /)
  })

  it('is told in full: every contradiction at once', () => {
    const { stderr } = predict([...LLAMA, ...LENGTHS, '--search', '--gpus', '4', '--tp', '2', '--explain'])
    expect(stderr).toContain('--search looks for TP, PP, EP and DP itself')
    expect(stderr).toContain('--explain is of one configuration')
  })
})
