import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CommanderError } from 'commander'
import { afterAll, describe, expect, it } from 'vitest'
import { simulateCommand } from '../../../src/cli/simulate/command.ts'
import { type Point, type Run, TwospeedError } from '../../../src/core/index.ts'
import { folderWith } from '../../support/planning-case.ts'
import { type Ended, runCli } from '../run-cli.ts'

const LAW = ['--law', 'a=5ms,b=0.25ms']
const FEW = ['--requests', '300']

const simulate = (args: readonly string[], files: Readonly<Record<string, string>> = {}): Ended =>
  runCli(['simulate', ...args], folderWith(files))

function runOf(args: readonly string[], files: Readonly<Record<string, string>> = {}): Run {
  const { stdout, stderr, exit } = simulate([...args, '--json'], files)
  expect(stderr).toBe('')
  expect(exit).toBe(0)
  return JSON.parse(stdout) as Run
}

/** In this process, for each of them takes a start of Node else. */
async function refusal(args: readonly string[], files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = folderWith(files)
  const paths = args.map((arg) => (arg in files ? join(folder, arg) : arg))
  const command = simulateCommand()
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
  try {
    await command.parseAsync(paths, { from: 'user' })
  } catch (error) {
    if (error instanceof TwospeedError && error.exit === 2) return `${error.code}: ${error.message}`
    if (error instanceof CommanderError) return `INVALID_VALUE: ${error.message}`
    throw error
  }
  throw new Error('it was not refused')
}

describe('a closed loop under a law', () => {
  it('lies on the straight line of the law: 20 users get 100 tok/s each, 80 get 40', () => {
    const { points, fit } = runOf([...LAW, ...FEW, '--concurrency', '20,80', '--output-tokens', '1000'])
    const [at20, at80] = points
    expect(at20?.littlesLaw.decodeTokensPerSecondPerUser).toBeCloseTo(100, 0)
    expect(at80?.littlesLaw.decodeTokensPerSecondPerUser).toBeCloseTo(40, 0)
    expect(fit?.stepMs?.base).toBeCloseTo(5, 1)
    expect(fit?.stepMs?.perSequence).toBeCloseTo(0.25, 2)
  })

  it('is looked at for ten requests of each user where nothing is said', () => {
    const [point] = runOf([...LAW, '--concurrency', '400', '--output-tokens', '10']).points
    expect(point?.window.steady).toBe(true)
    expect(point?.requests.sent).toBeGreaterThan(2 * 400)
  })

  it('is the same to the byte from the same seed, on one thread or on two, and another from another', () => {
    const of = (more: readonly string[]): readonly Point[] =>
      runOf([...LAW, ...FEW, '--rate', '3/s,9/s', '--output-tokens', 'uniform:50-150', ...more]).points
    const here = of(['--workers', '0'])
    expect(of(['--workers', '2'])).toEqual(here)
    expect(of(['--workers', '0', '--seed', '1'])).not.toEqual(here)
  })
})

describe('a run folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'twospeed-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const ended = runCli(
    ['simulate', ...LAW, ...FEW, '--concurrency', '4,16', '--kv-tokens', '9000', '--out', 'run', '--json'],
    folder,
  )
  const written = JSON.parse(ended.stdout) as Run

  it('tells a report all that the simulation said, from its records', () => {
    const { stdout, exit } = runCli(['report', 'run', '--json'], folder)
    expect(exit).toBe(0)
    const read = JSON.parse(stdout) as Run
    expect(read.points.map(({ simulation }) => simulation)).toEqual(written.points.map(({ simulation }) => simulation))
    for (const [i, point] of written.points.entries()) {
      const again = read.points[i]
      expect(again?.requests).toEqual(point.requests)
      expect(again?.tokens).toEqual(point.tokens)
      expect(again?.latency.ttftMs).toEqual(point.latency.ttftMs)
      expect(again?.littlesLaw).toEqual(point.littlesLaw)
      expect(again?.latency.itlMs.p99).toBeCloseTo(point.latency.itlMs.p99 ?? 0, 1)
    }
  })

  it('is one that fit and choose take', () => {
    const { fit } = JSON.parse(runCli(['fit', 'run', '--json'], folder).stdout) as Run
    expect(fit?.stepMs?.base).toBeGreaterThan(4)
    expect(runCli(['choose', 'run', '--floor', '40'], folder).exit).toBe(0)
  })

  it('has a page that calls it simulated and draws queue and KV cache', () => {
    const page = readFileSync(join(folder, 'run', 'report.html'), 'utf8')
    expect(page).toContain('<div class="badge">SIMULATED</div>')
    expect(page).toContain('KV cache held')
    expect(page).not.toMatch(/NaN|undefined|Infinity/)
  })

  it('is never written over', () => {
    expect(runCli(['simulate', ...LAW, '--concurrency', '4', '--out', 'run'], folder).stderr).toContain('OUT_EXISTS')
  })
})

