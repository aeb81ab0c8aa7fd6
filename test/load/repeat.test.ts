import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Run } from '../../src/core/index.ts'
import { measure } from '../../src/load/index.ts'
import { readRunHeader } from '../../src/store/index.ts'
import { type FakeTarget, startFakeTarget, streamed } from './fake-target.ts'

let target: FakeTarget
let folder = ''
beforeEach(async () => {
  target = await startFakeTarget({ answer: streamed({ firstMs: 2 }) })
  folder = mkdtempSync(join(tmpdir(), 'twospeed-'))
})
afterEach(async () => {
  await target.close()
  rmSync(folder, { recursive: true })
})

const run = (repeat?: number): Promise<Run> =>
  measure({
    url: target.url,
    concurrency: [1, 2],
    inputTokens: 20,
    outputTokens: 4,
    requests: 10,
    out: join(folder, 'run'),
    ...(repeat !== undefined && { repeat }),
  })

describe('--repeat', () => {
  it('measures every load so often, in rounds, and puts its repeats together', async () => {
    const { points, repeats, workload } = await run(3)
    expect(points.map(({ load, repeat }) => [load.value, repeat])).toEqual([
      [1, 0],
      [2, 0],
      [1, 1],
      [2, 1],
      [1, 2],
      [2, 2],
    ])
    expect(repeats?.map(({ load, points: members }) => [load.value, members])).toEqual([
      [1, [0, 2, 4]],
      [2, [1, 3, 5]],
    ])
    expect(workload).toMatchObject({ repeat: 3 })
    // What a report of the folder starts from has it too.
    expect((await readRunHeader(join(folder, 'run'))).points.map(({ repeat }) => repeat)).toEqual([0, 0, 1, 1, 2, 2])
    const prompts = target.asked.map(({ body }) => JSON.stringify(body.messages))
    expect(new Set(prompts).size).toBe(prompts.length)
  })

  it('is one round unless asked for, without a word of repeats', async () => {
    const { points, repeats } = await run()
    expect(points.map(({ load, repeat }) => [load.value, repeat])).toEqual([
      [1, undefined],
      [2, undefined],
    ])
    expect(repeats).toBeUndefined()
  })

  it('refuses to measure no times', async () => {
    await expect(run(0)).rejects.toMatchObject({ code: 'INVALID_VALUE' })
    expect(target.asked).toEqual([])
  })
})
