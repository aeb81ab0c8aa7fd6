import { describe, expect, it } from 'vitest'
import type { PredictedSearch, Prediction } from '../../src/core/index.ts'
import { createConfiguration, findAccelerator, findModel, predict as foretold } from '../../src/model/index.ts'
import { folderWith } from '../support/planning-case.ts'
import { type Ended, runCli } from './run-cli.ts'

const shape = [
  '--model',
  'Llama-3.1-8B',
  '--gpu',
  'h100-sxm',
  '--precision',
  'bf16',
  '--input-tokens',
  '1024',
  '--output-tokens',
  '256',
]
const asked = [...shape, '--concurrency', '8']

type Files = Readonly<Record<string, string>>

const predict = (args: readonly string[], files: Files): Ended => runCli(['predict', ...args], folderWith(files))

function answerOf(args: readonly string[], files: Files): Prediction {
  const { stdout, exit } = predict([...args, '--json'], files)
  expect(exit).toBe(0)
  return JSON.parse(stdout) as Prediction
}

/** Measured so many times slower than specifications have it. */
function points(slower: number): string {
  const [model, gpu] = [findModel('Llama-3.1-8B'), findAccelerator('h100-sxm')]
  const lengths = { inputTokens: 1024, outputTokens: 256 }
  const { frontier } = foretold(createConfiguration({ model, gpu, precision: 'bf16' }), { lengths, loads: [1, 8, 64] })
  const rows = frontier.map((point) =>
    [point.concurrency, point.outputTokensPerSecond / slower, point.tokensPerSecondPerUser / slower].join(),
  )
  return `concurrency,outputTokensPerSecond,tokensPerSecondPerUser\n${rows.join('\n')}\n`
}

describe('--calibrate', () => {
  it('by points in another format is a new shape, and says so', () => {
    const answer = answerOf([...asked, '--calibrate', 'points.csv@kv-precision=fp8'], { 'points.csv': points(1.5) })
    expect(answer.confidence.class).toBe('newShape')
    expect(answer.explanation.join(' ')).toMatch(/measured in bf16 with the KV cache in fp8, and is foretold in bf16/)
  })

  it('is surest at the loads that were measured, and the answer carries the least sure of those shown', () => {
    const one = points(1.5).split('\n').slice(0, 2).join('\n')
    const { frontier, confidence } = answerOf([...shape, '--calibrate', 'points.csv'], { 'points.csv': one })
    const widths = frontier.map(({ low, high }) => high / low)
    expect(widths).toEqual(widths.toSorted((a, b) => a - b))
    expect(widths.at(-1)).toBeGreaterThan(1.2 * widths[0]!)
    expect(confidence.high / confidence.low).toBeCloseTo(widths.at(-1)!, 9)
  })

  it('says what it misses of its own points, and its intervals hold them', () => {
    const rows = ['concurrency,outputTokensPerSecond,tokensPerSecondPerUser', '8,800,100', '8.5,340,40', '64,2560,40']
    const answer = answerOf([...shape, '--calibrate', 'p.csv', '--concurrency', '8,64'], { 'p.csv': rows.join('\n') })
    const [eight, most] = answer.frontier
    expect(eight!.low).toBeLessThan(100)
    expect(eight!.high).toBeGreaterThan(100)
    expect(most!.low).toBeLessThan(40)
    expect(most!.high).toBeGreaterThan(40)
    expect(answer.explanation.join(' ')).toMatch(/Calibration misses what was measured: .* at 8\.5 in flight/)
  })

  it('refuses a pace that cannot have been, and minds one beyond the datasheet', () => {
    const by = (load: number, output: number): Files => ({
      'p.csv': `concurrency,outputTokensPerSecond\n${load},${output}\n`,
    })
    for (const csv of [by(1, 1e12), by(1, 1e-6)]) {
      const { exit, stderr } = predict([...asked, '--calibrate', 'p.csv'], csv)
      expect(exit).toBe(2)
      expect(stderr).toMatch(/INVALID_POINTS: .*tok\/s\/user at 1 in flight/)
    }
    const beyond = answerOf([...asked, '--calibrate', 'p.csv'], by(1, 500))
    expect(beyond.explanation.join(' ')).toMatch(/500 tok\/s\/user .* drafts of tokens/)
    const usual = answerOf([...asked, '--calibrate', 'p.csv'], by(1, 120))
    expect(usual.explanation.join(' ')).not.toContain('drafts')
  })

  it('refuses a key that is said twice', () => {
    const { exit, stderr } = predict([...asked, '--calibrate', 'points.csv@tp=1,tp=2'], { 'points.csv': points(1) })
    expect(exit).toBe(2)
    expect(stderr).toMatch(/INVALID_VALUE: .*tp is said twice/)
  })

  it('of a search gives each line its own class', () => {
    const { exit, stdout } = predict([...shape, '--search', '--gpus', '4', '--calibrate', 'points.csv', '--json'], {
      'points.csv': points(1.5),
    })
    expect(exit).toBe(0)
    const { frontier, confidence } = JSON.parse(stdout) as PredictedSearch
    const classes = new Set(frontier.map((line) => line.class))
    expect(classes).toEqual(new Set(['newShape', 'interpolated']))
    for (const { configuration = '', class: name } of frontier) {
      if (!/^\d+ × TP1$/.test(configuration)) expect(name).toBe('newShape')
      else expect(name).toBe('interpolated')
    }
    const widest = frontier.toSorted((a, b) => b.high / b.low - a.high / a.low)[0]
    expect(confidence.high / confidence.low).toBeCloseTo(widest!.high / widest!.low, 9)
    expect(confidence.class).toBe(widest!.class)
  })

  it('takes the replicas of a table from its GPUs', () => {
    const header = 'model,system,precision,isl,osl,concurrency,num_gpus,tp,ttft_ms,tpot_ms'
    const row = (load: number, gpus: number, tpotMs: number): string =>
      ['Llama-3.1-8B', 'h100_sxm', 'bf16', 1024, 1024, load, gpus, 1, 60, tpotMs].join(',')
    const frontierBy = (load: number, gpus: number) =>
      answerOf([...asked, '--calibrate', 's.csv'], { 's.csv': [header, row(load, gpus, 14)].join('\n') }).frontier
    expect(frontierBy(64, 2)).toEqual(frontierBy(32, 1))
    expect(frontierBy(64, 2)).not.toEqual(frontierBy(64, 1))
  })
})