describe('for a person', () => {
  it('stand the speeds, and what went on inside', () => {
    const { stdout } = simulate([...LAW, ...FEW, '--rate', '5/s', '--kv-tokens', '9000'])
    expect(stdout).toMatch(/^SIMULATED: the two speeds of the law a=5ms,b=0\.25ms/)
    expect(stdout).toMatch(/Inside the fleet\n.*in a step.*KV held/)
  })

  it('a model on GPUs has the prefill and decode pools that predict has', () => {
    const model = ['--model', 'llama-3.1-8b', '--gpu', 'h100-sxm', '--input-tokens', '1024', '--output-tokens', '64']
    const { stdout } = simulate([...model, ...FEW, '--prefill', '1x1', '--decode', '1x1', '--concurrency', '8'])
    expect(stdout).toContain('2 GPUs (1 prefill, 1 decode)')
    expect(stdout).toMatch(/^\s+8\s+prefill/m)
    expect(stdout).toMatch(/^\s+8\s+decode/m)
  })
})

describe('a curve', () => {
  const CURVE = ['--curve', '0s:2/s,100s:22/s,200s:2/s', '--output-tokens', '20']

  it('is played whole where nothing is said: its load is the mean of the day', () => {
    const { points } = runOf([...LAW, ...CURVE])
    expect(points[0]?.load.value).toBeCloseTo(12, 6)
    expect((points[0]?.window.endS ?? 0) - (points[0]?.window.startS ?? 0)).toBeCloseTo(200, 6)
  })

  it('has the load of the part that was played, and says how long that was', () => {
    const args = [...LAW, ...CURVE, '--requests', '200']
    const [point] = runOf(args).points
    const { startS = 0, endS = 0 } = point?.window ?? {}
    // Straight from 2/s at 0 to 22/s at 100 s: the mean is that of the middle.
    expect(endS).toBeLessThan(100)
    expect(point?.load.value).toBeCloseTo(2 + (0.2 * (startS + endS)) / 2, 5)
    expect(simulate(args).stdout).toMatch(/a curve of 3.33 min, of which [\d.]+ s were played/)
  })
})

describe('--find', () => {
  it('finds the users whom the law gives the floor: 60 have 50 tok/s', () => {
    const find = ['--find', '--concurrency', '8', '--floor', '50', '--output-tokens', '500', '--repeat', '2']
    const { search, choices } = runOf([...LAW, ...FEW, ...find])
    expect(search?.found).toMatchObject({ by: 'concurrency', runs: 2 })
    expect(search?.found?.value).toBeGreaterThanOrEqual(59)
    expect(search?.found?.value).toBeLessThanOrEqual(61)
    expect(choices?.[0]?.bindingConstraint).toBe('floor')
  })

  it('finds a rate at most that of so many users, for requests come in bursts, and says how sure it is', () => {
    const { search } = runOf([...LAW, '--find', '--floor', '40', '--repeat', '3', '--requests', '4000'])
    const { by, value = 0, low = 0, high = 0 } = search?.found ?? {}
    expect(by).toBe('rate')
    // 80 at once have 40 tok/s each, a token every 25 ms: 25.2 answers of 127 tokens after the first a second, were there always 80.
    expect(value).toBeGreaterThan(22)
    expect(low).toBeLessThan(25.2)
    expect(low).toBeLessThan(value)
    expect(high).toBeGreaterThan(value)
  })

  it('finds the rate that seats can keep up with where the pace always holds: 20 of them make 15.6 answers of 128 tokens a second', () => {
    const args = ['--find', '--floor', '40', '--max-num-seqs', '20', '--requests', '5000', '--repeat', '2']
    const { search, choices } = runOf([...LAW, ...args])
    expect(search?.found?.value).toBeGreaterThan(15)
    expect(search?.found?.value).toBeLessThan(16.5)
    expect(choices?.[0]?.bindingConstraint).toBe('serverLimit')
  })

  it('says what came, not what was asked for: the interval is free of the chance in the arrivals, and holds the truth', () => {
    const args = ['--floor', '1', '--output-tokens', '50', '--max-num-seqs', '20', '--requests', '4000']
    const { search } = runOf([...LAW, '--find', ...args])
    const { value = 0, low = 0, high = 0 } = search?.found ?? {}
    // 20 seats and 10 ms a step: 40 answers of 50 tokens a second.
    expect(low).toBeLessThan(40)
    expect(high).toBeGreaterThan(40)
    expect(high - low).toBeLessThan(0.08 * value)
  })

  it('is in the report of its folder: the loads in their order, and the answer with its interval', () => {
    const folder = folderWith({})
    const find = ['--find', '--concurrency', '8', '--floor', '50', '--repeat', '2', '--out', 'run']
    const { stdout } = runCli(['simulate', ...LAW, ...FEW, ...find], folder)
    const tried = /^Tried, in this order: .*$/m.exec(stdout)?.[0] ?? 'nothing'
    const answer = /At most .* tok\/s\/user\./.exec(stdout)?.[0] ?? 'nothing'
    const again = runCli(['report', 'run'], folder)
    expect(again.stdout).toContain(tried)
    expect(again.stdout).toContain(answer)
  })

  it('says of a refusal the code as every command does', () => {
    expect(simulate([...LAW, '--rate', '2/s', '--kv-tokens', '500'])).toMatchObject({ exit: 2, stdout: '' })
  })

  it('ends with 1 where no load holds', () => {
    const { exit, stderr } = simulate([...LAW, ...FEW, '--find', '--concurrency', '8', '--floor', '1000'])
    expect(exit).toBe(1)
    expect(stderr).toContain('NO_POINT_HOLDS: Not even 1 user has')
  })
})

