import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { measure } from '../../src/load/index.ts'
import type { MeasureOptions, Progress } from '../../src/load/options.ts'
import { readRunHeader } from '../../src/store/index.ts'
import { type FakeTarget, startFakeTarget, streamed } from './fake-target.ts'

let target: FakeTarget
let folder = ''
beforeEach(async () => {
  target = await startFakeTarget({ answer: streamed({ firstMs: 5 }) })
  folder = mkdtempSync(join(tmpdir(), 'twospeed-'))
})
afterEach(async () => {
  await target.close()
  rmSync(folder, { recursive: true })
})

const options = (more: Partial<MeasureOptions> = {}): MeasureOptions => ({
  url: target.url,
  concurrency: [1, 2],
  inputTokens: 20,
  outputTokens: 4,
  requests: 20,
  out: join(folder, 'run'),
  ...more,
})

describe('measure as a library', () => {
  it('resolves to the run that it stored, and tells of it while it goes on', async () => {
    const told: Progress[] = []
    const run = await measure(options({ onProgress: (progress) => told.push(progress) }))
    expect(run.points.map(({ load, requests }) => [load.value, requests.failed])).toEqual([
      [1, 0],
      [2, 0],
    ])
    expect((await readRunHeader(join(folder, 'run'))).points).toHaveLength(2)
    const kinds = told.map(({ kind }) => kind).filter((kind) => kind !== 'point' && kind !== 'note')
    expect(kinds).toEqual(['folder', 'pointDone', 'pointDone'])
    const done = told.filter((progress) => progress.kind === 'pointDone')
    for (const [index, { outputTokensPerSecond }] of done.entries()) {
      expect(outputTokensPerSecond).toBeCloseTo(run.points[index]!.outputTokensPerSecond, 6)
    }
  })

  it('takes no key from the environment by itself', async () => {
    process.env.OPENAI_API_KEY = 'sk-of-the-shell'
    try {
      await measure(options({ concurrency: [1], requests: 1 }))
    } finally {
      delete process.env.OPENAI_API_KEY
    }
    expect(target.asked[0]!.headers).not.toHaveProperty('authorization')
  })

  it('halted between the preflight and the first request keeps a run without points', async () => {
    const abort = new AbortController()
    const onProgress = ({ kind }: Progress): void => {
      if (kind === 'folder') abort.abort()
    }
    const run = await measure(options({ signal: abort.signal, onProgress }))
    expect(run.points).toEqual([])
    expect(target.asked).toHaveLength(2)
  })

  it('halted before it begins rejects with the reason given, and sends nothing', async () => {
    const reason = new Error('not now')
    await expect(measure(options({ signal: AbortSignal.abort(reason) }))).rejects.toBe(reason)
    expect([...target.asked, ...target.gets]).toEqual([])
    expect(readdirSync(folder)).toEqual([])
  })

  it.each<[string, Partial<MeasureOptions>]>([
    ['no load', { concurrency: [] }],
    ['NaN users', { concurrency: [Number.NaN] }],
    ['a negative length', { inputTokens: -1 }],
    ['an endless duration', { requests: undefined as never, durationS: Number.POSITIVE_INFINITY }],
    ['half a GPU', { gpus: 0.5 }],
  ])('refuses %s', async (_, more) => {
    await expect(measure(options(more))).rejects.toMatchObject({ code: 'INVALID_VALUE' })
  })

  it('stores the seed it chose, with which the prompts come again', async () => {
    const run = await measure(options({ concurrency: [2], requests: 6 }))
    const first = target.asked.slice(2).map(({ body }) => JSON.stringify(body.messages))
    const before = target.asked.length
    await measure(
      options({ concurrency: [2], requests: 6, seed: Number(run.workload.seed), out: join(folder, 'again') }),
    )
    expect(
      target.asked
        .slice(before + 2)
        .map(({ body }) => JSON.stringify(body.messages))
        .sort(),
    ).toEqual(first.sort())
  })

  it('gives each point prompts of its own', async () => {
    await measure(options({ requests: 10 }))
    const prompts = target.asked.map(({ body }) => JSON.stringify(body.messages))
    expect(new Set(prompts).size).toBe(prompts.length)
  })
})