describe('lanes', () => {
  const lanes = `
pools:
  fast: {law: "a=5ms,b=0.25ms", maxNumSeqs: 8, gpus: 1}
  slow: {law: "a=5ms,b=0.25ms", replicas: 2, gpus: 1}
lanes:
  chat: {pools: fast, floor: 80, outputTokens: 100}
  batch: {pools: slow, concurrency: 32, priority: 1}
`
  it('have their own pools, loads and figures', () => {
    const { points, hardware } = runOf([...FEW, '--lanes', 'lanes.yaml', '--rate', '2/s'], { 'lanes.yaml': lanes })
    expect(hardware.gpus).toBe(3)
    const [point] = points
    expect(point?.simulation?.lanes?.map(({ name }) => name)).toEqual(['chat', 'batch'])
    const [chat, batch] = point?.simulation?.lanes ?? []
    expect(batch?.littlesLaw.inFlight).toBeCloseTo(32, 3)
    expect(chat?.goodput?.attainment).toBe(1)
    expect(batch?.goodput).toBeUndefined()
  })

  it('are refused with every problem of the file', async () => {
    const bad = 'pools: {a: {lw: 3, replicas: x}}\nlanes: {b: {rate: 5}, c: 3}\nmore: 1\n'
    const told = await refusal(['--lanes', 'bad.yaml'], { 'bad.yaml': bad })
    for (const part of [
      'INVALID_CONFIG',
      'unknown key "more"',
      'unknown key "lw"',
      'pools.a.replicas',
      'lanes.b.rate',
      'lanes.c',
    ])
      expect(told).toContain(part)
  })

  it('need one load each, and no more', async () => {
    const files = { 'lanes.yaml': lanes.replace('pools: fast,', 'pools: fast, rate: 2/s,') }
    expect(await refusal(['--lanes', 'lanes.yaml', '--rate', '2/s'], files)).toContain('CONFLICTING_FLAGS')
    expect(await refusal(['--lanes', 'lanes.yaml'], { 'lanes.yaml': lanes })).toContain('in lane chat')
  })

  it('have a load together: users and users, rate and rate, and users beside a rate', () => {
    const of = (text: string, more: readonly string[] = []) => {
      const run = runOf(['--lanes', 'l.yaml', ...more, '--requests', '300'], {
        'l.yaml': `pools: {all: {law: "a=5ms,b=0.25ms"}}\nlanes: {${text}}\n`,
      })
      return run.points.map(({ load }) => load)
    }
    expect(of('a: {concurrency: 16}, b: {concurrency: 16}')).toEqual([{ kind: 'concurrency', value: 32 }])
    expect(of('a: {rate: 5/s}, b: {}', ['--rate', '1/s'])).toEqual([{ kind: 'rate', value: 6 }])
    expect(of('a: {concurrency: 4}, b: {rate: 5/s}')).toEqual([{ kind: 'rate', value: 5, users: 4 }])
  })

  it('are named with their loads, not as a closed loop', () => {
    const { stdout } = simulate([...FEW, '--lanes', 'lanes.yaml', '--rate', '2/s'], { 'lanes.yaml': lanes })
    expect(stdout).toContain('lane batch of 32 users: ')
    expect(stdout).toMatch(/^2\/s \+ 32 users/m)
    expect(stdout).not.toContain('closed loop')
  })

  it('leave no flag to be ignored: each says which pool or lane has no use for it', async () => {
    const files = { 'lanes.yaml': lanes }
    const of = (more: readonly string[]) => refusal(['--lanes', 'lanes.yaml', '--rate', '2/s', ...more], files)
    expect(await of(LAW)).toContain('CONFLICTING_FLAGS: --law: each pool of')
    expect(await of(['--gpus', '4'])).toContain('--gpus: the pools of')
    expect(await of(['--link', '50GB/s'])).toContain('--link: no pool of')
    const own = { 'lanes.yaml': lanes.replace('pools: fast,', 'pools: fast, rate: 2/s,') }
    expect(await refusal(['--lanes', 'lanes.yaml', '--turns', '3'], own)).toContain('--turns: each lane of')
  })
})

describe('what cannot be', () => {
  it.each([
    [[...LAW, '--concurrency', '2', '--kv-tokens', '500'], 'NEVER_FITS', 'A prompt of 512 tokens'],
    [[...LAW, '--rate', '2/s', '--kv-tokens', '500'], 'NEVER_FITS', 'A prompt of 512 tokens'],
    [[...LAW, '--rate', '2/s', '--kv-tokens', '8'], 'IMPOSSIBLE_CONFIGURATION', 'no room for a block'],
    [['--concurrency', '2'], 'MISSING_VALUE', 'neither a law nor a model'],
    [LAW, 'MISSING_VALUE', 'how many requests come'],
    [[...LAW, '--rate', '2/s', '--prefill', '1x1', '--decode', '1x1'], 'MISSING_VALUE', 'nothing says how long the KV'],
    [[...LAW, '--gpu', 'h100-sxm', '--rate', '2/s'], 'CONFLICTING_FLAGS', '--gpu'],
    [[...LAW, '--rate', '2/s', '--concurrency', '2'], 'CONFLICTING_FLAGS', '--concurrency and --rate'],
    [[...LAW, '--rate', '2/s', '--think', '2s'], 'CONFLICTING_FLAGS', '--think'],
    [[...LAW, '--find'], 'CONFLICTING_FLAGS', 'what to hold'],
    [[...LAW, '--find', '--floor', '9', '--curve', '0s:1/s,9s:2/s'], 'CONFLICTING_FLAGS', '--find looks for a rate'],
    [[...LAW, '--gpus', '3', '--replicas', '2', '--rate', '2/s'], 'CONFLICTING_FLAGS', '--gpus 3'],
    [[...LAW, '--curve', '1s:1/s,9s:2/s'], 'INVALID_VALUE', '--curve'],
    [[...LAW, '--trace', 'none.csv'], 'FILE_NOT_READABLE', 'none.csv'],
    [[...LAW, '--rate', '2/s', '--max-batched-tokens', '0'], 'INVALID_VALUE', '--max-batched-tokens'],
  ] as const)('%j is %s', async (args, code, words) => {
    const told = await refusal(args)
    expect(told).toContain(`${code}: `)
    expect(told).toContain(words)
  })

  it('is told in full: every contradiction at once', async () => {
    const told = await refusal([...LAW, '--load-guard', '2', '--decode', '1x1', '--requests', '9', '--duration', '9s'])
    for (const part of ['--load-guard', '--prefill and --decode', '--requests and --duration'])
      expect(told).toContain(part)
  })
})

describe('a trace', () => {
  const line = (atS: number, inputTokens: number): string => JSON.stringify({ atS, inputTokens, outputTokens: 20 })
  const trace = Array.from({ length: 40 }, (_, i) => line(i / 4, i === 7 ? 5000 : 100)).join('\n')

  it('is played whole; a request that is longer than the cache is refused, counted and told', () => {
    const args = [...LAW, '--trace', 'trace.jsonl', '--kv-tokens', '1000']
    const [point] = runOf(args, { 'trace.jsonl': trace }).points
    expect(point?.requests).toMatchObject({ sent: 40, ok: 39, failed: 1 })
    expect(point?.tokens.output).toBe(39 * 20)
    expect(point?.simulation?.refused?.requests).toBe(1)
    expect(point?.littlesLaw.residual).toBeCloseTo(0, 9)
    const { stdout } = simulate(args, { 'trace.jsonl': trace })
    expect(stdout).toContain('1 request refused, no engine could hold them. The first: A prompt of 5000 tokens')
  })

  it('is cut to its first requests', () => {
    const [point] = runOf([...LAW, '--trace', 'trace.jsonl', '--requests', '5'], { 'trace.jsonl': trace }).points
    expect(point?.requests).toMatchObject({ sent: 5, ok: 5 })
  })
})
